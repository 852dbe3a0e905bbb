//go:build unix

package main

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/executor/filestore"
	"github.com/errgen/errgen/runtime/executor/proc"
	"github.com/errgen/errgen/runtime/providers/providertest"
)

// hanging is an agent that has changed a forbidden file, and then does not end.
func hanging() providertest.CLIStep {
	return providertest.CLIStep{Script: "printf 'replicas: 300\\n' >deploy/production.yml; hang"}
}

// ready waits until the agent has changed the file and the state contains its process.
func (a *acted) ready() {
	a.t.Helper()
	await(a.t, func() bool {
		const file = "errgen/trees/*/*/tree/deploy/production.yml"
		dirs, err := filepath.Glob(filepath.Join(os.Getenv("XDG_STATE_HOME"), file))
		if err != nil || len(dirs) == 0 {
			return false
		}
		b, err := os.ReadFile(dirs[0])
		return err == nil && strings.Contains(string(b), "300") && a.agent().PID != 0
	})
}

func TestKillAndResume(t *testing.T) {
	a := begin(t, "", hanging(), done())
	cmd := process(t, a.args("-run one")...)
	require.NoError(t, cmd.Start())
	a.ready()
	agent := a.agent()
	require.NoError(t, cmd.Process.Kill())
	_ = cmd.Wait()
	assert.Contains(t, a.do("runs").out, "died")
	answered := a.do("-resume one -answer yes")
	assert.Equal(t, exitUsage, answered.code)
	assert.Contains(t, answered.hints, "has no question")

	got := a.do("-resume one -json")
	require.Equal(t, exitOK, got.code, got.hints)
	assert.True(t, got.result(t).Resumed)
	assert.False(t, proc.Alive(agent), "the old agent was ended")
	assert.Equal(t, "replicas: 3\n", a.read("deploy/production.yml"), "its changes were judged")
	assert.Equal(t, "2", a.git("rev-list --count HEAD"))
}

func TestInterrupt(t *testing.T) {
	for _, signal := range []os.Signal{os.Interrupt, syscall.SIGTERM} {
		t.Run(signal.String(), func(t *testing.T) {
			a := begin(t, "", hanging())
			var out, hints bytes.Buffer
			cmd := process(t, a.args("-run act -json")...)
			cmd.Stdout, cmd.Stderr = &out, &hints
			require.NoError(t, cmd.Start())
			a.ready()
			agent := a.agent()
			require.NoError(t, cmd.Process.Signal(signal))
			_ = cmd.Wait()
			assert.Equal(t, exitFailed, cmd.ProcessState.ExitCode(), hints.String())
			var r executor.Result
			require.NoError(t, json.Unmarshal(out.Bytes(), &r), hints.String())
			assert.Equal(t, executor.EndCancelled, r.EndReason)
			assert.Zero(t, r.Failures)
			assert.Contains(t, hints.String(), "aidf: interrupted")
			assert.Equal(t, "replicas: 3\n", a.readClone("act", "deploy/production.yml"), "the changes were judged")
			assert.False(t, proc.Alive(agent), "the agent was ended")
		})
	}
}

func TestSecondInterruptKills(t *testing.T) {
	heard := make(chan os.Signal, 1) // the child does not inherit that it is ignored
	signal.Notify(heard, os.Interrupt)
	defer signal.Stop(heard)
	a := begin(t, "", hanging().IgnoringTerm())
	config := filepath.Join(a.dir, "aidf.yml")
	a.write(config, strings.Replace(cliConfig, `/claude"}`, `/claude", grace: 1h}`, 1))
	var hints watched
	cmd := process(t, a.args("-run act")...)
	cmd.Stderr = &hints
	require.NoError(t, cmd.Start())
	a.ready()
	agent := a.agent()
	t.Cleanup(func() { _ = syscall.Kill(-agent.PID, syscall.SIGKILL) })
	require.NoError(t, cmd.Process.Signal(os.Interrupt))
	await(t, func() bool { return strings.Contains(hints.String(), "second interrupt") })
	require.NoError(t, cmd.Process.Signal(os.Interrupt))
	_ = cmd.Wait()
	status, ok := cmd.ProcessState.Sys().(syscall.WaitStatus)
	require.True(t, ok)
	assert.Equal(t, syscall.SIGINT, status.Signal(), hints.String())
}

// watched is the output of a process that runs.
type watched struct {
	mu sync.Mutex
	b  strings.Builder
}

func (w *watched) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.b.Write(p)
}

func (w *watched) String() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.b.String()
}

func TestAnswer(t *testing.T) {
	a := begin(t, "", providertest.CLIAnswer("BLOCKED: Old customers, or new?").Write("greet.txt", "Hello?\n"),
		providertest.CLIAnswer("TASK COMPLETE"))
	got := a.do("-run one")
	assert.Equal(t, exitFailed, got.code)
	assert.Contains(t, got.out, "-resume one -answer")
	assert.Contains(t, a.do("runs").out, "run one asks: Old customers, or new?")

	got = a.do("-resume one -json -answer", "All of them.")
	require.Equal(t, exitOK, got.code, got.hints)
	require.Len(t, a.prompts(), 2)
	assert.Contains(t, a.prompts()[1], "All of them.")
	assert.Equal(t, "Hello?", a.git("show HEAD:greet.txt"))
}

const checked = "validation: {pre_commit: [[sh, check.sh]]}\n"

func TestContinueWithRaisedLimitsAndAfterAFix(t *testing.T) {
	steps := []providertest.CLIStep{providertest.CLIAnswer("TASK COMPLETE").Write("greet.txt", "hi\n"),
		providertest.CLIAnswer("TASK COMPLETE").Always()}
	a := begin(t, "limits: {failures: 1}\n"+checked, steps...)
	r := a.do("-run one -json").result(t)
	assert.Equal(t, executor.EndMaxFailures, r.EndReason)
	assert.Equal(t, "VALIDATION_PRE_COMMIT", r.ErrorCode)

	a.write(filepath.Join(a.dir, "aidf.yml"), cliConfig+"limits: {failures: 2}\n"+checked)
	r = a.do("-resume one -json").result(t)
	assert.Equal(t, executor.EndMaxFailures, r.EndReason)
	assert.Equal(t, 3, r.Iterations, "the limit counts from where the run was continued")

	a.write(a.path("check.sh"), "exit 0\n")
	a.git("commit --quiet --all --message Fix")
	got := a.do("-resume one -json")
	require.Equal(t, exitOK, got.code, got.hints)
	assert.Equal(t, "hi", a.git("show HEAD:greet.txt"), "pending work is committed")
}

func TestAttempts(t *testing.T) {
	const key = "sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789"
	a := begin(t, "limits: {failures: 1}\n", providertest.CLIAnswer("Bigger.").
		Write("deploy/production.yml", "replicas: 300\n").Write("docs/a.md", "key "+key+"\n"))
	first := a.do("-run one")
	require.Equal(t, exitFailed, first.code)
	assert.Regexp(t, `aidf attempts -repo '/.*' one\n`, first.out, "the command can be used from anywhere")
	assert.Regexp(t, `1 .*deploy/production.yml \(modified\), docs/a.md \(added\)`, a.do("attempts one").out)
	patch := a.do("attempts one 1").out
	assert.Contains(t, patch, "+replicas: 300")
	assert.NotContains(t, patch, key)
	assert.Equal(t, "replicas: 300\n", a.do("attempts one 1 deploy/production.yml").out)

	for line, want := range map[string]string{
		"attempts two": "no run", "attempts one 9": "no saved attempt", "attempts one 1 missing.txt": "missing.txt",
	} {
		got := a.do(line)
		assert.Equal(t, exitFailed, got.code, line)
		assert.Contains(t, got.hints, want)
	}
	exact := a.do("attempts -patch one 1").out
	assert.Contains(t, exact, key)
	a.apply(exact)
	assert.Equal(t, "replicas: 300\n", a.read("deploy/production.yml"), "the patch can be applied")
}

// apply applies a patch to the person's working tree.
func (a *acted) apply(patch string) {
	a.t.Helper()
	cmd := exec.CommandContext(a.t.Context(), "git", "apply")
	cmd.Dir, cmd.Stdin = a.path("."), strings.NewReader(patch)
	out, err := cmd.CombinedOutput()
	require.NoError(a.t, err, "%s", out)
}

// pending leaves a run blocked by its check, with pending changes of greet.txt and docs/a.md.
func pending(t *testing.T) *acted {
	a := begin(t, "deliver: push\nlimits: {failures: 1}\n"+checked,
		providertest.CLIAnswer("TASK COMPLETE").Write("greet.txt", "hi\n").Write("docs/a.md", "token\n"),
		providertest.CLIAnswer("TASK COMPLETE").Write("docs/b.md", "b\n").Always())
	r := a.do("-run one -json").result(t)
	require.Equal(t, executor.EndMaxFailures, r.EndReason)
	require.Equal(t, []string{"docs/a.md", "greet.txt"}, r.UncommittedFiles)
	return a
}

func (a *acted) editTask(old, replacement string) {
	a.t.Helper()
	path := filepath.Join(a.dir, "greeting.md")
	b, err := os.ReadFile(path)
	require.NoError(a.t, err)
	require.Contains(a.t, string(b), old)
	a.write(path, strings.Replace(string(b), old, replacement, 1))
}

// Pending changes are judged by the scope of the process that commits them.
func TestContinueWithAnotherScope(t *testing.T) {
	for name, restrict := range map[string]func(a *acted){
		"forbidden in the task": func(a *acted) { a.editTask("- `.env`", "- `.env`\n- `docs/a*`") },
		"no longer allowed":     func(a *acted) { a.editTask("- `docs/**`", "- `docs/b.md`") },
		"forbidden in the configuration": func(a *acted) {
			const more = "deliver: push\nscope: {forbidden: [docs/a.md]}\n"
			a.write(filepath.Join(a.dir, "aidf.yml"), cliConfig+more+checked)
		},
	} {
		t.Run(name, func(t *testing.T) {
			a := pending(t)
			a.write(a.path("check.sh"), "exit 0\n")
			a.git("commit --quiet --all --message Fix")
			restrict(a)
			for range 2 {
				a.do("-resume one -json")
			}
			assert.NoFileExists(t, a.path("docs/a.md"))
			assert.Equal(t, "docs/b.md\ngreet.txt", a.git("diff --name-only HEAD~ HEAD"))
			assert.NotContains(t, a.git("log --all --name-only"), "docs/a.md")
			assert.Empty(t, a.git("status --short"))
			assert.Contains(t, a.do("attempts one").out, "docs/a.md (added)")
		})
	}
}

// A person changes pending files in the clone. They are judged and committed like the agent's.
func TestContinueAfterAChangeOfAPendingFile(t *testing.T) {
	a := pending(t)
	require.Equal(t, a.clone("one", "")+"\n", a.do("dir one").out)
	assert.Contains(t, a.do("diff one").out, "+hi")
	a.write(a.clone("one", "greet.txt"), "Hi, customer!\n")
	a.write(a.clone("one", "check.sh"), "exit 0\n")
	a.editTask("- `docs/**`", "- `docs/**`\n- `check.sh`")
	require.NoError(t, os.Remove(a.clone("one", "docs/a.md")))
	require.Equal(t, exitOK, a.do("-dry-run -run one").code, "it keeps the clone of the run")
	got := a.do("-resume one -json")
	require.Equal(t, exitOK, got.code, got.hints)
	assert.Equal(t, "check.sh\ndocs/b.md\ngreet.txt", a.git("diff --name-only HEAD~ HEAD"))
	assert.Equal(t, "Hi, customer!", a.git("show HEAD:greet.txt"))
	assert.Empty(t, a.git("status --short"))
}

// A person can continue a run that is refused because its processes died.
func TestContinueAfterThreeKills(t *testing.T) {
	a := begin(t, "", hanging(), done())
	cmd := process(t, a.args("-run one")...)
	require.NoError(t, cmd.Start())
	a.ready()
	require.NoError(t, cmd.Process.Kill())
	_ = cmd.Wait()
	store := filestore.New(a.state)
	s, err := store.Open(t.Context(), "one")
	require.NoError(t, err)
	s.Crashes, s.Saves = 2, s.Saves+1
	require.NoError(t, store.Save(t.Context(), s))
	require.NoError(t, store.Close())

	got := a.do("-run one")
	assert.Equal(t, exitConfig, got.code)
	assert.Contains(t, got.out, "what to do  Continue the run with -resume one.")
	a.editTask("whole sentence", "short sentence")
	got = a.do("-resume one")
	assert.Equal(t, exitConfig, got.code)
	assert.Contains(t, got.out, "what to do  Restore the task")
	a.editTask("short sentence", "whole sentence")
	assert.Equal(t, exitOK, a.do("-resume one -json").code)
}

// A question is kept until it is answered.
func TestRunIsOver(t *testing.T) {
	a := begin(t, "", providertest.CLIAnswer("BLOCKED: which colour?"), done())
	require.Equal(t, exitFailed, a.do("-run one").code)
	got := a.do("-resume one")
	assert.Equal(t, exitFailed, got.code)
	assert.Contains(t, got.out, "which colour?")
	assert.Contains(t, got.out, "Answer with -resume one -answer TEXT.")
	assert.Contains(t, a.do("-run one").hints, "run one is blocked; continue it with -resume one")
	assert.Contains(t, a.do("runs").out, "run one asks: which colour?")
	require.Len(t, a.prompts(), 1)
	assert.Equal(t, exitOK, a.do("-resume one -answer Blue").code)
	assert.Contains(t, a.prompts()[1], "You asked: which colour?\nThe answer: Blue")
	assert.Contains(t, a.do("-run one").hints, "run one is completed")

	a = begin(t, "limits: {iterations: 1}\n", providertest.CLIAnswer("More to do."), done())
	assert.Contains(t, a.do("-run two").out, "what to do  Continue with -resume two; the limits count anew.")
	assert.Contains(t, a.do("-run two").hints, "run two is blocked; continue it with -resume two")
	assert.Contains(t, a.do("-run a/b").hints, "1 to 100 letters")
}

// A new run names the runs of the repository that have not ended or not delivered, also if their states
// are elsewhere, with the command that continues, shows or removes each.
func TestLeftovers(t *testing.T) {
	a := begin(t, "limits: {failures: 1}\n"+checked,
		providertest.CLIAnswer("TASK COMPLETE").Write("greet.txt", "hi\n"), done(), done(), done())
	require.Equal(t, exitFailed, a.do("-run one").code)
	a.write(filepath.Join(a.dir, "aidf.yml"), cliConfig)
	got := a.do("-run two -json")
	require.Equal(t, exitOK, got.code, got.hints)
	warning := strings.Join(got.result(t).Warnings, "\n")
	for _, want := range []string{"run one is blocked", "-resume one", "aidf diff -repo", "aidf remove -repo"} {
		assert.Contains(t, warning, want)
	}
	assert.NotContains(t, a.git("log --name-only"), "hi", "what one left is not part of two")

	here := a.state
	a.state = filepath.Join(a.dir, "elsewhere")
	got = a.do("-run three -json")
	require.Equal(t, exitOK, got.code, got.hints)
	assert.Contains(t, strings.Join(got.result(t).Warnings, "\n"), "run one has no state in "+a.state)
	refused := a.do("-run one -json").result(t)
	assert.Equal(t, executor.EndRefused, refused.EndReason)
	assert.Contains(t, refused.Error, "the store has no state of the run")
	assert.Equal(t, "hi\n", a.readClone("one", "greet.txt"), "nothing of it is lost")

	a.state = here
	require.NoError(t, os.WriteFile(filepath.Join(here, "one.json"), []byte(`{"task`), 0o600))
	got = a.do("-run four -json")
	require.Equal(t, exitOK, got.code, got.hints)
	assert.Contains(t, strings.Join(got.result(t).Warnings, "\n"), "run one has no state in")
	assert.Equal(t, "removed one\n", a.do("remove one").out)
	assert.NotContains(t, a.do("runs").out, "one ")
}

// A run whose clone is missing is refused, and its state stays.
func TestCloneIsMissing(t *testing.T) {
	a := pending(t)
	require.NoError(t, os.RemoveAll(filepath.Dir(a.clone("one", ""))))
	r := a.do("-resume one -json").result(t)
	assert.Equal(t, executor.EndRefused, r.EndReason)
	assert.Contains(t, r.Error, "the working tree of the run is missing")
	assert.Contains(t, a.do("runs").out, "one ")
	assert.Equal(t, "removed one\n", a.do("remove one").out)
}

// If the reader of the story ends, its temporary files are removed.
func TestStoryWithoutAReader(t *testing.T) {
	isolate(t)
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	cmd := process(t, "-story")
	read, write, err := os.Pipe()
	require.NoError(t, err)
	cmd.Stdout = write
	require.NoError(t, read.Close())
	err = cmd.Run()
	require.NoError(t, write.Close())
	assert.Error(t, err)
	left, err := os.ReadDir(dir)
	require.NoError(t, err)
	assert.Empty(t, left)
}
