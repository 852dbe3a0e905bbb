package executor

import "context"

// Workspace is where the provider of one run works: a clone of a person's repository, or a working
// tree. Package workspace implements it.
type Workspace interface {
	// Dir returns the root of the run's working tree. It exists after Open, and is the same in every
	// process of the run.
	Dir() string
	// Open makes the working tree of a run, or continues with it, and locks it until Close. If a
	// process of the run died, Open completes the operation that the process had begun. If another
	// process holds the lock, the error is evidence of source "executor" and op "lock".
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

// Clone is a [Workspace] that is a clone of a person's working tree, and outlives the process.
type Clone interface {
	Workspace
	// Root returns the person's working tree. In prompts, paths below it become paths below Dir.
	Root() string
	// Exists reports whether the clone was made, and used whether a call or a check was about to run
	// in it. If the store and the clone do not fit, the executor refuses the run: a state without its
	// clone, and a used clone without its state.
	Exists() (made, used bool)
	// Watch sets the files that are watched. If the [Guard] is a Watcher, [New] passes it, so that
	// patterns are configured once.
	Watch(w Watcher)
}

// Space is the open working tree of one run. Paths are relative to its root, slash-separated and
// clean. Errors should be a *[taxonomy.Evidence] of source "git".
//
// Every method is idempotent: after a process died in it, another call completes it. Trees with
// equal content have equal names. Only Deliver, Forward, Push and OpenPR change anything outside of
// the working tree. A Space can also have a method Warnings() []string: the run reports these warnings
// about what Open found.
type Space interface {
	// BeforeCall is called just before a provider or a check runs. It makes the git of the working
	// tree show the last commit, and notes the state of the person's repository.
	BeforeCall(ctx context.Context) error
	// AfterCall returns one text for each part of the person's repository that changed since
	// BeforeCall. It reverts nothing, because the person may have made the change.
	AfterCall(ctx context.Context) (changed []string, err error)
	// Snapshot stores the content of the working tree and returns its name. It contains the files
	// that git does not ignore, and the ignored ones that a [Watcher] selects.
	Snapshot(ctx context.Context) (Tree, error)
	// Diff returns the differences between two trees, sorted by path.
	Diff(ctx context.Context, from, to Tree) ([]Change, error)
	// Save stores tree under a name of letters, digits and '-'. It never overwrites a ref. If the
	// same content is saved again, Save returns the same ref.
	Save(ctx context.Context, name string, base, tree Tree) (ref string, err error)
	// Restore restores the content that the paths have in the tree to. It changes no other path,
	// and returns the resulting tree. It stores the content that it overwrites.
	Restore(ctx context.Context, to Tree, paths []string) (after Tree, err error)
	// Accept returns a tree with the content of from in the paths, and that of base in all others.
	Accept(ctx context.Context, base, from Tree, paths []string) (Tree, error)
	// Head returns the tree of the last commit's files as they would be checked out.
	Head(ctx context.Context) (Tree, error)
	// Commit commits the paths with their content in the tree, and no other path. If a commit of
	// this run, step and attempt exists, Commit returns its ID. If the paths do not differ from the
	// last commit, the ID is empty. Ignored files are not committed.
	Commit(ctx context.Context, c Commit) (id string, err error)
	// Deliver brings the commits to a branch of the person's repository and returns its name. It
	// never overwrites a branch. If the commits are there already, as in place, the name is empty.
	Deliver(ctx context.Context) (branch string, err error)
	// Forward forwards the branch that the person has checked out to the delivered commits, and
	// removes the delivered branch. If that could overwrite anything, Forward does nothing, and
	// returns why and the command that the person can use.
	Forward(ctx context.Context) (why, next string, err error)
	// Update merges the person's commits into the working tree. If the commits conflict, or files with
	// pending changes are affected, Update changes nothing and returns an error.
	Update(ctx context.Context) error
	// Push pushes the delivered branch.
	Push(ctx context.Context) error
	// OpenPR returns the address of the branch's open pull request. If none is open, it opens one.
	OpenPR(ctx context.Context, title, body string) (url string, err error)
	// Close unlocks the working tree. If forget is set, it removes everything that was stored for
	// the run, except saved attempts and undelivered commits.
	Close(forget bool) error
	// Discard unlocks the working tree after a dry run. It removes what Open stored, unless another
	// process began the run.
	Discard() error
}

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
