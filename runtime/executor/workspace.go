package executor

import "context"

// Workspace is the working tree that a provider changes. Paths are relative to its root,
// slash-separated and clean. Its errors are best a *[taxonomy.Evidence] of source "git". A
// Workspace is used by one run at a time.
//
// The checked tree is what was judged: at first the tree as it was found, then with every change
// that was allowed, approved or put back. It knows the files that git ignores too, if a pattern
// forbids them.
type Workspace interface {
	// Dir returns the root of the working tree.
	Dir() string
	// Lock takes the working tree for one run; the returned function lets go of it. Evidence has
	// source "executor" and op "lock", and says who holds it.
	Lock(ctx context.Context, run string) (unlock func() error, err error)
	// Begin records the tree as it is as the checked tree of the run.
	Begin(ctx context.Context, run string) (Checked, error)
	// Resume makes the tree fit for going on with a run that died: it removes what git left locked,
	// if nobody alive holds it.
	Resume(ctx context.Context, run string, checked Checked) error
	// Detect returns what differs from the checked tree, sorted by path. Changes of git itself are
	// among it.
	Detect(ctx context.Context, checked Checked) ([]Change, error)
	// Save keeps the changed files as they are, so that a revert loses nothing, and returns where:
	// a ref that is never overwritten. Saving twice under the same name keeps both.
	Save(ctx context.Context, run string, attempt int, checked Checked, changes []Change) (ref string, err error)
	// Revert puts the changes back to how the checked tree has them: what was added is removed,
	// what was removed or changed is restored. Nothing else is touched. Reverting twice is like
	// reverting once.
	Revert(ctx context.Context, checked Checked, changes []Change) error
	// Advance returns the checked tree with the changes in it as they are on disk now, and keeps it
	// from being collected. The old one stays valid until the next Advance or Release.
	Advance(ctx context.Context, run string, checked Checked, changes []Change) (Checked, error)
	// Commit commits the paths, and nothing else, as the checked tree has them, and returns the
	// commit with those of the paths that it changes. There is none (ID "") when nothing in them
	// differs from the last commit.
	Commit(ctx context.Context, c Commit) (CommitDone, error)
	// Committed returns the commit of this run whose trailers name the attempt, as Commit does; ID
	// "" is none.
	Committed(ctx context.Context, c Commit) (CommitDone, error)
	// Push pushes the current branch.
	Push(ctx context.Context) error
	// OpenPR opens a pull request for the current branch and returns its address.
	OpenPR(ctx context.Context, title, body string) (url string, err error)
	// Release lets go of what was kept for the run besides what Save keeps.
	Release(ctx context.Context, run string) error
}

// Checked names a checked tree; see [Workspace].
type Checked string

// Commit is what is to be committed.
type Commit struct {
	Run     string
	Attempt int
	Checked Checked
	// Paths are what is committed, sorted.
	Paths []string
	// Message is the message without the trailers that name run and attempt.
	Message string
}

// Change is a path that differs from the checked tree.
type Change struct {
	// Path is relative to the root of the working tree. For git itself it begins with ".git/".
	Path string     `json:"path"`
	Kind ChangeKind `json:"kind"`
	// Git marks a change of git itself: HEAD, refs, configuration, hooks, attributes. It is always
	// forbidden.
	Git bool `json:"git,omitempty"`
	// Escapes marks a symbolic link that leads out of the working tree. It is always forbidden.
	Escapes bool `json:"escapes,omitempty"`
	// Ignored marks a file that git ignores. It is judged like any other, and never committed.
	Ignored bool `json:"ignored,omitempty"`
	// Hash identifies the content now; empty for what was removed.
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
