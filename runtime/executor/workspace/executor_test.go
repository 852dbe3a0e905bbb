package workspace_test

import (
	"context"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/gen/errs"
	"github.com/errgen/errgen/runtime/detect"
	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/executor/scope"
	"github.com/errgen/errgen/runtime/executor/workspace"
)

// agent is a provider that runs one script a call, and reports the end with the last.
type agent struct {
	scripts []string
	prompt  string // of the last call
}

func (*agent) Name() string                    { return "agent" }
func (*agent) Available(context.Context) error { return nil }
func (a *agent) Call(_ context.Context, req executor.Request) (executor.Answer, error) {
	a.prompt = req.Prompt
	_, err := shell(req.Dir, a.scripts[0])
	a.scripts = a.scripts[1:]
	answer := executor.Answer{Text: "done"}
	if len(a.scripts) == 0 {
		answer.Signal = executor.SignalDone
	}
	return answer, err
}

// TestExecutor reverts two forbidden attempts. The second one hides the secret under an allowed name.
// It commits the rest, and forwards the person's branch.
func TestExecutor(t *testing.T) {
	t.Parallel()
	r := newRepo(t, "")
	ctx, dir := t.Context(), r.dir
	guard, err := scope.New(
		scope.Config{Allowed: []string{"src/**"}, Forbidden: []string{".env", "**/*.pem"}})
	require.NoError(t, err)
	clone, err := workspace.New(ctx, dir, "run-1", workspace.Options{Share: []string{".env"}})
	require.NoError(t, err)
	provider := &agent{scripts: []string{
		"echo S > src/s.txt; echo stolen > .env; git add -A; git commit -qm evil; git config core.fsmonitor " +
			"'touch ../ran'",
		"cp .env src/notes.txt",
		"test \"$(git log --format=%s)\" = first; echo n > src/new.txt",
	}}
	e, err := executor.New(executor.Config{
		Table: errs.Table, Classify: detect.Classifier(errs.Explain), Deliver: executor.DeliverCommits,
		Decode:    func(b []byte) (error, error) { return errs.UnmarshalError(b) },
		Provider:  provider,
		Workspace: clone,
		Guard:     guard,
	})
	require.NoError(t, err)
	result := e.Run(ctx, executor.Task{Run: "run-1", ID: "1", Title: "Work", Prompt: "Work in " + dir + "/src."})
	require.Equal(t, executor.EndCompleted, result.EndReason, "%v %v", result.Error, result.Errors)
	require.Len(t, result.Errors, 2)
	for _, e := range result.Errors {
		assert.Equal(t, "SCOPE_FORBIDDEN", e.Code)
	}
	assert.Equal(t, "Work\nfirst", r.sh("git log --format=%s"))
	assert.Equal(t, "PASSWORD=secret\nn\nS", r.sh("cat .env src/new.txt src/s.txt; test ! -e src/notes.txt"))
	assert.Equal(t, " M dirty.txt\nAM staged.txt\n?? mine.txt", r.sh("git status --porcelain"))
	assert.NoFileExists(t, filepath.Join(clone.Home(), "ran"))
	assert.Contains(t, provider.prompt, "Work in "+clone.Dir()+"/src.\n")
	assert.Contains(t, provider.prompt, "\nYou work in a clone of "+dir+": ")
}

// eventLog keeps the events of a run.
type eventLog []executor.Event

func (l *eventLog) Observe(e executor.Event) { *l = append(*l, e) }

// TestLeftoverWithoutStore begins a run while another one has not ended. Neither has a store. The new
// run names the other before its first call, with commands that show and remove it.
// Without its store it cannot be continued.
func TestLeftoverWithoutStore(t *testing.T) {
	t.Parallel()
	r := newRepo(t, "")
	home := filepath.Join(t.TempDir(), "trees")
	var events eventLog
	run := func(name string, scripts ...string) *executor.Result {
		clone, err := workspace.New(t.Context(), r.dir, name, workspace.Options{Home: home})
		require.NoError(t, err)
		events = nil
		e, err := executor.New(executor.Config{
			Table: errs.Table, Classify: detect.Classifier(errs.Explain), Provider: &agent{scripts: scripts},
			Workspace: clone, Deliver: executor.DeliverCommits, Limits: executor.Limits{Iterations: 1},
			Observer: &events,
		})
		require.NoError(t, err)
		return e.Run(t.Context(), executor.Task{Run: name, ID: name, Title: "Work", Prompt: "Work."})
	}
	require.Equal(t, executor.EndMaxIterations, run("one", "echo hi > greet.txt; exit 1", "").EndReason)
	second := run("two", "true")
	kinds := make(map[executor.EventKind]int)
	for i, e := range events {
		if _, seen := kinds[e.Kind]; !seen {
			kinds[e.Kind] = i
		}
	}
	assert.Less(t, kinds[executor.Warned], kinds[executor.CallStarted])
	i := slices.IndexFunc(second.Warnings, func(w string) bool { return strings.HasPrefix(w, "run one has not ended") })
	require.GreaterOrEqual(t, i, 0, second.Warnings)
	advice := regexp.MustCompile(`begin it again by its name, with its store; (.*) shows its work, (.*) removes it$`)
	commands := advice.FindStringSubmatch(second.Warnings[i])
	require.NotNil(t, commands, second.Warnings[i])
	assert.Contains(t, r.sh(commands[1]), "greet.txt")
	again := run("one", "cat greet.txt")
	assert.Equal(t, executor.EndRefused, again.EndReason)
	assert.Contains(t, again.Error, "use the store with which the run began, or remove")
	r.sh(commands[2])
	left, err := workspace.List(t.Context(), r.dir, home)
	require.NoError(t, err)
	assert.Empty(t, left)
}
