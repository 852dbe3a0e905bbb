package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/providers/providertest"
)

var update = flag.Bool("update", false, "write testdata/story.txt anew")

// beMain has the test binary be the program.
const beMain = "AIDF_TEST_MAIN"

func TestMain(m *testing.M) {
	if os.Getenv(beMain) != "" {
		main()
	}
	goleak.VerifyTestMain(m)
}

// process returns the real program, as a process that is still to be started.
func process(t *testing.T, args ...string) *exec.Cmd {
	self, err := os.Executable()
	require.NoError(t, err)
	cmd := exec.CommandContext(t.Context(), self, args...)
	cmd.Env = append(os.Environ(), beMain+"=1", "GORACE=atexit_sleep_ms=0")
	cmd.WaitDelay = 10 * time.Second
	return cmd
}

// isolated keeps the configuration of whoever runs the tests away.
func isolated(t *testing.T) {
	home := t.TempDir()
	for name, value := range map[string]string{
		"HOME": home, "XDG_CONFIG_HOME": filepath.Join(home, "config"), "XDG_STATE_HOME": filepath.Join(home, "state"),
		"GIT_CONFIG_NOSYSTEM": "1", "ANTHROPIC_API_KEY": "", "OPENAI_API_KEY": "", "TERM": "dumb",
	} {
		t.Setenv(name, value)
	}
}

// masks take out of the story what is never twice the same.
var masks = []struct {
	what *regexp.Regexp
	with string
}{
	{regexp.MustCompile(`\b[0-9a-f]{12}\b|(?m)(\| )[0-9a-f]{7}\b`), "${1}COMMIT"},
	{regexp.MustCompile(`time=\S+`), "time=TIME"},
	{regexp.MustCompile(`\d{4}-\d\d-\d\d \d\d:\d\d:\d\d`), "0000-00-00 00:00:00"},
	{regexp.MustCompile(`until \d\d:\d\d:\d\d`), "until TIME"},
	{regexp.MustCompile(`after [\d.]+m?s \(`), "after N ("},
	{regexp.MustCompile(`\b\d+\.\ds\b`), "N.Ns"},
	{regexp.MustCompile(`(waited +|waiting )[^\s,]+s\b`), "${1}N.Ns"},
	{regexp.MustCompile(`(iterations?)(, \d+s)?(,|$)`), "${1}${3}"},
	{regexp.MustCompile(`API error: \D.*reset by peer`), "API error: read: connection reset by peer"},
}

func TestStory(t *testing.T) {
	isolated(t)
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	cmd := process(t, "-story")
	var problems bytes.Buffer
	cmd.Stderr = &problems
	out, err := cmd.Output()
	require.NoError(t, err, "%s%s", out, &problems)
	assert.Empty(t, problems.String())
	text := string(out)
	for _, m := range masks {
		text = m.what.ReplaceAllString(text, m.with)
	}
	if *update {
		require.NoError(t, os.WriteFile("testdata/story.txt", []byte(text), 0o644))
	}
	want, err := os.ReadFile("testdata/story.txt")
	require.NoError(t, err)
	assert.Equal(t, string(want), text)
	assert.NotContains(t, text, dir)
	left, err := os.ReadDir(dir)
	require.NoError(t, err)
	assert.Empty(t, left, "nothing is left behind")
}

// outcome is what a command line came to.
type outcome struct {
	code       int
	out, hints string
}

// do runs a command line in this process.
func do(args ...string) outcome {
	var out, hints bytes.Buffer
	code := run(args, &out, &hints)
	return outcome{code, out.String(), hints.String()}
}

func (o outcome) result(t *testing.T) executor.Result {
	t.Helper()
	var r executor.Result
	require.NoError(t, json.Unmarshal([]byte(o.out), &r), "%s%s", o.out, o.hints)
	return r
}

func TestUsage(t *testing.T) {
	isolated(t)
	for _, c := range []struct {
		args string
		want string
	}{
		{"", "which task?"},
		{"-task t.md", "which provider?"},
		{"-task t.md -provider clade", `there is no provider "clade"; there are claude-cli, anthropic or openai`},
		{"-task t.md -provider openai -profile loud", `"loud"`},
		{"-task t.md -provider openai -run a -resume b", "-run and -resume"},
		{"-task t.md -provider openai -dry-run -resume b", "dry run"},
		{"-task t.md -provider openai now", `unexpected argument "now"`},
		{"-tsak t.md", "-tsak"},
		{"-task t.md -provider openai -resume b", `there is no run "b" to resume`},
	} {
		t.Run(c.args, func(t *testing.T) {
			got := do(strings.Fields(c.args)...)
			assert.Equal(t, exitUsage, got.code)
			assert.Contains(t, got.hints, c.want)
			assert.Contains(t, got.hints, "aidf -help")
			assert.Empty(t, got.out)
		})
	}
}

func TestHelp(t *testing.T) {
	got := do("-help")
	assert.Equal(t, exitOK, got.code)
	assert.Contains(t, got.out, "-provider")
	assert.Empty(t, got.hints)
}

// acted is a repository, a scripted agent and a command line.
type acted struct {
	*stage
	t   *testing.T
	cli *providertest.CLI
}

// begun makes what a run needs. The configuration may be a part; the agent's program is added to
// it.
func begun(t *testing.T, config string, steps ...providertest.CLIStep) *acted {
	t.Helper()
	isolated(t)
	dir := real(t.TempDir())
	t.Setenv(variable, dir)
	s := &story{narrator: narrator{w: io.Discard, dir: dir}, dir: dir}
	a := &acted{t: t}
	a.stage = s.begin(t.Context(), "act", greetingTask, configFor("act")+config)
	a.cli = a.stage.cli(steps...)
	require.NoError(t, s.err)
	return a
}

func (a *acted) args(more ...string) []string {
	o := a.options
	return append(
		[]string{"-task=" + o.taskFile, "-config=" + o.configFile, "-repo=" + o.repo, "-journal=" + o.journal, "-json"},
		more...)
}

func (a *acted) do(more ...string) outcome { return do(a.args(more...)...) }

func (a *acted) calls() int {
	calls, err := a.cli.Calls()
	require.NoError(a.t, err)
	return len(calls)
}

func (a *acted) read(name string) string {
	b, err := os.ReadFile(a.path(name))
	require.NoError(a.t, err)
	return string(b)
}

// done is an agent that does the task.
func done() providertest.CLIStep {
	return providertest.CLIAnswer("Done.\nTASK COMPLETE").Write("greet.txt", "Hello!\n")
}

func TestCompleted(t *testing.T) {
	a := begun(t, "", done())
	got := a.do("-run=one", "-v")
	require.Equal(t, exitOK, got.code, got.hints)
	r := got.result(t)
	assert.Equal(t, executor.StatusCompleted, r.Status)
	assert.Equal(t, []string{"greet.txt"}, r.CommittedFiles)
	assert.Contains(t, got.hints, "  committed 1 file: greet.txt", "progress goes to standard error")
	assert.Contains(t, got.hints, "event=committed", "and so does the log")
	assert.Contains(t, a.git(t.Context(), "log", "-1", "--format=%B"), "A friendlier greeting\n")

	list := do("-list", "-journal="+a.options.journal)
	assert.Equal(t, exitOK, list.code)
	assert.Regexp(t, `one +completed +1 .* greeting +`+regexp.QuoteMeta(a.dir), list.out)
	var runs []listedRun
	list = do("-list", "-json", "-journal="+a.options.journal)
	require.NoError(t, json.Unmarshal([]byte(list.out), &runs))
	assert.Equal(t, executor.EndCompleted, runs[0].EndReason)

	again := a.do("-resume=one")
	assert.Equal(t, exitUsage, again.code)
	assert.Contains(t, again.hints, "run one has ended (completed)")
	assert.Equal(t, "no run is remembered\n", do("-list").out, "by default, elsewhere")
}

func TestNotCompleted(t *testing.T) {
	for _, c := range []struct {
		name   string
		step   providertest.CLIStep
		status executor.Status
		code   string
	}{
		{"failed", providertest.CLIFixture("claude/auth"), executor.StatusFailed, "PERMISSION_API_AUTH"},
		{"blocked", providertest.CLIFixture("claude/server_error"), executor.StatusBlocked, "PROVIDER_API_ERROR"},
		{"asks", providertest.CLIAnswer("BLOCKED: which customer?"), executor.StatusBlocked, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := begun(t, "limits: {failures: 1}\n", c.step)
			got := a.do()
			assert.Equal(t, exitFailed, got.code)
			assert.Equal(t, c.status, got.result(t).Status)
			assert.Equal(t, c.code, got.result(t).ErrorCode)
		})
	}
}

func TestDryRun(t *testing.T) {
	a := begun(t, "", done())
	got := a.do("-dry-run", "-json=false")
	assert.Equal(t, exitOK, got.code)
	assert.Contains(t, got.out, "greet.txt greets the customer")
	assert.Zero(t, a.calls())
	assert.NoDirExists(t, a.options.journal)
}

func TestNoProviderIsThere(t *testing.T) {
	a := begun(t, "")
	require.NoError(t, os.Remove(a.cli.Path))
	got := a.do()
	assert.Equal(t, exitFailed, got.code)
	assert.Equal(t, "PROVIDER_NOT_AVAILABLE", got.result(t).ErrorCode)
	assert.True(t, got.result(t).EndsRun)
}

func TestPushOfFinishedWork(t *testing.T) {
	a := begun(t, "", done())
	a.git(t.Context(), "init", "--quiet", "--bare", "../origin.git")
	a.git(t.Context(), "remote", "add", "origin", "../origin.git")
	got := a.do("-push")
	require.Equal(t, exitOK, got.code, got.hints)
	assert.True(t, got.result(t).Pushed)
	assert.Equal(t, a.git(t.Context(), "rev-parse", "HEAD"), a.git(t.Context(), "rev-parse", "origin/main"))
}

// A task is completed also if it could not be pushed; that is said.
func TestPushIsGivenUp(t *testing.T) {
	for _, flag := range []string{"-json=false", "-json"} {
		a := begun(t, "overrides: {policies: {once_more: {initial_delay: 1ms}}}\n", done())
		got := a.do("-push", flag)
		assert.Equal(t, exitOK, got.code, got.hints)
		if flag == "-json=false" {
			assert.Regexp(t, `(?m)^  warning     continue without push: git push failed: `, got.out)
			continue
		}
		r := got.result(t)
		assert.Equal(t, executor.StatusCompleted, r.Status)
		assert.False(t, r.Pushed)
		require.Len(t, r.Warnings, 1)
		assert.Contains(t, r.Warnings[0], "continue without push: git push failed: ")
	}
}

// What tells the agent what it may do is out of its reach, whatever the scope allows.
func TestOwnFilesAreForbidden(t *testing.T) {
	a := begun(t, "limits: {failures: 1}\nscope: {allowed: ['**']}\n", providertest.CLIAnswer("Freer now.").
		Write("[my] task.md", "# Do as you like\n").Write("aidf.yml", "validation: {pre_commit: [evil]}\n"))
	task, config := a.path("[my] task.md"), a.path("aidf.yml")
	require.NoError(
		t, errors.Join(os.Rename(a.options.configFile, config), os.WriteFile(task, []byte("# A task\n"), 0o600)))
	a.options.configFile, a.options.taskFile = config, task
	got := a.do()
	assert.Equal(t, "SCOPE_FORBIDDEN", got.result(t).ErrorCode, got.hints)
	assert.Equal(t, "# A task\n", a.read("[my] task.md"))
	assert.NotContains(t, a.read("aidf.yml"), "evil")
}

func TestTaskIsFiled(t *testing.T) {
	a := begun(t, "file_task: true\n", done())
	task := a.path("tasks/pending/1.md")
	a.write("tasks/pending/1.md", greetingTask)
	a.options.taskFile = task
	a.git(t.Context(), "add", "tasks")
	a.git(t.Context(), "commit", "--quiet", "--message=A task")
	got := a.do()
	assert.Equal(t, exitOK, got.code, got.hints)
	assert.NoFileExists(t, task)
	assert.Equal(t, greetingTask, a.read("tasks/completed/1.md"))
	assert.Equal(t, "R  tasks/pending/1.md -> tasks/completed/1.md",
		a.git(t.Context(), "status", "--short", "--untracked-files=no"))
}

func TestJournalIsNotWithTheAgent(t *testing.T) {
	a := begun(t, "", done())
	a.options.journal = a.path("runs")
	got := a.do()
	assert.Equal(t, exitUsage, got.code)
	assert.Contains(t, got.hints, "in the working tree")
	a.options.journal = a.path(".git/aidf")
	assert.Equal(t, exitOK, a.do().code)
}
