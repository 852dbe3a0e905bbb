package executor

import (
	"context"
	"encoding/json"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Workspace is a working tree that providers change. Package gittree implements it.
type Workspace interface {
	// Dir returns the root of the working tree.
	Dir() string
	// Open locks the working tree for a run, until Close, and returns it. If a process of the same
	// run died, Open completes the operation that the process had begun. If another run holds the
	// lock, the error is evidence of source "executor" and op "lock".
	Open(ctx context.Context, run string) (Space, error)
}

// Watcher selects files that are watched although git ignores them. A scope selects the files that
// it forbids.
type Watcher interface {
	// Watches reports whether a file is watched.
	Watches(path string) bool
	// WatchesBelow reports whether a file below the directory can be watched; "" is the root.
	WatchesBelow(dir string) bool
}

// PatternWatcher is a [Watcher] that selects files by patterns. A run remembers them, so that a
// process that resumes it with other patterns finds out which files were not watched before.
type PatternWatcher interface {
	Watcher
	// Patterns returns the patterns.
	Patterns() []string
	// WithPatterns returns a watcher that selects files by the patterns of an earlier process.
	WithPatterns(patterns []string) Watcher
}

// Watchable is a [Workspace] that watches the files that a Watcher selects. If the [Guard] is a
// Watcher, [New] passes it to the workspace, so that patterns are configured once.
type Watchable interface {
	Watch(w Watcher)
}

// Space is the working tree of one run. Paths are relative to its root, slash-separated and clean;
// paths of git itself begin with ".git/". Errors should be a *[taxonomy.Evidence] of source "git".
//
// Every method is idempotent: after a process died in it, another call completes it. Trees with
// equal content have equal names.
type Space interface {
	// Seal records the state of the space's internal files, so that their changes are noticed. It
	// is called just before a provider or a check runs.
	Seal(ctx context.Context) error
	// Snapshot stores the content of the working tree and returns its name. It contains the files
	// that git does not ignore, and the ignored ones that a pattern forbids.
	Snapshot(ctx context.Context) (Tree, error)
	// Guard returns the changes of git itself (HEAD, refs, configuration, hooks) since the run
	// began. Each has Git set.
	Guard(ctx context.Context) ([]Change, error)
	// Adopt accepts the current state of git, so that Guard reports later changes only. It is
	// called when a person reopens the run.
	Adopt(ctx context.Context) error
	// Diff returns the differences between two trees, sorted by path.
	Diff(ctx context.Context, from, to Tree) ([]Change, error)
	// Save stores tree, and the state of git itself, under a name of letters, digits and '-'. It
	// never overwrites a ref. If the same content is saved again, Save returns the same ref.
	Save(ctx context.Context, name string, base, tree Tree) (ref string, err error)
	// Restore restores the content that the paths have in the tree to. It changes no other path,
	// and returns the resulting tree. It stores the content that it overwrites.
	Restore(ctx context.Context, to Tree, paths []string) (after Tree, err error)
	// Accept returns a tree with the content of from in the paths, and that of base in all others.
	Accept(ctx context.Context, base, from Tree, paths []string) (Tree, error)
	// Head returns the tree of the last commit's files as they would be checked out.
	Head(ctx context.Context) (Tree, error)
	// Commit commits the paths with their content in the tree, and no other path. If a commit of
	// this run and attempt exists, Commit returns its ID. If the paths do not differ from the last
	// commit, the ID is empty. Ignored files are not committed.
	Commit(ctx context.Context, c Commit) (id string, err error)
	// Push pushes the current branch.
	Push(ctx context.Context) error
	// OpenPR returns the address of the branch's open pull request. If none is open, it opens one.
	OpenPR(ctx context.Context, title, body string) (url string, err error)
	// Close unlocks the working tree. If forget is set, it removes everything that was stored for
	// the run, except saved attempts.
	Close(forget bool) error
	// Discard unlocks the working tree after a dry run. It removes what Open stored, unless another
	// process began the run.
	Discard() error
}

// Tree names a tree of files in a [Space].
type Tree string

// Commit is a commit that a run makes.
type Commit struct {
	// Attempt is the iteration. The commit's trailers contain run and attempt.
	Attempt int
	// Step is the step of a plan whose steps share the working tree; empty in other runs.
	Step string
	Tree Tree
	// Paths are the committed paths, sorted.
	Paths []string
	// Message is the message without trailers.
	Message string
}

// Change is a path that differs between two trees.
type Change struct {
	// Path is relative to the root of the working tree. It may contain any bytes.
	Path string     `json:"path"`
	Kind ChangeKind `json:"kind"`
	// Git marks a change of git itself. It is always forbidden.
	Git bool `json:"git,omitempty"`
	// Escapes marks a symbolic link that leads out of the working tree. It is always forbidden.
	Escapes bool `json:"escapes,omitempty"`
	// Copies is the path of a forbidden file of the old tree whose content the path has now. Such a
	// change is always forbidden.
	Copies string `json:"copies,omitempty"`
	// Ignored marks a file that git ignores. It is judged like any other and never committed.
	Ignored bool `json:"ignored,omitempty"`
	// Revealed marks an Ignored file that no rule ignores any more. The end of the run reports it as
	// uncommitted.
	Revealed bool `json:"revealed,omitempty"`
	// Hash identifies the new content; it is empty for a removed file.
	Hash string `json:"hash,omitempty"`
}

// ChangeKind is how a path changed. A rename is a removal and an addition.
type ChangeKind string

// The kinds of changes.
const (
	Added    ChangeKind = "added"
	Modified ChangeKind = "modified"
	Removed  ChangeKind = "removed"
)

type changeJSON Change

// MarshalJSON returns an object. A path that is not UTF-8 becomes a Go string literal, so that all
// of its bytes are preserved.
func (c Change) MarshalJSON() ([]byte, error) {
	c.Path = quotePath(c.Path)
	return json.Marshal(changeJSON(c))
}

// UnmarshalJSON decodes the result of MarshalJSON.
func (c *Change) UnmarshalJSON(b []byte) (err error) {
	if err = json.Unmarshal(b, (*changeJSON)(c)); err == nil {
		c.Path, err = unquotePath(c.Path)
	}
	return err
}

// Paths are paths in a state. Their JSON preserves all bytes.
type Paths []string

// MarshalJSON returns an array of strings. A path that is not UTF-8 becomes a Go string literal.
func (p Paths) MarshalJSON() ([]byte, error) {
	quoted := make([]string, len(p))
	for i, path := range p {
		quoted[i] = quotePath(path)
	}
	return json.Marshal(quoted)
}

// UnmarshalJSON decodes the result of MarshalJSON.
func (p *Paths) UnmarshalJSON(b []byte) error {
	var quoted []string
	if err := json.Unmarshal(b, &quoted); err != nil {
		return err
	}
	for i, path := range quoted {
		var err error
		if quoted[i], err = unquotePath(path); err != nil {
			return err
		}
	}
	*p = quoted
	return nil
}

func quotePath(p string) string {
	if utf8.ValidString(p) && !strings.HasPrefix(p, `"`) {
		return p
	}
	return strconv.QuoteToASCII(p)
}

func unquotePath(p string) (string, error) {
	if strings.HasPrefix(p, `"`) {
		return strconv.Unquote(p)
	}
	return p, nil
}
