package escalate_test

import (
	"context"
	"encoding/json"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/escalate"
	"github.com/errgen/errgen/runtime/escalate/plan"
	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// failingCommits is a working tree in which the first commits fail.
type failingCommits struct {
	executor.Workspace
	times int
}

func (f *failingCommits) Commit(ctx context.Context, c executor.Commit) (executor.CommitDone, error) {
	if f.times--; f.times >= 0 {
		return executor.CommitDone{}, errors.New("nobody knows who commits")
	}
	return f.Workspace.Commit(ctx, c)
}

// B-O10: what cannot be committed does not count, if commits are wanted.
func TestCommitThatFails(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.cfg.Commit, w.cfg.Calls.Workspace = true, &failingCommits{w.cfg.Calls.Workspace, 1}
	w.tiers["low"].script = []turn{does("report.md", "found")}
	w.tiers["mid"].script = []turn{simply("who am I", ""), does("report.md", "found", "more.md", "x")}
	res := w.run(oneStep())
	require.Equal(t, escalate.EndCompleted, res.EndReason, res.Error)
	first := res.Steps[0].Attempts[0]
	assert.False(t, first.Counts)
	assert.Contains(t, first.Message, "nobody knows who commits")
	assert.Equal(t, "mid", res.Steps[0].By)
	assert.Equal(t, "Step 2.3: Report 2.3\nbegin", w.git("log", "--format=%s"))
	assert.Empty(t, w.git("status", "--porcelain"))
}

func TestCommitThatAlwaysFails(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.cfg.Commit, w.cfg.Calls.Workspace = true, &failingCommits{w.cfg.Calls.Workspace, 9}
	w.tiers["low"].script = []turn{does("report.md", "found")}
	w.tiers["mid"].script = []turn{complexly("who am I", "")}
	w.tiers["top"].script = []turn{complexly("who am I", "")}
	res := w.run(oneStep())
	require.Equal(t, escalate.EndQuestion, res.EndReason, res.Error)
	assert.Equal(t, escalate.StepBlocked, res.Steps[0].State)
	assert.Empty(t, w.git("status", "--porcelain"))
}

// A tree that takes whatever is there for what was judged, as a poor one may: what a check has
// changed meanwhile is seen before that.
func TestChecksChangeWhatWasJudged(t *testing.T) {
	t.Parallel()
	w := bareWorld(t, tablesOf(rowsOfTests(), tiersOfTests()...))
	w.tree = newMemoryTree()
	w.cfg.Calls.Workspace = w.tree
	w.gate = func() {
		w.write("report.md", "found, and formatted")
		w.gate = nil
	}
	w.tiers["low"].script = []turn{does("report.md", "found")}
	w.tiers["mid"].script = []turn{simply("the formatter", ""), does("report.md", "found well")}
	res := w.run(oneStep())
	require.Equal(t, escalate.EndCompleted, res.EndReason, res.Error)
	assert.Equal(t, "unclean", res.Steps[0].Attempts[0].Code)
	assert.Equal(t, "found well", w.read("report.md"))
}

// lateWriter is a working tree that something is written to while the work is made to count.
type lateWriter struct {
	executor.Workspace
	write func()
}

func (l *lateWriter) Advance(ctx context.Context, run string, checked executor.Checked, changes []executor.Change) (
	executor.Checked, error) {
	next, err := l.Workspace.Advance(ctx, run, checked, changes)
	l.write()
	return next, err
}

func TestSomethingIsWrittenAtTheLastMoment(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	once := true
	w.cfg.Calls.Workspace = &lateWriter{w.cfg.Calls.Workspace, func() {
		if once {
			w.write("late.txt", "x")
		}
		once = false
	}}
	w.tiers["low"].script = []turn{does("report.md", "found")}
	w.tiers["mid"].script = []turn{simply("a daemon", ""), does("report.md", "found")}
	res := w.run(oneStep())
	require.Equal(t, escalate.EndCompleted, res.EndReason, res.Error)
	assert.Equal(t, "unclean", res.Steps[0].Attempts[0].Code)
	assert.False(t, w.exists("late.txt"))
}

// Whoever reads that files are wrong reads which, and what to do about it.
func TestFilesAreNamed(t *testing.T) {
	t.Parallel()
	rows := rowsOfTests()
	for _, code := range []string{"unclean", "unclassified"} {
		row := rows[code]
		row.reaction = rows["halt"].reaction
		rows[code] = row
	}
	for _, tt := range []struct {
		name, message, needed string
		world                 func(w *world)
	}{
		{"one left behind", "unclean: 1 file is not as it was judged (coverage.out)",
			"what checks write belongs where git ignores it: coverage.out", func(w *world) {
				w.gate = func() { w.write("coverage.out", "x") }
			}},
		{"many left behind",
			"unclean: 7 files are not as they were judged (1.out, 2.out, 3.out, 4.out, 5.out and 2 more)",
			"1.out, 2.out", func(w *world) {
				w.gate = func() {
					for _, name := range []string{"1", "2", "3", "4", "5", "6", "7"} {
						w.write(name+".out", "x")
					}
				}
			}},
		{"forbidden", "(secret.txt)",
			"not the agent's to change. Permit it, or change them by hand if that is needed: secret.txt",
			func(w *world) {
				w.cfg.Calls.Guard = forbidding("secret.txt")
			}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.tables = tablesOf(rows, tiersOfTests()...)
			w.cfg.Calls.Table, w.cfg.Calls.Classify, w.cfg.Calls.Decode = taxonomy.Table{Taxonomy: w.tables.taxonomy},
				w.tables.classify, w.tables.decode
			tt.world(w)
			w.tiers["low"].script = []turn{does("report.md", "found", "secret.txt", "x")}
			res := w.run(oneStep())
			require.Equal(t, escalate.EndBlocked, res.EndReason, res.Error)
			assert.Contains(t, res.Steps[0].Attempts[0].Message, tt.message)
			require.NotEmpty(t, res.Question.Needed)
			assert.Contains(t, res.Question.Needed[0], tt.needed)
		})
	}
}

// What is wrong with the form of an answer is said first, and all that was said stays behind it.
func TestAnswersOfTheWrongForm(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	delete(w.cfg.Calls.Tiers, "low")
	w.tiers["mid"].script = []turn{func(_ context.Context, _ *scripted, prompt string) (string, error) {
		return block(prompt, `"status":"failed","exit_code":"one"`), nil
	}}
	w.tiers["top"].script = []turn{func(_ context.Context, _ *scripted, prompt string) (string, error) {
		return block(prompt, `"verdict":"complex","needed":{"a":"b"}`), nil
	}}
	res := w.run(oneStep())
	require.Equal(t, escalate.EndQuestion, res.EndReason, res.Error)
	all := res.Steps[0].Attempts
	assert.Contains(t, all[0].Message, `read the report: exit_code: `)
	assert.Contains(t, w.tiers["top"].prompts[0], "This is what I found.\n", "O20: it is passed on")
	assert.Contains(t, all[1].Message, `read the diagnosis: needed: `)
}

// Retried says that something is tried again, and nothing else.
func TestEventsOfAStrategy(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		err  error
		want []string
	}{
		{"helps", nil, []string{"recovered low", "retried low"}},
		{"fails", assert.AnError, []string{"recovered low", "escalated mid"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.cfg.Calls.Recoverer = &sweeper{errs: []error{tt.err}}
			w.tiers["low"].script = []turn{saysFailed("clean: full"), does("report.md", "found")}
			w.tiers["mid"].script = []turn{simply("sweep it", ""), does("report.md", "found")}
			require.Equal(t, escalate.EndCompleted, w.run(oneStep()).EndReason)
			assert.Equal(t, tt.want, w.kinds(escalate.Recovered, escalate.Retried, escalate.Escalated))
		})
	}
}

// An address may hold a key, and a verifier may return nothing.
func TestSecretsInPrerequisites(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := oneStep()
	p.Prerequisites = []plan.Prerequisite{{Kind: plan.Variable, Name: "DSN", Doc: "password=hunter2secret"}}
	res := w.run(p)
	require.Equal(t, escalate.EndPlan, res.EndReason, res.Error)
	text, err := json.Marshal(res)
	require.NoError(t, err)
	assert.NotContains(t, string(text), "hunter2secret")
	assert.Equal(t, "DSN", res.Prerequisites[0].Prerequisite.Name)
}

type lessAsked struct {
	*scripted
	reduced []bool
}

func (l *lessAsked) Call(ctx context.Context, req executor.Request) (executor.Answer, error) {
	l.reduced = append(l.reduced, req.Reduced)
	return l.scripted.Call(ctx, req)
}

// O13: a retry with less context is one: what was tried before is left out, and so is most of a
// long report.
func TestReducedSession(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name    string
		purpose taxonomy.Purpose
	}{{"at once", taxonomy.PurposeNone}, {"after a diagnosis", taxonomy.PurposeDiagnosis}} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			rows := rowsOfTests()
			flaky := rows["flaky"]
			flaky.reaction.Session, flaky.reaction.Purpose, flaky.reaction.To = taxonomy.SessionReduced, tt.purpose,
				"mid"
			rows["flaky"] = flaky
			w := newWorld(t)
			w.tables = tablesOf(rows, tiersOfTests()...)
			w.cfg.Calls.Table, w.cfg.Calls.Classify, w.cfg.Calls.Decode = taxonomy.Table{Taxonomy: w.tables.taxonomy},
				w.tables.classify, w.tables.decode
			long := "flaky: it overflows\n" + longReport()
			w.tiers["low"].script = []turn{saysFailed(long), saysFailed("missing: a file"), does("report.md", "found")}
			w.tiers["mid"].script = []turn{simply("leave the logs out", ""), simply("b", ""),
				does("report.md", "found")}
			if tt.purpose == taxonomy.PurposeNone {
				w.tiers["mid"].script = w.tiers["mid"].script[1:]
			}
			low := &lessAsked{scripted: w.tiers["low"]}
			w.cfg.Calls.Tiers["low"] = low
			res := w.run(oneStep())
			require.Equal(t, escalate.EndCompleted, res.EndReason, res.Error)
			assert.Equal(t, []bool{false, true}, low.reduced)
			again := low.prompts[1]
			assert.NotContains(t, again, "This was tried so far.")
			assert.NotContains(t, again, longReport())
			assert.Less(t, len(again), 12<<10)
			if tt.purpose != taxonomy.PurposeNone {
				assert.Contains(t, again, "leave the logs out")
				assert.Contains(t, w.tiers["mid"].prompts[0], longReport(),
					"whoever looks for the cause sees all of it")
			}
			last := w.tiers["mid"].prompts[len(w.tiers["mid"].prompts)-1]
			assert.Contains(t, last, "This was tried so far.", "the next tier is told everything")
		})
	}
}

func longReport() string {
	text := ""
	for i := range 600 {
		text += "line " + string(rune('a'+i%26)) + " of what was printed\n"
	}
	return text + "the end"
}
