package workspace

import (
	"context"
	"errors"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/internal/filelock"
	"github.com/errgen/errgen/runtime/scope"
)

func ofGit(p string) bool { return scope.GitOwned(p) }

// inside reports whether p is clean, relative and within the working tree.
func inside(p string) bool {
	return p != "." && path.Clean(p) == p && strings.IndexByte(p, 0) < 0 && filepath.IsLocal(filepath.FromSlash(p))
}

// Bounds on what messages list and quote.
const (
	maxFaults = 50
	maxQuoted = 200 // bytes
)

// Options say how a [Git] works. The zero Options are complete.
type Options struct {
	// Binary is the git to run: a path, or a name that is looked up in PATH once. Empty is "git".
	Binary string
	// Timeout is how long one git command may take; 5 minutes.
	Timeout time.Duration
	// Env are further variables ("NAME=value") of every command that is run, hooks and [Options.PR]
	// included.
	Env []string
	// Watch says which files are looked at although git ignores them: those that must not change.
	// Nil watches none. A [Scope] is one. It can also be set by [Git.Watch].
	Watch Watcher
	// Secret reports whether a file may hold a secret, so that its content is never put into git's
	// object store except by a commit of it. Nil is [SecretPath].
	Secret func(path string) bool
	// KeepLimit is how many bytes of watched files that git ignores are kept so that they can be
	// put back; 256 MiB. A change of what was not kept is seen, but cannot be taken back.
	KeepLimit int64
	// MaxChanges is how many changes may be found at once; 100 000. More are a failure.
	MaxChanges int
	// Hooks has the user's own pre-commit, commit-msg and pre-push hooks run by commits and pushes,
	// as they were at [Git.Begin]. Otherwise no hook runs.
	Hooks bool
	// Remote is where to push if the branch has no upstream; "origin".
	Remote string
	// PR is the command that opens a pull request, and its arguments. In an argument {title},
	// {branch} and {base} are replaced; an argument that begins with one is refused, since its
	// value could be an option. The body is its standard input. The last line of its output that is
	// a web address is the address of the pull request. Without it no pull request can be opened.
	PR []string
}

// Watcher says which paths are looked at although git ignores them.
type Watcher interface {
	// Watches reports whether a file is looked at.
	Watches(path string) bool
	// WatchesBelow reports whether any path below a directory may be; "" is the root.
	WatchesBelow(dir string) bool
}

// Git is a working tree under git, as an [executor.Workspace]. It runs the git command. Its errors
// are
// *taxonomy.Evidence. Make it with [Open].
//
// What it keeps is in the directory errgen of git's own directory, readable by the owner only, and
// under refs/errgen. What it finds out about changed files it finds out by reading them: no
// configuration, hook, filter or attribute that a change has brought can run before it was judged.
//
// The content of files is compared, kept and put back byte for byte. Only commits convert line ends
// and run the filters of the user's configuration.
type Git struct {
	opts   Options
	binary string
	root   string // of the working tree
	dir    string // git's directory of this working tree
	common string // git's directory of all working trees
	home   string // errgen's directory in dir
	algo   string // "sha1" or "sha256"

	mu          sync.Mutex
	snaps       map[executor.Checked]*snapshot
	last        *snapshot // the one that was used last
	states      map[string]*state
	cache       map[string]stamp     // of files by path
	passed      map[string]bool      // new files and directories that git ignores by rules that were checked
	sameIndex   indexPair            // what was compared last
	sameModules map[string]indexPair // of submodules
	wholeLogs   map[string]stamp     // reflogs that have all that they had
	patience    time.Duration        // in which a lock of a dead process is waited for
	made        bool                 // the shadow repository is there
}

var _ executor.Workspace = (*Git)(nil)

// Open returns the working tree that dir is in. It starts git but changes nothing.
func Open(ctx context.Context, dir string, opts Options) (*Git, error) {
	opts = opts.withDefaults()
	if err := checkPR(opts.PR); err != nil {
		return nil, fault(opPR, err.Error(), nil, err)
	}
	binary, err := lookUp(opts.Binary)
	if err != nil {
		return nil, fault(opPrepare, "", nil, err)
	}
	g := &Git{
		opts: opts, binary: binary,
		snaps: map[executor.Checked]*snapshot{}, states: map[string]*state{},
		cache: map[string]stamp{}, sameModules: map[string]indexPair{}, wholeLogs: map[string]stamp{},
		passed: map[string]bool{}, patience: filelock.DefaultPatience,
	}
	abs, err := filepath.Abs(dir)
	if err != nil {
		return nil, fault(opPrepare, "", []string{dir}, err)
	}
	if err := g.locate(ctx, abs); err != nil {
		return nil, err
	}
	return g, nil
}

func (o Options) withDefaults() Options {
	if o.Binary == "" {
		o.Binary = "git"
	}
	if o.Timeout <= 0 {
		o.Timeout = 5 * time.Minute
	}
	if o.Secret == nil {
		o.Secret = SecretPath
	}
	if o.KeepLimit <= 0 {
		o.KeepLimit = 256 << 20
	}
	if o.MaxChanges <= 0 {
		o.MaxChanges = 100_000
	}
	if o.Remote == "" {
		o.Remote = "origin"
	}
	return o
}

// Dir returns the root of the working tree, absolute and without symbolic links.
func (g *Git) Dir() string { return g.root }

// GitDir returns git's directory of this working tree, absolute: a place where neither git nor a
// run looks for changes, below a name of one's own. A journal can be there.
func (g *Git) GitDir() string { return g.dir }

// Watch sets [Options.Watch], for a watcher that can only be made once the root is known. It comes
// before Begin and Resume.
func (g *Git) Watch(w Watcher) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.opts.Watch = w
}

// path returns where a path of the working tree is.
func (g *Git) path(p string) string {
	if p == "" {
		return g.root
	}
	return g.root + string(filepath.Separator) + filepath.FromSlash(p)
}

// missing reports whether err says that a file, or a directory above it, is not there.
func missing(err error) bool { return errors.Is(err, os.ErrNotExist) || isNotDir(err) }
