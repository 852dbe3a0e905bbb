package scenarios_test

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/errgen/errgen/gen/errs"
	"github.com/errgen/errgen/runtime/detect"
	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/executor/filejournal"
	"github.com/errgen/errgen/runtime/executor/filelanes"
	"github.com/errgen/errgen/runtime/retry"
	"github.com/errgen/errgen/runtime/state"
	"github.com/errgen/errgen/runtime/taxonomy"
	"github.com/errgen/errgen/runtime/workspace"
)

// mortalVariable is the variable that has the test program be a process which runs a story and is
// killed; it holds the story as JSON.
const mortalVariable = "SCENARIOS_MORTAL"

// mortalStory is a story on a real repository that a process runs until it is killed.
type mortalStory struct {
	// Name is one of diskStories.
	Name string
	// Home is a directory with the repository, "repo", its remote, "remote.git", and what outlives
	// processes.
	Home string
	// Step is the step before which the process is killed, GitCall the call of git; 0 is never.
	// After is whether it is killed when git has done what it was called for.
	Step, GitCall int
	After         bool
	// State has all that is remembered be in a file of SQLite.
	State bool
}

// playMortal runs a story if this process is to.
func playMortal() {
	text := os.Getenv(mortalVariable)
	if text == "" {
		return
	}
	var s mortalStory
	err := json.Unmarshal([]byte(text), &s)
	if err == nil {
		_, _, err = s.live(context.Background(), killed)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// killed ends this process at once.
func killed() {
	if self, err := os.FindProcess(os.Getpid()); err == nil {
		_ = self.Kill()
	}
	select {}
}

// live runs the story to its end, and returns how many steps it had.
func (s mortalStory) live(ctx context.Context, kill func()) (*executor.Result, int, error) {
	d := &death{at: s.Step, kill: kill}
	cfg, err := s.config(ctx, d)
	if err != nil {
		return nil, 0, err
	}
	cfg.Journal = filejournal.New(s.path("journal"))
	if s.State {
		store, err := state.Open(ctx, s.path("journal/state.db"), state.Options{Table: errs.Table, Clock: cfg.Clock})
		if err != nil {
			return nil, 0, err
		}
		defer func() { _ = store.Close() }() // what it was asked to write is written
		cfg.Journal, cfg.Lanes = store.Journal(), store.Lanes()
	}
	cfg.Journal = mortalJournal{cfg.Journal, d}
	e, err := executor.New(cfg)
	if err != nil {
		return nil, 0, err
	}
	return e.Run(ctx, executor.Task{Run: "run-1", ID: "task-1", Title: "Write it", Prompt: "Write it."}), d.steps, nil
}

func (s mortalStory) path(name string) string { return filepath.Join(s.Home, name) }

func (s mortalStory) config(ctx context.Context, d *death) (executor.Config, error) {
	guard, err := workspace.NewScope(
		workspace.ScopeConfig{Allowed: []string{"src/**", "README.md"}, Forbidden: []string{".env", "secret/**"}})
	if err != nil {
		return executor.Config{}, err
	}
	opts := workspace.Options{Watch: guard}
	if s.GitCall > 0 {
		if opts, err = s.countedGit(opts); err != nil {
			return executor.Config{}, err
		}
	}
	tree, err := workspace.Open(ctx, s.path("repo"), opts)
	if err != nil {
		return executor.Config{}, err
	}
	clock := &jumpingClock{now: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)}
	return executor.Config{
		Table: errs.Table, Classify: detect.Classifier(errs.Explain),
		Decode:    func(b []byte) (error, error) { return errs.UnmarshalError(b) },
		Provider:  &diskActor{story: s, death: d},
		Workspace: mortalTree{failingCommits{tree, s}, d, false}, Guard: guard,
		Validator: mortalValidator{wrongFiles{s.path("repo")}, d},
		Clock:     mortalClock{clock, d}, Lanes: filelanes.New(s.path("lanes"), retry.Ramp{}, clock),
		Random: func() float64 { return 0.5 }, Deliver: executor.DeliverPush,
		Limits: executor.Limits{Iterations: 12, Failures: 3},
	}, nil
}

// countedGit has git be called through a script that counts the calls, and kills who calls at one
// of them.
func (s mortalStory) countedGit(opts workspace.Options) (workspace.Options, error) {
	script := `#!/bin/sh
n=$(cat "$MORTAL/calls" 2>/dev/null || echo 0)
n=$((n + 1))
echo $n > "$MORTAL/calls"
if [ $n = "$MORTAL_CALL" ] && [ "$MORTAL_AFTER" = false ]; then kill -9 $PPID; exit 1; fi
git "$@"
code=$?
if [ $n = "$MORTAL_CALL" ]; then kill -9 $PPID; fi
exit $code
`
	opts.Binary = s.path("git")
	opts.Env = []string{"MORTAL=" + s.Home, "MORTAL_CALL=" + strconv.Itoa(s.GitCall),
		"MORTAL_AFTER=" + strconv.FormatBool(s.After)}
	return opts, writeProgram(opts.Binary, script)
}

// diskTurn is what a diskActor does in one call.
type diskTurn struct {
	writes map[string]string // contents by path; "" removes
	says   string
	fails  *taxonomy.Evidence
}

// diskStories are told with kills everywhere.
var diskStories = map[string][]diskTurn{
	"all goes well": {
		{writes: map[string]string{"src/a.txt": "a\n"}},
		{writes: map[string]string{"src/b.txt": "b\n", "README.md": "# Better\n"}},
		{writes: map[string]string{"src/main.txt": "", "src/c.txt": "c\n"}, says: "TASK COMPLETE"},
	},
	"forbidden files": {
		{writes: map[string]string{
			"src/a.txt": "a\n", "secret/key": "stolen\n", ignoredFile: "overwritten\n", dirtyFile: "overwritten\n",
			untrackedFile: "", stagedFile: "overwritten\n",
			".git/hooks/pre-commit": "#!/bin/sh\ntouch planted\n",
		}},
		{writes: map[string]string{"src/b.txt": "b\n", "docs/x.txt": "outside\n"}, says: "TASK COMPLETE"},
	},
	"a check that fails": {
		{writes: map[string]string{"src/a.txt": "WRONG\n"}, says: "TASK COMPLETE"},
		{writes: map[string]string{"src/a.txt": "right\n"}, says: "TASK COMPLETE"},
	},
	"limits": {
		{writes: map[string]string{"src/a.txt": "a\n"}},
		{writes: map[string]string{"src/b.txt": "b\n"},
			fails: &taxonomy.Evidence{Status: 429, RetryAfter: taxonomy.Some(10 * time.Second)}},
		{fails: &taxonomy.Evidence{Status: 500}},
		{writes: map[string]string{"src/c.txt": "c\n"}, says: "TASK COMPLETE"},
	},
	failingCommit: {
		{writes: map[string]string{"src/a.txt": "a\n"}},
		{writes: map[string]string{"src/a.txt": "better\n"}, says: "TASK COMPLETE"},
	},
}

// failingCommit is the story in which the first commit fails.
const failingCommit = "a commit that fails"

// diskActor is a provider that plays the turns of a story. It knows from a file how far it has got.
type diskActor struct {
	story mortalStory
	death *death
}

func (a *diskActor) Name() string                    { return "anthropic-api" }
func (a *diskActor) Available(context.Context) error { return nil }

func (a *diskActor) Call(context.Context, executor.Request) (executor.Answer, error) {
	return between(a.death, a.play)
}

func (a *diskActor) play() (executor.Answer, error) {
	progress := a.story.path("turns")
	done, err := os.ReadFile(progress)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return executor.Answer{}, err
	}
	all := diskStories[a.story.Name]
	t := all[min(len(done), len(all)-1)]
	for name, content := range t.writes {
		if err := writeOrRemove(filepath.Join(a.story.path("repo"), name), content); err != nil {
			return executor.Answer{}, err
		}
	}
	if err := os.WriteFile(progress, append(done, '.'), 0o600); err != nil {
		return executor.Answer{}, err
	}
	answer := executor.Answer{Text: cmp.Or(t.says, "more to do")}
	if t.fails == nil {
		return answer, nil
	}
	failed := *t.fails
	failed.Source, failed.Op = a.Name(), "call"
	return answer, &failed
}

func writeOrRemove(path, content string) error {
	if content == "" {
		return os.RemoveAll(path) // a turn that is played again may have removed it
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, []byte(content), 0o755)
}

// wrongFiles finds fault with a file that says that it is wrong.
type wrongFiles struct{ dir string }

func (w wrongFiles) Validate(_ context.Context, phase executor.Phase) error {
	content, err := os.ReadFile(filepath.Join(w.dir, "src", "a.txt"))
	if err != nil || string(content) != "WRONG\n" {
		return nil
	}
	return &taxonomy.Evidence{
		Source: "validator", Op: "validate_" + string(phase), Type: "exit", ExitCode: taxonomy.Some(1),
		Output:     "src/a.txt is wrong",
		Attributes: map[string]string{"command": "make test"},
	}
}

// failingCommits has the first commit of the story fail that is about that.
type failingCommits struct {
	executor.Workspace
	story mortalStory
}

func (f failingCommits) Commit(ctx context.Context, c executor.Commit) (executor.CommitDone, error) {
	tried := f.story.path("tried")
	if _, err := os.Stat(tried); f.story.Name != failingCommit || err == nil {
		return f.Workspace.Commit(ctx, c)
	}
	if err := os.WriteFile(tried, nil, 0o600); err != nil {
		return executor.CommitDone{}, err
	}
	return executor.CommitDone{},
		&taxonomy.Evidence{Source: "git", Op: "commit", ExitCode: taxonomy.Some(128),
			Text: "fatal: Unable to create '.git/index.lock': File exists."}
}
