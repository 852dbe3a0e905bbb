package workspace

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/errgen/errgen/runtime/executor/internal/filelock"
	"github.com/errgen/errgen/runtime/executor/internal/loop"
	"github.com/errgen/errgen/runtime/internal/atomicfile"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// Deliver brings the commits of the run to the branch of the result in the person's repository, and
// returns its name. That branch only moves forward. If the run has no commit, or works in place,
// the name is empty. If the branch of the beginning contains the commits already, its name is
// returned.
func (s *Space) Deliver(ctx context.Context) (branch string, err error) {
	return operate(s, loop.OpDeliver, func() string {
		_, branch := s.deliver(ctx)
		return branch
	})
}

func (s *Space) deliver(ctx context.Context) (tip, branch string) {
	tip, _ = s.head(ctx)
	switch {
	case tip == s.state.Base:
		return "", ""
	case s.opts.InPlace:
		s.publish(ctx)
		return tip, ""
	case s.state.Ref != "" && s.isAncestor(ctx, inUsers, tip, s.state.Ref):
		return tip, short(s.state.Ref)
	}
	s.whileDelivering(ctx, func() { s.fetch(ctx, s.ref()+":"+s.ref()) })
	return tip, s.opts.Branch
}

// fetch brings objects of the run to the person's repository, and moves a branch if the
// specification has one.
func (s *Space) fetch(ctx context.Context, spec string) {
	s.do(func() error { return linkFiles(s.file("git/lfs/objects"), filepath.Join(s.lfs, "objects")) })
	for until := time.Now().Add(lockPatience); ; time.Sleep(lockPoll) {
		s.users(ctx, "-c", "fetch.fsckObjects=true", "fetch", "-q", "--no-tags", "--no-write-fetch-head",
			"--no-auto-maintenance", "--recurse-submodules=no", "--", s.gitDir(), spec)
		// While the person adds a linked working tree, its files are incomplete for a moment, and each
		// fetch fails.
		ev, ok := errors.AsType[*taxonomy.Evidence](s.err)
		if !ok || !strings.Contains(ev.Text, "worktrees/") || time.Now().After(until) {
			return
		}
		s.err = nil
	}
}

// whileDelivering calls f while no other run delivers to the working tree. So a lock of git's index
// belongs to the person, or to a delivery that was killed.
func (s *Space) whileDelivering(ctx context.Context, f func()) {
	s.do(func() error {
		lock, err := filelock.Wait(ctx, filepath.Join(filepath.Dir(s.home), ".delivery"), lockPoll)
		if err != nil {
			return err
		}
		awaitLock(ctx, filepath.Join(s.user, "index.lock"))
		f()
		return errors.Join(s.err, lock.Release())
	})
}

// Forward moves the branch with which the run began to the result, with its files, and then removes
// the branch of the result. It does nothing, and returns why not and the command that does it, if
// another branch is checked out, if the branch has commits that the run does not have, or if a file
// of the person's is in the way, even an ignored one. Call Deliver first.
func (s *Space) Forward(ctx context.Context) (why, next string, err error) {
	err = s.operate(loop.OpDeliver, func() {
		tip, _ := s.head(ctx)
		if s.err != nil || tip == s.state.Base || s.opts.InPlace {
			return
		}
		s.whileDelivering(ctx, func() {
			// Git keeps a branch that has other commits or is checked out.
			if why, next = s.forward(ctx, tip); why == "" && s.ref() != s.state.Ref {
				s.try(ctx, command{at: inUsers, args: []string{"branch", "-q", "-d", "--", s.opts.Branch}})
			}
		})
	})
	return why, next, err
}

func (s *Space) forward(ctx context.Context, tip string) (why, next string) {
	if s.isAncestor(ctx, inUsers, tip, cmp.Or(s.state.Ref, "HEAD")) {
		return "", ""
	}
	now, _ := s.try(ctx, command{at: inUsers, args: []string{"symbolic-ref", "-q", "HEAD"}})
	head := s.find(ctx, inUsers, "HEAD")
	name := short(s.state.Ref)
	next = "git merge " + s.opts.Branch
	switch {
	case s.state.Ref == "":
		return "no branch was checked out at the beginning", next
	case now != s.state.Ref:
		return name + " is not checked out", "git switch " + name + " && " + next
	case !s.isAncestor(ctx, inRun, head, tip):
		return name + " has commits that the run did not begin with", next
	}
	if why = s.inTheWay(ctx, head, tip); s.err != nil || why != "" {
		return why, next
	}
	s.state.Forward = [2]string{head, tip}
	s.saveState()
	undisturbed := context.WithoutCancel(ctx)
	_, ok := s.try(undisturbed, command{at: inUsers, args: []string{"merge", "-q", "--ff-only", "--no-autostash",
		"--no-overwrite-ignore", "--no-stat", tip}})
	if !ok {
		why = "git merge --ff-only refuses"
	}
	if s.undoForward(undisturbed); why == "" {
		next = ""
	}
	return why, next
}

// inTheWay describes a file of the person's that a forward would overwrite or restore.
func (s *Space) inTheWay(ctx context.Context, head, tip string) string {
	dirty := s.dirty(ctx, command{at: inUsers})
	for _, c := range s.diff(ctx, head, tip) {
		if dirty[c.path] {
			return fmt.Sprintf("%q has uncommitted changes", c.path)
		}
		if c.oldMode == absent && exists(filepath.Join(s.root, filepath.FromSlash(c.path))) {
			return fmt.Sprintf("%q exists and is not tracked", c.path)
		}
	}
	return ""
}

// dirty returns the tracked files that differ from an index or its commit. In the person's index,
// the missing files of a sparse checkout are not differences.
func (s *Space) dirty(ctx context.Context, c command) map[string]bool {
	dirty := map[string]bool{}
	for _, e := range s.status(ctx, c, "-uno") {
		dirty[e[3:]] = true
	}
	return dirty
}

// personHas reports whether a branch of the person's, or a detached HEAD, contains a commit.
func (s *Space) personHas(ctx context.Context, commit string) bool {
	out, _ := s.try(ctx, command{at: inUsers, args: []string{"branch", "--contains=" + commit}})
	return out != ""
}

// rollBack ends a forward that was killed. Git can outlive the process that started it.
func (s *Space) rollBack(ctx context.Context) {
	if s.state.Forward != [2]string{} {
		s.whileDelivering(ctx, func() { s.undoForward(ctx) })
	}
}

// undoForward ends a forward. If git did not finish, it restores the files that git wrote. Before
// the forward, each of them had the content of the last commit, so a file that is missing or has
// the new content was written. Later changes of the person stay.
func (s *Space) undoForward(ctx context.Context) {
	if s.err != nil {
		return
	}
	old, tip := s.state.Forward[0], s.state.Forward[1]
	if s.find(ctx, inUsers, "HEAD") == old {
		s.restoreWritten(ctx, old, tip)
	}
	s.state.Forward = [2]string{}
	s.saveState()
}

func (s *Space) restoreWritten(ctx context.Context, old, tip string) {
	dirty := s.dirty(ctx, command{at: inUsers})
	other := s.dirty(ctx, command{env: append(s.otherIndex(ctx, tip), "GIT_WORK_TREE="+s.root)})
	changes := s.diff(ctx, tip, old)
	removeLock := sync.OnceFunc(func() { _ = os.Remove(filepath.Join(s.user, "index.lock")) })
	// New files are removed first, because they can be in a directory that replaced a file.
	for _, isNew := range []bool{true, false} {
		written := slices.DeleteFunc(slices.Clone(changes), func(c change) bool {
			switch {
			case isNew != (c.newMode == absent):
				return true
			case exists(filepath.Join(s.root, filepath.FromSlash(c.path))):
				return c.oldMode == absent || other[c.path]
			}
			return !dirty[c.path]
		})
		if s.err == nil && len(written) > 0 {
			removeLock() // of the killed git, because it wrote files
			s.write(ctx, inUsers, s.root, written)
		}
	}
}

// Push delivers, and pushes the branch of the result with the remotes and credentials of the
// person. In place, it pushes the branch that is checked out. It never forces.
func (s *Space) Push(ctx context.Context) error {
	return s.operate(loop.OpPush, func() {
		s.requireSamePerson(ctx)
		remote, branch, _ := s.target(ctx)
		args := []string{"push", "--porcelain", "--no-follow-tags"}
		if !s.opts.Hooks {
			args = append(args, "--no-verify")
		}
		if tip, _ := s.deliver(ctx); tip != "" {
			s.git(ctx, command{at: inRemote, hooks: s.opts.Hooks,
				args: append(args, "--", remote, tip+":refs/heads/"+branch)})
		}
	})
}

// target returns the remote to which the result is pushed, its branch there, and the branch into
// which a pull request merges it.
func (s *Space) target(ctx context.Context) (remote, branch, base string) {
	const format = "--format=%(push:remotename)%00%(upstream:remoteref)"
	remote, base, _ = strings.Cut(s.users(ctx, "for-each-ref", format, cmp.Or(s.state.Ref, "refs/none")), "\x00")
	branch = s.opts.Branch
	if s.opts.InPlace {
		if branch = short(s.state.Ref); branch == "" {
			s.fail("layout", "HEAD is detached: no branch is checked out")
		}
	}
	return cmp.Or(s.opts.Remote, remote, "origin"), branch, short(cmp.Or(base, s.state.Ref))
}

// OpenPR opens a pull request for the branch of the result, and returns its web address, or that of
// one that is open already.
func (s *Space) OpenPR(ctx context.Context, title, body string) (address string, err error) {
	return operate(s, loop.OpPR, func() string {
		if s.requireSamePerson(ctx); len(s.opts.PR) == 0 {
			s.fail("unset", "no command that opens pull requests is configured")
		}
		_, branch, base := s.target(ctx)
		title, _, _ = strings.Cut(cleanMessage(title, s.run), "\n")
		title = strings.TrimLeft(title, "-") // which would be an option
		values := strings.NewReplacer("{title}", title, "{branch}", branch, "{base}", base)
		for _, argv := range [][]string{s.opts.FindPR, s.opts.PR} {
			if s.err != nil || len(argv) == 0 {
				continue
			}
			filled := slices.Clone(argv)
			for i, arg := range argv[1:] {
				filled[i+1] = values.Replace(arg)
			}
			out := s.program(ctx, filled[0], filled[1:], command{at: inRemote, stdin: cleanMessage(body, s.run)})
			if found := webAddress.FindAllStringSubmatch(out, -1); len(found) > 0 {
				return found[len(found)-1][1]
			}
		}
		return ""
	})
}

// webAddress is a line of a command's output that is a web address.
var webAddress = regexp.MustCompile(`(?m)^\s*(https?://\S+)\s*$`)

// personState returns the parts of the person's repository that an agent could change: HEAD, and
// the content of configuration, hooks, exclusions and attributes, by the names that a person sees.
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

// contents returns the hashes of files, also of those in directories. Names can be relative to dir.
// In the result, the names of files in dir are relative to it.
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
	if head := s.find(ctx, inUsers, "HEAD"); head != tip {
		s.fetch(ctx, s.ref())
		s.users(ctx, "update-ref", "-m", "commit: run "+s.run, "HEAD", tip, head)
	}
	s.users(ctx, "read-tree", tip)
}

// short returns the name of a branch.
func short(ref string) string { return strings.TrimPrefix(ref, "refs/heads/") }
