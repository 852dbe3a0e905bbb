package contract_test

import (
	"cmp"
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/taxonomy"
)

// A runner is an implementation of the run loop, with a store of runs or without one.
type runner interface {
	name() string
	// run carries the life's run from where its store has it to the end, and reports how it ended.
	// It calls the world's point before and after each save of the run, "before store" and "after
	// store". Point does not return when the process dies there. After a death run returns nil.
	run(l life) (*outcome, error)
}

// life is one process of a run.
type life struct {
	*story
	ctx   context.Context
	world *world
	// dir is what a store keeps its files in; processes come and go, and it stays.
	dir string
}

// outcome is what a runner reports of a run that ended.
type outcome struct {
	End, Status, Code             string
	Iterations, Failures, Counted int
	EndsRun, Pushed, Resumed      bool
	PullRequest, Question         string
	Uncommitted, Unchecked        []string
	// Errors are the errors that no other try of the same operation has overcome, each as
	// "iteration op code action".
	Errors []string
}

// story is a run, and what it comes to.
type story struct {
	name string
	// reactions is the table; nil is the shipped taxonomy.
	reactions map[string]taxonomy.Reaction
	steps     []step
	// fails are the next failures of operations of the world; nil is a success.
	fails map[string][]error
	host  host
	want  want
}

// step is what the provider does in one call.
type step struct {
	writes  map[string]string // contents by path; "-" removes
	text    string
	session string
	failure string // a failure that has only a text
	err     error
	hangs   bool // until its context ends
	panics  bool
}

// host is how the program that runs the story is configured. The zero value delivers a pull
// request, has a person who says no, and stops after 3 failures in a row or 30 iterations.
type host struct {
	deliver                        delivery
	unattended, yes                bool
	approveUnattended              bool
	continues, dryRun              bool
	iterations, failures, attempts int
	runLimit                       time.Duration
	checkWrites                    map[string]string // what each check writes
	cancelAt                       int               // the call in which the run is cancelled
}

// delivery is how far finished work goes.
type delivery uint8

const (
	deliverPR delivery = iota
	deliverNothing
	deliverCommits
)

// want is what a story comes to. Lists are separated by spaces.
type want struct {
	end, code         string
	calls, iterations int    // 0 iterations means as many as calls, -1 means 0
	counted           int    // failures that counted
	failures          int    // of these, in a row at the end
	commits           string // the files of each commit; ";" is between commits
	waits             string
	uncommitted       string // what the outcome says of files that are in no commit
	unchecked         string
	differs           string         // the files on disk that are not as the last commit has them
	told              map[int]string // what the prompts of calls report; the rest report nothing
	checks            string
	delivered         string // "pushed" or "PR"
	endsRun           bool
	asked, strategies int // how often a person was asked, and strategies ran
}

// statuses are the statuses of ends; every other end is blocked.
var statuses = map[string]string{
	"completed": "completed", "dry_run": "completed", "cancelled": "cancelled",
	"fatal": "failed", "attempts_used_up": "failed", "refused": "failed",
}

// play runs a story from its beginning to its end.
func play(t *testing.T, r runner, s *story) (w *world, o *outcome) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		w = newWorld(s)
		w.cancel = cancel
		var err error
		o, err = r.run(life{s, ctx, w, t.TempDir()})
		require.NoError(t, err)
	})
	require.NotNil(t, o)
	return w, o
}

// TestOutcomes plays each story and compares what it comes to.
func TestOutcomes(t *testing.T) {
	for _, r := range runners() {
		for _, s := range stories() {
			t.Run(r.name()+"/"+s.name, func(t *testing.T) {
				t.Parallel()
				w, o := play(t, r, s)
				assert.Equal(t, s.want, s.seen(w, o), "errors: %q", o.Errors)
				assert.Equal(t, cmp.Or(statuses[o.End], "blocked"), o.Status)
				assert.Empty(t, w.Lost, "reverted without having been saved")
				w.checkFilesNamed(t, o)
			})
		}
	}
}

// TestRunnersAgree compares all that can be observed of each story between two implementations.
func TestRunnersAgree(t *testing.T) {
	all := append(runners(), stores()...)
	for _, other := range all[1:] {
		for _, s := range stories() {
			t.Run(other.name()+"/"+s.name, func(t *testing.T) {
				t.Parallel()
				w1, o1 := play(t, all[0], s)
				w2, o2 := play(t, other, s)
				assert.Equal(t, observed(w1, o1), observed(w2, o2))
			})
		}
	}
}

// observed returns all that can be observed of a run.
func observed(w *world, o *outcome) string {
	return indented(o, w.Disk, w.Head, w.Commits, w.Pushed, w.PRs, w.Calls, w.Waits, w.Checks, w.Asked, w.Notified,
		w.Strategies)
}

// indented returns values as JSON, a line for each.
func indented(values ...any) string {
	b, err := json.MarshalIndent(values, "", " ")
	if err != nil {
		return err.Error()
	}
	return string(b)
}

// seen returns what the story came to in the form of its want.
func (s *story) seen(w *world, o *outcome) want {
	got := want{
		end: o.End, code: o.Code, calls: w.Calls, counted: o.Counted, failures: o.Failures, endsRun: o.EndsRun,
		uncommitted: strings.Join(o.Uncommitted, " "), unchecked: strings.Join(o.Unchecked, " "),
		checks: strings.Join(w.Checks, " "), asked: w.Asked, strategies: w.Strategies,
		differs: strings.Join(w.uncommitted(), " "), commits: w.commits(),
	}
	if o.Iterations != w.Calls {
		got.iterations = cmp.Or(o.Iterations, -1) // 0 means as many as calls
	}
	if w.Pushed > 0 {
		got.delivered = "pushed"
	}
	if w.PRs > 0 {
		got.delivered = "PR"
	}
	var waits []string
	for _, d := range w.Waits {
		waits = append(waits, d.Round(time.Second).String()) // without jitter
	}
	got.waits = strings.Join(waits, " ")
	for i, feedback := range w.Feedback {
		if told := s.want.told[i+1]; feedback != "" || told != "" {
			if got.told == nil {
				got.told = map[int]string{}
			}
			if told != "" && strings.Contains(feedback, told) {
				feedback = told
			}
			got.told[i+1] = feedback
		}
	}
	return got
}

func (w *world) commits() string {
	var all []string
	for _, c := range w.Commits {
		all = append(all, strings.Join(c.Paths, " "))
	}
	return strings.Join(all, "; ")
}

// uncommitted returns the files that are not as the last commit has them, apart from the user's.
func (w *world) uncommitted() (all []string) {
	paths := maps.Clone(w.Head)
	maps.Copy(paths, w.Disk)
	for _, path := range slices.Sorted(maps.Keys(paths)) {
		was, had := w.Head[path]
		is, has := w.Disk[path]
		if (had != has || was != is) && (path != usersFile || is != "mine") {
			all = append(all, path)
		}
	}
	return all
}

// checkFilesNamed checks that a run which delivers commits names each changed file that is in none.
func (w *world) checkFilesNamed(t *testing.T, o *outcome) {
	t.Helper()
	if w.story.host.deliver == deliverNothing || w.Calls == 0 {
		return
	}
	for _, path := range w.uncommitted() {
		named := slices.Contains(o.Uncommitted, path) || slices.Contains(o.Unchecked, path)
		assert.True(t, named || strings.HasPrefix(path, "ignored/"), "the outcome does not name %s", path)
	}
	assert.Equal(t, "mine", w.Disk[usersFile], "the user's own work")
}

// Steps of providers. A path may be followed by "=" and its content.

func done(paths ...string) step  { return step{writes: written(paths), text: "well\nTASK COMPLETE\n"} }
func works(paths ...string) step { return step{writes: written(paths), text: "more to do"} }
func hangs(paths ...string) step { return step{writes: written(paths), hangs: true} }

// breaks is a call that fails with evidence of a type.
func breaks(typ string, paths ...string) step {
	return step{writes: written(paths), err: failure("call", typ)}
}

// raises is a call that fails with an error.
func raises(err error, paths ...string) step { return step{writes: written(paths), err: err} }

func written(paths []string) map[string]string {
	m := map[string]string{}
	for _, p := range paths {
		path, content, ok := strings.Cut(p, "=")
		if !ok {
			content = "content of " + p
		}
		m[path] = content
	}
	return m
}

func failure(op, typ string) error { return &taxonomy.Evidence{Source: "story", Op: op, Type: typ} }

// failing returns the failures of an operation by their types; "" is a success.
func failing(op string, types ...string) map[string][]error {
	var all []error
	for _, typ := range types {
		if typ == "" {
			all = append(all, nil)
		} else {
			all = append(all, failure(op, typ))
		}
	}
	return map[string][]error{op: all}
}
