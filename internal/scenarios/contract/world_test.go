package contract_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// world is everything outside of a run: the files, the provider, the checks, a person and the
// clock. It is data, because it outlives the processes of a run.
type world struct {
	story *story
	// point is called before and after each effect and each save.
	point func(what string)
	// cancel cancels the run.
	cancel context.CancelFunc

	Now        time.Time
	Disk       map[string]string // contents by path; .git/ is git itself, ignored/ is ignored by git
	Head       map[string]string // the last commit
	Trees      map[string]map[string]string
	Blobs      map[string]string // contents by hash
	SavedWork  map[string][]change
	Commits    []commit
	Pushed     int // commits that are pushed
	PRs        int
	Calls      int
	Feedback   []string // of each call
	Waits      []time.Duration
	Checks     []string
	Asked      int
	Strategies int
	Notified   int
	Used       progress
	// Lost are the paths that were reverted without having been saved.
	Lost []string
}

// progress is how far the script of a story has been played.
type progress struct {
	Step  int
	Fails map[string]int // failures by operation
}

func (p progress) clone() progress { return progress{p.Step, maps.Clone(p.Fails)} }

// change is a path of the working tree that differs from a tree.
type change struct{ Path, Kind, Hash string }

func (c change) git() bool     { return strings.HasPrefix(c.Path, ".git/") }
func (c change) ignored() bool { return strings.HasPrefix(c.Path, "ignored/") }

// commit is a commit that an attempt of a run has made.
type commit struct {
	ID, Run string
	Attempt int
	Paths   []string
}

// The files at the start: one is committed, and a person works on another.
const (
	committedFile = "old"
	usersFile     = "dirty"
)

func newWorld(s *story) *world {
	return &world{
		story: s, point: func(string) {}, Now: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC),
		Disk: map[string]string{committedFile: "old", usersFile: "mine"}, Head: map[string]string{committedFile: "old"},
		Trees: map[string]map[string]string{}, Blobs: map[string]string{}, SavedWork: map[string][]change{},
		Used: progress{Fails: map[string]int{}},
	}
}

// fail returns the next failure of an operation.
func (w *world) fail(op string) error {
	queue, n := w.story.fails[op], w.Used.Fails[op]
	if n >= len(queue) {
		return nil
	}
	w.Used.Fails[op]++
	return queue[n]
}

// effect carries an operation out between two points, unless it fails.
func (w *world) effect(op string, do func()) error {
	w.point("before " + op)
	err := w.fail(op)
	if err == nil {
		do()
	}
	w.point("after " + op)
	return err
}

func digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:6])
}

func (w *world) keep(files map[string]string) (tree string) {
	b, _ := json.Marshal(files) // a map of strings can always be encoded
	tree = digest(string(b))
	w.Trees[tree] = maps.Clone(files)
	return tree
}

func (w *world) lock() error { return w.effect("lock", func() {}) }

func (w *world) save(run string, attempt int, changes []change) (ref string, err error) {
	err = w.effect("save", func() {
		ref = fmt.Sprintf("refs/%s/%d/%s", run, attempt, digest(fmt.Sprint(changes)))
		w.SavedWork[ref] = slices.Clone(changes)
	})
	return ref, err
}

// revert restores the changed paths one after the other, so that a kill may come in between.
func (w *world) revert(tree string, changes []change) error {
	return w.effect("revert", func() {
		for _, c := range changes {
			was, had := w.Trees[tree][c.Path]
			now, has := w.Disk[c.Path]
			if had == has && was == now {
				continue
			}
			saved := slices.ContainsFunc(slices.Collect(maps.Values(w.SavedWork)),
				func(all []change) bool { return slices.Contains(all, c) })
			if has && (!saved || digest(now) != c.Hash) {
				w.Lost = append(w.Lost, c.Path)
			}
			if delete(w.Disk, c.Path); had {
				w.Disk[c.Path] = was
			}
			w.point("reverted " + c.Path)
		}
	})
}

// accept returns the tree with the changes in it.
func (w *world) accept(tree string, changes []change) (next string, err error) {
	err = w.effect("accept", func() {
		files := maps.Clone(w.Trees[tree])
		for _, c := range changes {
			if delete(files, c.Path); c.Kind != "removed" {
				files[c.Path] = w.Blobs[c.Hash]
			}
		}
		next = w.keep(files)
	})
	return next, err
}

func (w *world) committed(run string, attempt int) (commit, bool) {
	for _, c := range w.Commits {
		if c.Run == run && c.Attempt == attempt {
			return c, true
		}
	}
	return commit{}, false
}

// commitPaths commits the paths as the tree has them. An attempt is committed once.
func (w *world) commitPaths(run string, attempt int, tree string, paths []string) (c commit, err error) {
	if c, done := w.committed(run, attempt); done {
		return c, nil
	}
	err = w.effect("commit", func() {
		for _, path := range paths {
			content, has := w.Trees[tree][path]
			was, had := w.Head[path]
			if had == has && was == content {
				continue
			}
			if delete(w.Head, path); has {
				w.Head[path] = content
			}
			c.Paths = append(c.Paths, path)
		}
		if len(c.Paths) > 0 {
			c.ID, c.Run, c.Attempt = fmt.Sprint("commit-", len(w.Commits)+1), run, attempt
			w.Commits = append(w.Commits, c)
		}
	})
	return c, err
}

func (w *world) push() error { return w.effect("push", func() { w.Pushed = len(w.Commits) }) }

func (w *world) openPR() (url string, err error) {
	return "https://example.com/pr/1", w.effect("pr", func() { w.PRs = 1 })
}

// call plays the next step of the story, or the last one again.
func (w *world) call(ctx context.Context, feedback string) (step, error) {
	w.point("before call")
	s := w.story.steps[min(w.Used.Step, len(w.story.steps)-1)]
	w.Calls, w.Used.Step, w.Feedback = w.Calls+1, w.Used.Step+1, append(w.Feedback, feedback)
	if w.Calls == w.story.host.cancelAt {
		w.cancel()
	}
	w.write(s.writes)
	w.point("after call")
	if s.hangs {
		<-ctx.Done()
		return step{}, context.Cause(ctx)
	}
	if s.panics {
		panic("the provider panics")
	}
	return s, s.err
}

func (w *world) write(files map[string]string) {
	for path, content := range files {
		if delete(w.Disk, path); content != "-" {
			w.Disk[path] = content
		}
	}
}

// verdict is the scope of all stories: the first directory of a path decides.
func (w *world) verdict(c change) string {
	dir, _, _ := strings.Cut(c.Path, "/")
	if c.git() {
		return "forbidden"
	}
	return dir
}

func (w *world) ask() (yes bool) {
	w.point("before ask")
	w.Asked++
	w.point("after ask")
	return w.story.host.yes
}

// check runs the check of a phase, which may write files.
func (w *world) check(phase string) error {
	w.Checks = append(w.Checks, strings.TrimPrefix(phase, "pre_"))
	w.write(w.story.host.checkWrites)
	return w.effect("validate_"+phase, func() {})
}

// sleep lets no real time pass.
func (w *world) sleep(ctx context.Context, d time.Duration) error {
	w.point("before wait")
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	w.Now = w.Now.Add(max(0, d))
	w.Waits = append(w.Waits, d)
	w.point("after wait")
	return nil
}
