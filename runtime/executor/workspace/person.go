package workspace

import (
	"context"
	"crypto/sha256"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/errgen/errgen/runtime/internal/atomicfile"
)

// personState returns what an agent could change in the person's repository: HEAD, and the content
// of configuration, hooks, exclusions and attributes, by the names that a person sees.
func (s *Space) personState(ctx context.Context) map[string]string {
	out := s.git(ctx, command{at: inUsers, hooks: true, args: []string{"rev-parse", "--path-format=absolute",
		"--git-path", "hooks", "--git-path", "info", "--git-path", "config", "--git-path", "config.worktree", "HEAD",
		"--symbolic-full-name", "HEAD"}})
	lines := strings.Split(out, "\n")
	if len(lines) != 6 {
		s.fail("layout", "git rev-parse: "+out)
		return nil
	}
	state := contents(s.root, lines[:4]...)
	state["HEAD"] = lines[5] + " " + lines[4]
	return state
}

// contents returns what identifies the content of files, also of those in directories. Names can be
// relative to dir. In the result they are if they are in it.
func contents(dir string, names ...string) map[string]string {
	state := map[string]string{}
	for _, top := range names {
		if !filepath.IsAbs(top) {
			top = filepath.Join(dir, top)
		}
		_ = filepath.WalkDir(filepath.FromSlash(top), func(name string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return nil //nolint:nilerr // a missing file has no content
			}
			content, err := atomicfile.Read(name, 64<<20)
			info, serr := os.Stat(name)
			if rel, in := inside(dir, name); in {
				name = rel
			}
			state[name] = fmt.Sprintf("%x %v %v", sha256.Sum256(content), err, serr == nil && info.Mode()&0o111 != 0)
			return nil
		})
	}
	return state
}

// differences describes what differs between two states of the person's repository.
func differences(was, now map[string]string) (texts []string) {
	names := maps.Clone(was)
	maps.Copy(names, now)
	for _, name := range slices.Sorted(maps.Keys(names)) {
		if was[name] != now[name] && name == "HEAD" {
			texts = append(texts, "HEAD moved from "+was[name]+" to "+now[name])
		} else if was[name] != now[name] {
			texts = append(texts, name+" changed")
		}
	}
	return texts
}

// requireClean refuses to work in place in a working tree with changes, and records the state of
// the person's repository.
func (s *Space) requireClean(ctx context.Context) {
	if dirty := s.status(ctx, command{at: inUsers}, "-uall"); len(dirty) > 0 {
		s.fail("refused", fmt.Sprintf("a run in place needs a clean working tree: %q", dirty[0]), dirty[0][3:])
	}
	s.state.Person = s.personState(ctx)
}

// requireSamePerson refuses to commit and push in place if an agent changed what git reads there.
func (s *Space) requireSamePerson(ctx context.Context) {
	if !s.opts.InPlace {
		return
	}
	now := s.personState(ctx)
	ref, head, _ := strings.Cut(now["HEAD"], " ")
	if strings.HasPrefix(s.state.Person["HEAD"], ref+" ") && s.isAncestor(ctx, inRun, head, "HEAD") {
		now["HEAD"] = s.state.Person["HEAD"] // a commit of the run
	}
	if changed := differences(s.state.Person, now); len(changed) > 0 {
		s.fail("moved", "the repository changed since the run began: "+strings.Join(changed, "; "))
	}
}

// publish moves HEAD and the index of a run in place to the run's last commit. The files have its
// content already.
func (s *Space) publish(ctx context.Context) {
	tip, _ := s.head(ctx)
	if !s.opts.InPlace || tip == s.state.Base {
		return
	}
	s.requireSamePerson(ctx)
	s.fetch(ctx, s.ref())
	s.users(ctx, "reset", "-q", tip)
}
