//go:build unix

package providertest_test

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/providers/providertest"
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
	out, code := play(t, cli, "-p", "--resume=s-1", "a\nb")
	assert.Contains(t, out, `"result":"one"`)
	assert.Contains(t, out, `"session_id":"s-1"`)
	assert.Zero(t, code)
	_, code = play(t, cli)
	assert.Equal(t, 3, code)
	_, code = play(t, cli)
	assert.Equal(t, 70, code, "there is no third step")
	require.NoError(t, cli.Add(
		providertest.CLIAnswer("unused"), providertest.CLIAnswer("four"), providertest.CLIAnswer("it's five").Always()))
	for _, want := range []string{"four", "it's five", "it's five"} {
		out, _ = play(t, cli)
		assert.Contains(t, out, `"result":"`+want+`"`)
	}
	calls, err := cli.Calls()
	require.NoError(t, err)
	require.Len(t, calls, 6)
	assert.Equal(t, "prompt", calls[0].Prompt)
	assert.Equal(t, []string{"-p", "--resume=s-1", "a\nb"}, calls[0].Args)
	assert.Equal(t, "s-1", calls[0].Resumed())
	assert.Empty(t, calls[1].Resumed())
	assert.Contains(t, calls[0].Env, "PATH")
}

func TestCLIStepsAreValues(t *testing.T) {
	base := providertest.CLIAnswer("x")
	assert.Equal(t, "y", base.With("result", "y").Result["result"])
	assert.Equal(t, "x", base.Result["result"])
}

// Each fixture is a response that a client can read, or a script that runs.
func TestFixtures(t *testing.T) {
	for _, dir := range []string{"anthropic", "openai", "gateway"} {
		names := providertest.Fixtures(dir)
		assert.NotEmpty(t, names)
		for _, name := range names {
			r := providertest.Fixture(name)
			res, body, err := post(t, client(t), server(t, r).URL, "")
			require.NoError(t, err, name)
			assert.Equal(t, r.Status, res.StatusCode, name)
			assert.Equal(t, r.Body, body, name)
			assert.NotEmpty(t, body, name)
		}
	}
	var steps []providertest.CLIStep
	for _, name := range providertest.Fixtures("claude") {
		steps = append(steps, providertest.CLIFixture(name))
	}
	assert.NotEmpty(t, steps)
	cli, err := providertest.NewCLI(t.TempDir(), steps...)
	require.NoError(t, err)
	for range steps {
		out, code := play(t, cli)
		assert.Contains(t, out, `"session_id":"00000000-`)
		assert.NotEqual(t, 70, code)
	}
	assert.Panics(t, func() { providertest.Fixture("none") })
	assert.Panics(t, func() { providertest.CLIFixture("none") })
}
