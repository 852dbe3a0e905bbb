package workspace

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// personState returns what an agent could change in the person's repository: HEAD, and the content of
// configuration, hooks, exclusions and attributes, by the names that a person sees.
func (s *Space) personState(ctx context.Context) (map[string]string, error) {
	out, err := s.line(ctx, command{at: inUsers, hooks: true, args: []string{"rev-parse", "--path-format=absolute",
		"--git-path", "hooks", "--git-path", "info", "--git-path", "config", "--git-path", "config.worktree", "HEAD",
		"--symbolic-full-name", "HEAD"}})
	if err != nil {
		return nil, err
	}
	lines := strings.Split(out, "\n")
	if len(lines) != 6 {
		return nil, fault("layout", "git rev-parse: "+out, nil)
	}
	state := map[string]string{"HEAD": lines[5] + " " + lines[4]}
	for _, top := range lines[:4] {
		err := filepath.WalkDir(filepath.FromSlash(top), func(name string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			info, err := os.Stat(name)
			if err != nil || !info.Mode().IsRegular() {
				state[s.shown(name)] = "other"
				return nil
			}
			content, err := os.ReadFile(name)
			sum := sha256.Sum256(content)
			state[s.shown(name)] = fmt.Sprint(info.Mode()&0o111 != 0, hex.EncodeToString(sum[:8]))
			return err
		})
		if err != nil && !notFound(err) {
			return nil, err
		}
	}
	return state, nil
}

// shown returns a path relative to the person's working tree, if it is in it.
func (s *Space) shown(name string) string {
	if rel, err := filepath.Rel(s.root, name); err == nil && filepath.IsLocal(rel) {
		name = rel
	}
	return filepath.ToSlash(name)
}

// differences describes what differs between two states of the person's repository.
func differences(was, now map[string]string) (texts []string) {
	names := maps.Clone(was)
	maps.Copy(names, now)
	for _, name := range slices.Sorted(maps.Keys(names)) {
		before, had := was[name]
		after, has := now[name]
		switch {
		case before == after:
		case name == "HEAD":
			texts = append(texts, "HEAD moved from "+before+" to "+after)
		case !had:
			texts = append(texts, name+" was added")
		case !has:
			texts = append(texts, name+" was removed")
		default:
			texts = append(texts, name+" was changed")
		}
	}
	return texts
}

// requireClean refuses to work in place in a working tree with changes, and records the state of the
// person's repository.
func (s *Space) requireClean(ctx context.Context) error {
	dirty, err := s.list(ctx, command{at: inUsers, args: []string{"status", "--porcelain=v1", "-z",
		"--no-renames", "-uall",
		"--ignore-submodules=none"}})
	if err != nil {
		return err
	}
	if len(dirty) > 0 {
		return fault("refused", fmt.Sprintf("a run in place needs a clean working tree: %q", dirty[0]), nil,
			dirty[0][3:])
	}
	s.state.Person, err = s.personState(ctx)
	return err
}

// readBase gives the run's index the files of the base, which the working tree has.
func (s *Space) readBase(ctx context.Context) error {
	_, err := s.own(ctx, "read-tree", s.state.Base)
	return err
}

// requireSamePerson refuses to commit and push in place if an agent changed what git reads there.
func (s *Space) requireSamePerson(ctx context.Context) error {
	if !s.opts.InPlace {
		return nil
	}
	now, err := s.personState(ctx)
	if err != nil {
		return err
	}
	if head := strings.Fields(now["HEAD"]); len(head) == 2 && s.isAncestor(ctx, head[1], "HEAD") {
		now["HEAD"] = s.state.Person["HEAD"] // a commit of the run
	}
	if changed := differences(s.state.Person, now); len(changed) > 0 {
		return fault("moved", "the repository changed since the run began: "+strings.Join(changed, "; "), nil)
	}
	return nil
}

// publish moves HEAD and the index of a run in place to the run's last commit. The files have its
// content already.
func (s *Space) publish(ctx context.Context) error {
	tip, err := s.headCommit(ctx)
	if err != nil {
		return err
	}
	head, err := s.users(ctx, 0, "rev-parse", "--verify", "-q", "HEAD")
	if err != nil || tip == s.state.Base {
		return err
	}
	if err := s.requireSamePerson(ctx); err != nil {
		return err
	}
	if head != tip {
		if err := s.fetch(ctx, s.ref()); err != nil {
			return err
		}
		if _, err := s.users(ctx, 0, "update-ref", "-m", "commit: run "+s.run, "HEAD", tip, head); err != nil {
			return err
		}
	}
	_, err = s.users(ctx, 0, "read-tree", tip)
	return err
}
