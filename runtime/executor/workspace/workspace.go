// Package workspace gives each run a clone of its own, so that a person's repository is only read
// until the result is delivered. [New] names the clone of a run. It is an [executor.Clone].
//
//	w, err := workspace.New(ctx, ".", "run-1", workspace.Options{Share: []string{".env"}})
//	e, err := executor.New(executor.Config{Workspace: w, Guard: guard, …})
//
// The clone is in HOME/REPOSITORY-HASH/RUN, outside of the person's working tree:
//
//	tree/       where the agent and the checks work. tree/.git is a throw-away repository; no command
//	            of this package reads it, so nothing in it has to be guarded
//	git/        the repository of the run, with linked objects. Only this package uses it
//	run.json    the beginning of the run, and operations that are under way. A clone without it is
//	            not complete
//	old/        each .git that an agent changed or planted
//
// Changes are found with git status, reverted with git checkout-index and committed with git
// commit-tree, all with GIT_DIR=git and GIT_WORK_TREE=tree. With [Options.InPlace], tree/ is the
// person's working tree.
//
// Every operation is idempotent: if the process is killed, repeating the operation in another
// process leads to the state of one undisturbed run. Errors are *[taxonomy.Evidence] of source
// "git", or the error of the context.
package workspace

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/executor/internal/filelock"
	"github.com/errgen/errgen/runtime/executor/internal/loop"
)

// Options configure a [Workspace]. The zero Options are complete.
type Options struct {
	// Binary is the git to run: a path, or a name in PATH. Empty is "git". It must be 2.38 or
	// later.
	Binary string
	// Timeout limits each git command; 0 is 5 minutes.
	Timeout time.Duration
	// InPlace makes the agent work in the person's working tree, which must be clean. It is meant
	// for containers of CI. Home still contains the run's repository; Base, Branch, Share, Link and
	// Setup have no effect.
	InPlace bool
	// Home contains the clones of all repositories. If it is on the disk of the repository, objects
	// are linked. Empty is errgen/trees in the user's state directory.
	Home string
	// Base is the commit with which the run begins; empty is the one that is checked out.
	Base string
	// Branch is the branch of the result in the person's repository; empty is errgen/RUN.
	Branch string
	// Watch selects files that are part of every tree although git ignores them. [executor.New]
	// sets it to the files that the scope forbids.
	Watch executor.Watcher
	// Share are ignored files and directories that are copied into the clone. Link are those that
	// are linked, so that a change in the clone is a change of the person's files. Missing ones are
	// skipped.
	Share, Link []string
	// Setup are commands that complete the clone, such as {"npm", "ci"}.
	Setup [][]string
	// Leftover returns the warning of a new run about an earlier clone whose State is "dead" or
	// "delivered". If the text is empty, there is no warning. The default warns of dead clones,
	// with [Clone.Commands].
	Leftover func(Clone) string
	// Hooks runs the person's pre-commit, commit-msg and pre-push hooks. Otherwise no hook runs.
	Hooks bool
	// Remote is where Push pushes; empty is where the branch of the beginning is pushed, or
	// "origin".
	Remote string
	// PR is the command that opens a pull request, and its arguments, in which {title}, {branch}
	// and {base} are replaced. The body is the standard input. The last web address in the output
	// is the pull request's.
	PR []string
	// FindPR is the command that prints the web address of the branch's open pull request, if there
	// is one. It has the form of PR. Without it, opening a pull request twice runs PR twice.
	FindPR []string
}

// Workspace is the clone of one run. It implements [executor.Clone].
type Workspace struct {
	opts   Options
	run    string
	root   string // the person's working tree
	user   string // its git directory
	common string // the git directory of all working trees of the repository
	home   string // the directory of the run
}

var _ executor.Clone = (*Workspace)(nil)

// New names the clone of a run of the repository that dir is in. It changes nothing.
func New(ctx context.Context, dir, run string, opts Options) (*Workspace, error) {
	opts.Binary, opts.Timeout = cmp.Or(opts.Binary, "git"), cmp.Or(max(opts.Timeout, 0), 5*time.Minute)
	opts.Branch = cmp.Or(opts.Branch, "errgen/"+run)
	if opts.Leftover == nil {
		opts.Leftover = describeLeftover
	}
	w := &Workspace{opts: opts, run: run}
	s := &Space{Workspace: w}
	return w, s.operate(loop.OpPrepare, func() { s.locate(ctx, dir) })
}

func (s *Space) locate(ctx context.Context, dir string) {
	if filelock.CheckName(s.run) != nil {
		s.fail("name", filelock.NameExpected)
	}
	s.git(ctx, command{at: anywhere, dir: dir, typ: "name",
		args: []string{"check-ref-format", "--branch", s.opts.Branch}})
	places := strings.Split(s.git(ctx, command{at: anywhere, dir: dir, args: []string{"rev-parse",
		"--path-format=absolute", "--show-toplevel", "--git-dir", "--git-common-dir"}}), "\n")
	if len(places) != 3 {
		s.fail("layout", "the path of the working tree contains a line end", dir)
		return
	}
	s.root, s.user = filepath.FromSlash(places[0]), filepath.FromSlash(places[1])
	s.common = filepath.FromSlash(places[2])
	state := os.Getenv("XDG_STATE_HOME")
	if user, err := os.UserHomeDir(); state == "" && err == nil {
		state = filepath.Join(user, ".local", "state")
	}
	home := cmp.Or(s.opts.Home, filepath.Join(state, "errgen", "trees"))
	sum := sha256.Sum256([]byte(s.root))
	s.home = filepath.Join(home, filepath.Base(s.root)+"-"+hex.EncodeToString(sum[:4]), s.run)
	if _, in := inside(s.root, s.home); in || !filepath.IsAbs(home) {
		s.fail("layout", "the directory of clones is in the working tree, or is not an absolute path: "+home, home)
	}
}

// Dir returns where the agent works. It is the same for each process of the run, so that a provider
// finds its session again.
func (w *Workspace) Dir() string {
	if w.opts.InPlace {
		return w.root
	}
	return filepath.Join(w.home, "tree")
}

// Root returns the person's working tree.
func (w *Workspace) Root() string { return w.root }

// Home returns the directory of the run.
func (w *Workspace) Home() string { return w.home }

// Exists reports whether the clone was made, and whether a call or a check ran in it. It may be in
// use.
func (w *Workspace) Exists() (made, used bool) {
	s := &Space{Workspace: w}
	s.readState()
	made = exists(s.file("run.json"))
	return made, made && (s.err != nil || s.state.Used)
}

// Watch sets [Options.Watch], for patterns that depend on the root. Call it before Open.
func (w *Workspace) Watch(watcher executor.Watcher) { w.opts.Watch = watcher }

func (w *Workspace) file(name string) string { return filepath.Join(w.home, filepath.FromSlash(name)) }

func (w *Workspace) gitDir() string { return w.file("git") }

// ref is the branch of the run in its repository, and of the result in the person's.
func (w *Workspace) ref() string { return "refs/heads/" + w.opts.Branch }
