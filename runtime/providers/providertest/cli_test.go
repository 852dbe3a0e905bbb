package providertest_test

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/providers/providertest"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// play runs the program once.
func play(t *testing.T, cli *providertest.CLI, args ...string) (stdout string, code int) {
	t.Helper()
	cmd := exec.Command(cli.Path, args...)
	cmd.Dir = t.TempDir()
	cmd.Stdin = strings.NewReader("prompt")
	out, err := cmd.Output()
	if _, exited := err.(*exec.ExitError); !exited {
		require.NoError(t, err)
	}
	return string(out), cmd.ProcessState.ExitCode()
}

func TestCLIPlaysItsStepsInOrder(t *testing.T) {
	cli, err := providertest.NewCLI(t.TempDir(), providertest.CLIAnswer("one"), providertest.CLIExit(3, "two"))
	require.NoError(t, err)
	version, code := play(t, cli, "--version")
	assert.Equal(t, "2.1.0 (Claude Code)\n", version)
	assert.Zero(t, code)
	out, code := play(t, cli, "-p", "--resume=s-1")
	assert.Contains(t, out, `"result":"one"`)
	assert.Contains(t, out, `"session_id":"s-1"`)
	assert.Zero(t, code)
	_, code = play(t, cli)
	assert.Equal(t, 3, code)
	_, code = play(t, cli)
	assert.Equal(t, 70, code, "there is no third step")
	require.NoError(t, cli.Add(providertest.CLIAnswer("unused"), providertest.CLIAnswer("four").Always()))
	for range 3 {
		out, _ = play(t, cli)
		assert.Contains(t, out, `"result":"four"`)
	}
	calls, err := cli.Calls()
	require.NoError(t, err)
	require.Len(t, calls, 6)
	assert.Equal(t, "prompt", calls[0].Prompt)
	assert.Equal(t, "s-1", calls[0].Resumed())
	assert.Empty(t, calls[1].Resumed())
}

func TestCLIStepsAreValues(t *testing.T) {
	base := providertest.CLIAnswer("x").Write("a", "")
	one, two := base.Write("b", "").Cost(1, 2, 3), base.Write("c", "")
	assert.Equal(t, "b", one.Files[1].Path)
	assert.Equal(t, "c", two.Files[1].Path)
	assert.Len(t, base.Files, 1)
	assert.NotEqual(t, one.Result, base.Result)
}

func TestCLIStepOfWhatNoProgramDoes(t *testing.T) {
	for _, ev := range []taxonomy.Evidence{
		{}, {Type: "not_found"}, {Type: "start"}, {Errno: "ENOENT"}, {Op: "available", ExitCode: taxonomy.Some(1)},
	} {
		_, ok := providertest.CLIStepOf(ev)
		assert.False(t, ok, "%+v", ev)
	}
}
