package main

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/executor/filestore"
	"github.com/errgen/errgen/runtime/executor/proc"
	"github.com/errgen/errgen/runtime/executor/workspace"
	"github.com/errgen/errgen/runtime/providers/providertest"
)

var update = flag.Bool("update", false, "write testdata/story.txt anew")

// asMain makes the test binary the program or, with the value "mcp", an MCP server.
const asMain = "AIDF_TEST_MAIN"

func TestMain(m *testing.M) {
	switch os.Getenv(asMain) {
	case "":
		goleak.VerifyTestMain(m)
	case "mcp":
		serveMCP()
	default:
		main()
	}
}

// process returns the real program, as a process that is not started yet.
func process(t *testing.T, args ...string) *exec.Cmd {
	self, err := os.Executable()
	require.NoError(t, err)
	cmd := exec.CommandContext(t.Context(), self, args...)
	cmd.Env = append(os.Environ(), asMain+"=1", "GORACE=atexit_sleep_ms=0")
	cmd.WaitDelay = 10 * time.Second
	return cmd
}

// isolate hides the configuration of the user who runs the tests.
func isolate(t *testing.T) {
	home := t.TempDir()
	for name, value := range map[string]string{
		"HOME": home, "XDG_CONFIG_HOME": filepath.Join(home, "config"), "XDG_STATE_HOME": filepath.Join(home, "state"),
		"GIT_CONFIG_NOSYSTEM": "1", "ANTHROPIC_API_KEY": "", "OPENAI_API_KEY": "", "TERM": "dumb",
	} {
		t.Setenv(name, value)
	}
}

// masks replace what differs between two plays of the story.
var masks = []struct {
	what *regexp.Regexp
	with string
}{
	{regexp.MustCompile(`/\S*/aidf-story-\d+`), "STORY"},
	{regexp.MustCompile(`\b[0-9a-f]{12}\b|(?m)^[0-9a-f]{7}\b`), "ID"},
	{regexp.MustCompile(`shop-[0-9a-f]{8}`), "shop-HASH"},
	{regexp.MustCompile(`\b[0-9a-f]{7}(\.\.|;)`), "ID$1"},
	{regexp.MustCompile(`\b[0-9a-f]{7} 100`), "ID 100"},
	{regexp.MustCompile(`begins at [0-9a-f]{7}\b`), "begins at ID"},
	{regexp.MustCompile(`[0-9.]+ MB`), "N MB"},
	{regexp.MustCompile(`time=\S+`), "time=TIME"},
	{regexp.MustCompile(`\d{4}-\d\d-\d\d \d\d:\d\d:\d\d`), "DATE"},
	{regexp.MustCompile(`until (DATE|\d\d:\d\d:\d\d|\d{4}-\S+ \d\d:\d\d)`), "until TIME"},
	{regexp.MustCompile(`limit of \S+ after \S+ `), "limit of N after N "},
	{regexp.MustCompile(`\b(took|after|waiting|waited +) ?(\d+m)?[\d.]+m?s\b`), "$1 N"},
	{regexp.MustCompile(`(iterations?), (\d+m)?[\d.]+s\b`), "$1"},
	{regexp.MustCompile(`API error: \D.*reset by peer`), "API error: connection reset by peer"},
}

func TestStory(t *testing.T) {
	isolate(t)
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
	wanted, got := strings.Split(string(want), "\n"), strings.Split(text, "\n")
	for i := range min(len(wanted), len(got)) {
		require.Equal(t, wanted[i], got[i], "testdata/story.txt:%d", i+1)
	}
	assert.Len(t, got, len(wanted))
	assert.NotContains(t, string(out), "sk-ant-made-up")
	left, err := os.ReadDir(dir)
	require.NoError(t, err)
	assert.Empty(t, left, "temporary files are removed")
}

// outcome is the outcome of a command line.
type outcome struct {
	code       int
	out, hints string
}

// do runs a command line in this process.
func do(t *testing.T, args ...string) outcome {
	t.Helper()
	var out, hints bytes.Buffer
	code := run(t.Context(), args, &out, &hints)
	return outcome{code, out.String(), hints.String()}
}

func (o outcome) result(t *testing.T) executor.Result {
	t.Helper()
	var r executor.Result
	require.NoError(t, json.Unmarshal([]byte(o.out), &r), "%s%s", o.out, o.hints)
	return r
}

// acted is a repository with a scripted agent.
type acted struct {
	t          *testing.T
	dir, state string
	cli        *providertest.CLI
}

// begin makes what a run needs. The agent is added to the configuration.
func begin(t *testing.T, config string, agent ...providertest.CLIStep) *acted {
	t.Helper()
	isolate(t)
	dir := t.TempDir()
	t.Setenv("AIDF_STORY", dir)
	cli, err := stage(t.Context(), dir, map[string]string{"aidf.yml": cliConfig + config}, agent...)
	require.NoError(t, err)
	return &acted{t, dir, filepath.Join(dir, "state"), cli}
}

const cliConfig = "provider: claude-cli\nclaude_cli: {path: \"${AIDF_STORY}/claude\"}\n"

// args returns a command line: the arguments of a line, and more.
func (a *acted) args(line string, more ...string) []string {
	base := []string{"-task=" + a.dir + "/greeting.md", "-config=" + a.dir + "/aidf.yml", "-repo=" + a.path("."),
		"-state=" + a.state}
	args := strings.Fields(strings.ReplaceAll(line, "../", a.dir+"/"))
	if len(args) > 0 && slices.Contains(commands, args[0]) {
		base, args = append([]string{args[0]}, base...), args[1:]
	}
	return slices.Concat(base, args, more)
}

// do runs aidf.
func (a *acted) do(line string, more ...string) outcome {
	a.t.Helper()
	return do(a.t, a.args(line, more...)...)
}

// clone returns the path of a file in the working tree of a run.
func (a *acted) clone(run, name string) string {
	a.t.Helper()
	w, err := workspace.New(a.t.Context(), a.path("."), run, workspace.Options{})
	require.NoError(a.t, err)
	return filepath.Join(w.Dir(), name)
}

func (a *acted) readClone(run, name string) string {
	a.t.Helper()
	b, err := os.ReadFile(a.clone(run, name))
	require.NoError(a.t, err)
	return string(b)
}

func (a *acted) path(name string) string { return filepath.Join(a.dir, "shop", name) }

func (a *acted) write(path, content string) {
	a.t.Helper()
	require.NoError(a.t, os.MkdirAll(filepath.Dir(path), 0o700))
	require.NoError(a.t, os.WriteFile(path, []byte(content), 0o600))
}

func (a *acted) read(name string) string {
	a.t.Helper()
	b, err := os.ReadFile(a.path(name))
	require.NoError(a.t, err)
	return string(b)
}

func (a *acted) git(args string) string {
	a.t.Helper()
	cmd := exec.CommandContext(a.t.Context(), "git", strings.Fields(args)...)
	cmd.Dir = a.path(".")
	out, err := cmd.CombinedOutput()
	require.NoError(a.t, err, "%s", out)
	return strings.TrimRight(string(out), "\n")
}

func (a *acted) prompts() []string {
	a.t.Helper()
	calls, err := a.cli.Calls()
	require.NoError(a.t, err)
	var prompts []string
	for _, c := range calls {
		prompts = append(prompts, c.Prompt)
	}
	return prompts
}

// done is an agent that does the task.
func done() providertest.CLIStep {
	return providertest.CLIAnswer("Done.\nTASK COMPLETE").Write("greet.txt", "Hello!\n")
}

func TestUsage(t *testing.T) {
	isolate(t)
	for _, c := range []struct{ args, want string }{
		{"", "which task?"},
		{"-task t.md", "which provider?"},
		{"-task t.md -provider clade", `unknown provider "clade", expected claude-cli, anthropic or openai`},
		{"-task t.md -provider openai -run a -resume b", "-run and -resume"},
		{"-task t.md -provider openai -answer yes", "-answer needs -resume"},
		{"-task t.md -provider openai -dry-run -resume b", "-dry-run resumes no run"},
		{"-task t.md -provider openai now", `unexpected argument "now"`},
		{"-tsak t.md", "-tsak"},
		{"-task t.md -provider openai -resume b", `there is no run "b"`},
		{"attempts", "which run?"},
		{"dir", "which run?"},
		{"diff one two", `unexpected argument "two"`},
		{"runs one", `unexpected argument "one"`},
		{"remove", "which run?"},
		{"-task t.md -provider openai -patch", "-patch"},
		{"runs -older 1h", "-older"},
	} {
		t.Run(c.args, func(t *testing.T) {
			got := do(t, strings.Fields(c.args)...)
			assert.Equal(t, exitUsage, got.code)
			assert.Contains(t, got.hints, c.want)
			assert.Contains(t, got.hints, "aidf -help")
			assert.Empty(t, got.out)
		})
	}
	got := do(t, "-help")
	assert.Equal(t, exitOK, got.code)
	assert.Contains(t, got.out, "-provider")
	assert.Empty(t, got.hints)
}

func TestCompleted(t *testing.T) {
	a := begin(t, "", done())
	got := a.do("-run one -json -v")
	require.Equal(t, exitOK, got.code, got.hints)
	r := got.result(t)
	assert.Equal(t, executor.StatusCompleted, r.Status)
	assert.Equal(t, []string{"greet.txt"}, r.CommittedFiles)
	assert.Contains(t, got.hints, "  committed 1 file: greet.txt", "progress goes to standard error")
	assert.Contains(t, got.hints, "event=committed", "and so does the log")
	assert.Contains(t, a.git("log -1 --format=%B"), "A friendlier greeting\n")

	assert.Regexp(t, `one +completed +1 .* greeting +`+regexp.QuoteMeta(a.clone("one", "")), a.do("runs").out)
	var runs []runInfo
	require.NoError(t, json.Unmarshal([]byte(a.do("runs -json").out), &runs))
	assert.Equal(t, executor.EndCompleted, runs[0].End)
	assert.NoDirExists(t, a.clone("one", ""), "the clone of a delivered run is removed")
	assert.NotContains(t, do(t, "runs", "-repo", a.path(".")).out, "one", "the default directory is another one")

	again := a.do("-resume one")
	assert.Equal(t, exitUsage, again.code)
	assert.Contains(t, again.hints, "run one is completed")
}

func TestNotCompleted(t *testing.T) {
	for _, c := range []struct {
		name   string
		step   providertest.CLIStep
		status executor.Status
		code   string
		exit   int
	}{
		{"failed", providertest.CLIFixture("claude/auth"), executor.StatusFailed, "PERMISSION_API_AUTH", 77},
		{"blocked", providertest.CLIFixture("claude/server_error"), executor.StatusBlocked, "PROVIDER_API_ERROR", 69},
		{"asks", providertest.CLIAnswer("BLOCKED: which customer?"), executor.StatusBlocked, "", exitFailed},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := begin(t, "limits: {failures: 1}\n", c.step)
			got := a.do("-json")
			assert.Equal(t, c.exit, got.code)
			assert.Equal(t, c.status, got.result(t).Status)
			assert.Equal(t, c.code, got.result(t).ErrorCode)
		})
	}
}

func TestDryRun(t *testing.T) {
	a := begin(t, "", done())
	got := a.do("-dry-run")
	assert.Equal(t, exitOK, got.code, got.hints)
	assert.Contains(t, got.out, "greet.txt greets the customer")
	assert.Empty(t, a.prompts())
	assert.Equal(t, "hello\n", a.read("greet.txt"))
	assert.Len(t, strings.Split(a.do("runs").out, "\n"), 2, "its clone is removed")
}

func TestPush(t *testing.T) {
	a := begin(t, "deliver: push\n", done())
	got := a.do("-json")
	require.Equal(t, exitOK, got.code, got.hints)
	assert.True(t, got.result(t).Pushed)
	assert.Equal(t, a.git("rev-parse HEAD"), a.git("ls-remote origin errgen/*")[:40])
	assert.Empty(t, a.git("branch --list errgen/*"), "main is forwarded to it")
}

// A task is completed also if its push was given up, which is a warning.
func TestPushIsGivenUp(t *testing.T) {
	a := begin(t, "deliver: push\noverrides: {policies: {once_more: {initial_delay: 1ms}}}\n", done())
	a.git("remote remove origin")
	got := a.do("-json")
	assert.Equal(t, exitOK, got.code, got.hints)
	r := got.result(t)
	assert.Equal(t, executor.StatusCompleted, r.Status)
	assert.False(t, r.Pushed)
	assert.NotEmpty(t, r.Warnings)
}

// The agent cannot change the files that describe its task, even if the scope allows all files.
func TestOwnFilesAreForbidden(t *testing.T) {
	for _, mode := range []string{"strict", "off"} {
		a := begin(t, "limits: {failures: 1}\nscope: {mode: "+mode+"}\n", providertest.CLIAnswer("Freer now.").
			Write("[my] task.md", "# Do as you like\n").Write("aidf.yml", "validation: {pre_commit: [evil]}\n"))
		a.write(a.path("[my] task.md"), "# A task\n")
		require.NoError(t, os.Rename(filepath.Join(a.dir, "aidf.yml"), a.path("aidf.yml")))
		got := do(t, "-task", a.path("[my] task.md"), "-config", a.path("aidf.yml"), "-repo", a.path("."), "-json")
		assert.Equal(t, "SCOPE_FORBIDDEN", got.result(t).ErrorCode, got.hints)
		assert.Equal(t, "# A task\n", a.read("[my] task.md"))
		assert.NotContains(t, a.read("aidf.yml"), "evil")
	}
}

func TestTaskIsFiled(t *testing.T) {
	a := begin(t, "file_task: true\n", done())
	task, err := os.ReadFile(filepath.Join(a.dir, "greeting.md"))
	require.NoError(t, err)
	a.write(a.path("tasks/pending/1.md"), string(task))
	a.git("add tasks")
	a.git("commit --quiet --message=tasks")
	got := a.do("-json -task", a.path("tasks/pending/1.md"))
	assert.Equal(t, exitOK, got.code, got.hints)
	assert.NoFileExists(t, a.path("tasks/pending/1.md"))
	assert.Equal(t, string(task), a.read("tasks/completed/1.md"))
}

func TestStateIsNotInTheWorkingTree(t *testing.T) {
	a := begin(t, "", done())
	a.state = a.path("runs")
	got := a.do("-json")
	assert.Equal(t, exitUsage, got.code)
	assert.Contains(t, got.hints, "in the working tree")
	a.state = a.path(".git/aidf")
	assert.Equal(t, exitOK, a.do("-json").code)
}

// serveMCP serves a tool over the standard input and output.
func serveMCP() {
	server := mcp.NewServer(&mcp.Implementation{Name: "words", Version: "1"}, nil)
	type empty struct{}
	mcp.AddTool(server, &mcp.Tool{Name: "greeting", Description: "Returns a greeting."},
		func(ctx context.Context, _ *mcp.CallToolRequest, _ empty) (*mcp.CallToolResult, any, error) {
			text := "Greetings, " + os.Getenv("AIDF_TEST_NAME")
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: text}}}, nil, nil
		})
	_ = server.Run(context.Background(), &mcp.StdioTransport{})
}

// agent returns the process that the state of the latest run contains.
func (a *acted) agent() proc.ID {
	store := filestore.New(a.state)
	runs, err := store.Runs(a.t.Context())
	if err != nil || len(runs) == 0 {
		return proc.ID{}
	}
	saved, err := store.Peek(a.t.Context(), runs[0].Run)
	if err != nil || saved == nil || len(saved.Processes) == 0 {
		return proc.ID{}
	}
	return proc.ID{PID: saved.Processes[0].PID, Start: saved.Processes[0].Start}
}

// await waits for what another process does.
func await(t *testing.T, done func() bool) {
	t.Helper()
	require.Eventually(t, done, 2*time.Minute, 10*time.Millisecond)
}
