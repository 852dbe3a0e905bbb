package toolbox_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/gen/errs"
	"github.com/errgen/errgen/runtime/providers/toolbox"
)

func TestCommandPolicy(t *testing.T) {
	for _, c := range []struct {
		allow   string
		command string
		allowed bool
	}{
		{"make test", "make test", true},
		{"make test", "make  'test'", true},
		{"make test", "make", false},
		{"make test", "make test all", false},
		{"make test", "maketest", false},
		{"make test", "make test && rm -rf /", false},
		{"make test", "make test; rm -rf /", false},
		{"make test", "make test | tee x", false},
		{"make test", "make test > x", false},
		{"make test", "make test\nrm -rf /", false},
		{"make ...", "make test & rm", false},
		{"make ...", "make $(rm)", false},
		{"make ...", "make `rm`", false},
		{"make ...", `make "$(rm)"`, false},
		{"make ...", "make \"`rm`\"", false},
		{"make ...", "make $HOME", false},
		{"make ...", "make '$HOME'", true},
		{"make ...", `make \$HOME`, true},
		{"make ...", `make "a && b"`, true},
		{"make ...", "make a \\\n b", false},
		{"go test ...", "go test", true},
		{"go test ...", "go test -run 'A B' ./...", true},
		{"go test ...", "go vet ./...", false},
		{"go test ...", "GOFLAGS=-exec=sh go test", false},
		{"go test ...", "./go test", false},
		{"go test ...", "/tmp/go test", false},
		{"git log -n *", "git log -n 5", true},
		{"git log -n *", "git log -n", false},
		{"git log -n *", "git log -n --output=x", false},
		{"git show *", "git show --output=x", false},
		{"git show *", "git show HEAD", true},
		{"git show -*", "git show --stat", true},
		{"cat *", "cat -", false},
		{"cat *", "cat '-n'", false},
		{"cat ?a", "cat -a", false},
		{"cat src/*.go", "cat src/a.go", true},
		{"cat src/*.go", "cat src/../a.go", false},
		{"cat src/*.go", "cat 'src/*.go'", true},
		{"cat *", "cat /etc/passwd", true},
		{"sh -c *", "sh -c 'rm -rf / && echo'", true},
		{"sh ...", "bash -c x", false},
		{"make test", "make tes\x00t", false},
		{"make *", "make \\\x00", false},
		{"make *", "make '\x00'", false},
	} {
		tools := open(t, t.TempDir(), allow(c.allow))
		assert.Equal(t, c.allowed, toolbox.Allows(tools, c.command), "%q allows %q", c.allow, c.command)
	}
}

func TestPolicyThatCannotBeRead(t *testing.T) {
	for line, want := range map[string]string{
		"":             "contains no command",
		"make [":       "syntax error in pattern",
		"* test":       "the command itself must be literal",
		"make 'test":   "a quote is not closed",
		"make\ntest":   "shell operators are not allowed",
		"m[ab]ke test": "the command itself must be literal",
	} {
		err := toolbox.Options{Commands: toolbox.Policy{Allow: []string{line}}}.Check()
		assert.ErrorContains(t, err, want, "%q", line)
	}
}

func TestBlockedCommand(t *testing.T) {
	dir, _ := tree(t, nil)
	tools := open(t, dir, allow("make test"), func(o *toolbox.Options) { o.Commands.Name = "strict" })
	for _, command := range []string{"rm -rf /", "make test && touch owned"} {
		ev := end(t, tools, "run_command", args(t, "command", command))
		assert.Equal(t, "command_blocked", ev.Type)
		assert.Equal(t, command, ev.Attribute("command"))
		assert.Equal(t, "strict", ev.Attribute("policy"))
		assert.ErrorIs(t, errs.Classify(ev), errs.CodePermissionCommandBlocked)
	}
	assert.NoFileExists(t, filepath.Join(dir, "owned"))
	assert.Equal(t, toolbox.Result{Text: "a quote is not closed", IsError: true},
		use(t, tools, "run_command", "command", "make 'test"))
	assert.Equal(t, toolbox.Result{Text: "command is missing", IsError: true},
		use(t, tools, "run_command", "command", "  "))

	none := open(t, dir)
	assert.Equal(t, toolbox.Result{Text: `there is no tool "run_command"`, IsError: true},
		use(t, none, "run_command", "command", "ls"))
}

func TestRun(t *testing.T) {
	t.Setenv("ANTHROPIC_API_KEY", "sk-ant-secret")
	dir, _ := tree(t, map[string]string{"sub/x": ""})
	tools := open(t, dir, allow("sh -c *", "env", "pwd", "no-such-program", "./script"), func(o *toolbox.Options) {
		o.Env = []string{"CI=1"}
	})
	tools.Shrink(0, 0, 100, 0, 0, 0)
	for _, c := range []struct {
		args    []any
		want    string
		isError bool
	}{
		{[]any{"command", "sh -c 'echo out; echo err >&2'"}, "exit code 0\nout\nerr\n", false},
		{[]any{"command", "sh -c 'echo bad; exit 3'"}, "exit code 3\nbad\n", true},
		{[]any{"command", "sh -c 'kill -9 $$'"}, "ended by SIGKILL\n", true},
		{[]any{"command", "pwd", "dir", "sub"}, "exit code 0\n" + filepath.Join(dir, "sub") + "\n", false},
		{[]any{"command", "pwd", "dir", "none"}, "none: no such file or directory", true},
		{[]any{"command", "pwd", "dir", ".."}, "..: outside of the working tree", true},
		{[]any{"command", "no-such-program"}, `"no-such-program": there is no such command`, true},
		{[]any{"command", "./script"}, `"./script": there is no such command`, true},
		{[]any{"command", "sh -c 'printf \"\\377\"'"}, "exit code 0\n\uFFFD", false},
	} {
		assert.Equal(t, toolbox.Result{Text: c.want, IsError: c.isError}, use(t, tools, "run_command", c.args...),
			"run %v", c.args)
	}
	long := use(
		t, tools, "run_command", "command",
		"sh -c 'printf begin; head -c 1000000 /dev/zero | tr \"\\0\" x; printf end'").Text
	assert.True(t, strings.HasPrefix(long, "exit code 0\nbegin"), long)
	assert.True(t, strings.HasSuffix(long, "xend"), long)
	assert.Contains(t, long, "[999908 bytes are left out]")

	wide := open(t, dir, allow("env"), func(o *toolbox.Options) { o.Env = []string{"CI=1"} })
	env := use(t, wide, "run_command", "command", "env").Text
	assert.Contains(t, env, "CI=1\n")
	assert.Contains(t, env, "PATH=")
	assert.NotContains(t, env, "sk-ant-secret", "no key is in a command's environment")
}

func TestRunIsEnded(t *testing.T) {
	dir, _ := tree(t, nil)
	tools := open(t, dir, allow("sh -c *"), func(o *toolbox.Options) {
		o.Timeout = 50 * time.Millisecond
		o.Grace = 50 * time.Millisecond
	})
	got := use(t, tools, "run_command", "command", "sh -c 'echo begun; trap \"\" TERM; sleep 60'")
	assert.True(t, got.IsError)
	assert.True(t, strings.HasPrefix(got.Text, "ended after 50ms, which is the limit\n"), got.Text)
}

func TestRunEndsWithTheCall(t *testing.T) {
	dir, _ := tree(t, nil)
	tools := open(t, dir, allow("sh -c *"), func(o *toolbox.Options) { o.Grace = 50 * time.Millisecond })
	why := errors.New("the user left")
	ctx, cancel := context.WithCancelCause(context.Background())
	begun := filepath.Join(dir, "begun")
	watch := make(chan struct{})
	go func() {
		defer close(watch)
		for {
			if _, err := os.Stat(begun); err == nil {
				cancel(why)
				return
			}
			select {
			case <-ctx.Done():
				return
			case <-time.After(time.Millisecond):
			}
		}
	}()
	_, err := tools.Call(ctx, "run_command", args(t, "command", "sh -c 'touch begun; sleep 60'"))
	<-watch
	require.ErrorIs(t, err, why)
}
