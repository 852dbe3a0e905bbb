//go:build unix

package validate_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/gen/errs"
	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/executor/proc"
	"github.com/errgen/errgen/runtime/executor/validate"
	"github.com/errgen/errgen/runtime/taxonomy"
)

func lines(lines ...string) []validate.Command {
	commands := make([]validate.Command, len(lines))
	for i, line := range lines {
		commands[i] = validate.Command{Line: line}
	}
	return commands
}

func evidenceOf(t *testing.T, err error) *taxonomy.Evidence {
	t.Helper()
	var ev *taxonomy.Evidence
	require.ErrorAs(t, err, &ev)
	return ev
}

func newValidator(t *testing.T, c validate.Config) *validate.Validator {
	t.Helper()
	if c.Dir == "" {
		c.Dir = t.TempDir()
	}
	v, err := validate.New(c)
	require.NoError(t, err)
	return v
}

func TestValidate(t *testing.T) {
	tests := []struct {
		name    string
		command validate.Command
		exit    taxonomy.Opt[int]
		signal  string
		typ     string
		output  string
		shown   string
	}{
		{"passes", validate.Command{Line: "echo fine"}, taxonomy.Opt[int]{}, "", "", "", ""},
		{"both streams in order", validate.Command{Line: "echo one; echo two >&2; echo three; exit 3"},
			taxonomy.Some(3), "", "exit",
			"one\ntwo\nthree\n", "echo one; echo two >&2; echo three; exit 3"},
		{"arguments are no shell line", validate.Command{Args: []string{"ls", "a; exit 0", "$HOME"}}, taxonomy.Some(2),
			"", "exit",
			"", "ls 'a; exit 0' '$HOME'"},
		{"killed", validate.Command{Line: "echo dying; kill -KILL $$"}, taxonomy.Opt[int]{}, "SIGKILL", "exit",
			"dying\n", "echo dying; kill -KILL $$"},
		{"no such program", validate.Command{Args: []string{"no-such-program-here", "x"}}, taxonomy.Opt[int]{}, "",
			"not_found", "", "no-such-program-here x"},
		{"not a program", validate.Command{Args: []string{"/"}}, taxonomy.Opt[int]{}, "", "start", "", "/"},
		{"standard input is empty", validate.Command{Line: "cat; exit 1"}, taxonomy.Some(1), "", "exit", "",
			"cat; exit 1"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			v := newValidator(t, validate.Config{PreCommit: []validate.Command{tt.command}})
			err := v.Validate(t.Context(), executor.Check{Phase: executor.PreCommit})
			if tt.typ == "" {
				assert.NoError(t, err)
				return
			}
			ev := evidenceOf(t, err)
			assert.Equal(t, "validator", ev.Source)
			assert.Equal(t, "validate_pre_commit", ev.Op)
			assert.Equal(t, tt.typ, ev.Type)
			assert.Equal(t, tt.exit, ev.ExitCode)
			assert.Equal(t, tt.signal, ev.Signal)
			assert.Equal(t, tt.shown, ev.Attribute("command"))
			if tt.name != "arguments are no shell line" {
				assert.Equal(t, tt.output, ev.Output)
			}
			assert.ErrorIs(t, errs.Classify(err), errs.CodeValidationPreCommit)
		})
	}
}

func TestPhases(t *testing.T) {
	v := newValidator(
		t, validate.Config{PrePush: lines("echo push; exit 1"), PrePR: lines("echo pr; exit 1")})
	assert.NoError(t, v.Validate(t.Context(), executor.Check{Phase: executor.PreCommit}))
	assert.NoError(t, v.Validate(t.Context(), executor.Check{Phase: executor.Phase("other")}))
	for phase, code := range map[executor.Phase]error{
		executor.PrePush: errs.CodeValidationPrePush, executor.PrePR: errs.CodeValidationPrePR,
	} {
		err := v.Validate(t.Context(), executor.Check{Phase: phase})
		assert.Equal(t, "validate_"+string(phase), evidenceOf(t, err).Op)
		assert.ErrorIs(t, errs.Classify(err), code)
	}
}

func TestFirstFailureEndsThePhase(t *testing.T) {
	dir := t.TempDir()
	v := newValidator(t, validate.Config{Dir: dir, PreCommit: lines("echo a >> ran", "echo b | tee -a ran; exit 2",
		"echo c >> ran")})
	ev := evidenceOf(t, v.Validate(t.Context(), executor.Check{Phase: executor.PreCommit}))
	assert.Equal(t, taxonomy.Some(2), ev.ExitCode)
	assert.Equal(t, "echo b | tee -a ran; exit 2", ev.Attribute("command"))
	assert.Equal(t, "b\n", ev.Output)
	ran, err := os.ReadFile(filepath.Join(dir, "ran"))
	require.NoError(t, err)
	assert.Equal(t, "a\nb\n", string(ran))
}

// within does something with a limit, and once more with a longer one as long as it has not come so
// far before the limit as it must have: on a machine that is busy nothing may have begun yet.
func within(t *testing.T, limit time.Duration, do func(limit time.Duration) (far bool)) {
	t.Helper()
	for ; !do(limit); limit *= 4 {
		require.Less(t, limit, time.Minute, "it does not begin")
	}
}

func TestTimeLimit(t *testing.T) {
	command := validate.Command{Line: "echo still testing; sleep 1000"}
	var err error
	within(t, 200*time.Millisecond, func(limit time.Duration) bool {
		command.Limit = limit
		v := newValidator(t, validate.Config{PreCommit: []validate.Command{command}})
		err = v.Validate(t.Context(), executor.Check{Phase: executor.PreCommit})
		return evidenceOf(t, err).Output != ""
	})
	ev := evidenceOf(t, err)
	assert.Equal(t, "timeout", ev.Type)
	assert.Equal(t, "still testing\n", ev.Output)
	assert.Equal(t, strconv.FormatInt(command.Limit.Milliseconds(), 10), ev.Attribute("timeout_ms"))
	assert.Equal(t, command.Line, ev.Attribute("command"))
	elapsed, convErr := strconv.Atoi(ev.Attribute("elapsed_ms"))
	require.NoError(t, convErr)
	assert.GreaterOrEqual(t, int64(elapsed), command.Limit.Milliseconds())
	assert.Equal(t, taxonomy.Opt[int]{}, ev.ExitCode)
	assert.Empty(t, ev.Signal)
	classified := errs.Classify(err)
	assert.ErrorIs(t, classified, errs.CodeOperationTimeout)
}

// A run's or an iteration's deadline is a timeout as well, without the command's own limit; a
// cancellation is no failure of the command.
func TestContextEnds(t *testing.T) {
	dir := t.TempDir()
	begun := filepath.Join(dir, "begun")
	v := newValidator(t, validate.Config{Dir: dir,
		PreCommit: lines("echo x | tee begun; sleep 1000", "touch second")})
	check := executor.Check{Phase: executor.PreCommit}
	var err error
	within(t, 100*time.Millisecond, func(limit time.Duration) bool {
		ctx, cancel := context.WithTimeout(t.Context(), limit)
		defer cancel()
		err = v.Validate(ctx, check)
		return exists(begun)
	})
	ev := evidenceOf(t, err)
	assert.Equal(t, "timeout", ev.Type)
	assert.Empty(t, ev.Attribute("timeout_ms"))
	assert.NotEmpty(t, ev.Attribute("elapsed_ms"))
	assert.ErrorIs(t, err, context.DeadlineExceeded)

	require.NoError(t, os.Remove(begun))
	why := errors.New("interrupted by a person")
	stopped, stop := context.WithCancelCause(t.Context())
	go func() {
		assert.Eventually(t, func() bool { return exists(begun) }, time.Minute, time.Millisecond)
		stop(why)
	}()
	for range 2 {
		err = v.Validate(stopped, check)
		assert.ErrorIs(t, err, why)
		assert.False(t, errors.As(err, &ev), "a cancellation is no evidence")
	}
	assert.False(t, exists(filepath.Join(dir, "second")))
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

func TestNoKeysInTheEnvironment(t *testing.T) {
	t.Setenv("ANTHROPIC_API_KEY", "sk-ant-planted")
	t.Setenv("GITHUB_TOKEN", "ghp_planted")
	t.Setenv("PASSED_ON", "as it is")
	v := newValidator(t, validate.Config{
		Env: []string{"CI=1", "PASSED_ON", "NOT_SET_ANYWHERE"},
	})
	got := v.Run(t.Context(), "fix", validate.Command{Args: []string{"env"}})
	require.NoError(t, got.Err)
	environment := got.Output
	assert.NotContains(t, environment, "planted")
	assert.NotContains(t, environment, "NOT_SET_ANYWHERE")
	assert.Contains(t, environment, "CI=1\n")
	assert.Contains(t, environment, "PASSED_ON=as it is\n")
	assert.Contains(t, environment, "PATH=")
}

func TestCommandsRunInTheWorkingTree(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "check.sh"), []byte("#!/bin/sh\npwd -P\n"), 0o700))
	real, err := filepath.EvalSymlinks(dir)
	require.NoError(t, err)
	v := newValidator(t, validate.Config{Dir: dir})
	got := v.Run(t.Context(), "fix", validate.Command{Args: []string{"./check.sh"}})
	require.NoError(t, got.Err)
	assert.Equal(t, real+"\n", got.Output)
}

func TestOutputIsBounded(t *testing.T) {
	v := newValidator(t, validate.Config{
		PreCommit: lines("head -c 1000000000 /dev/zero | tr '\\0' x; echo; echo the end; exit 1"), Output: 1000,
	})
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	err := v.Validate(t.Context(), executor.Check{Phase: executor.PreCommit})
	runtime.ReadMemStats(&after)
	output := evidenceOf(t, err).Output
	assert.Less(t, len(output), 1100)
	assert.True(t, strings.HasPrefix(output, "(999999009 bytes before this are left out)\nxxx"), output[:60])
	assert.True(t, strings.HasSuffix(output, "x\nthe end\n"))
	assert.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(50<<20))
}

// TestOutputBeginsWithNoPartOfASecret: the kept part of a long output can begin within a secret.
func TestOutputBeginsWithNoPartOfASecret(t *testing.T) {
	const limit, secret = 100, "https://user:GIVEN-s3cr3t-GIVEN@host/x"
	for at := 5; at < len(secret); at += 3 {
		printing := func(kept int) string {
			return fmt.Sprintf("echo '%s %s %s'; exit 1", strings.Repeat("y", 40), secret,
				strings.Repeat("x", kept-at-2))
		}
		v := newValidator(t, validate.Config{PreCommit: lines(printing(limit)), Output: limit})
		output := evidenceOf(t, v.Validate(t.Context(), executor.Check{Phase: executor.PreCommit})).Output
		assert.NotContains(t, output, "GIVEN")
		assert.Contains(t, output, " bytes before this are left out)\n")
	}
}

// TestCommandsAreTracked: the caller learns the process of each command, and can refuse it.
// Processes that a command leaves are ended, on Linux also outside its group.
func TestCommandsAreTracked(t *testing.T) {
	dir := t.TempDir()
	v := newValidator(t, validate.Config{Dir: dir, PreCommit: lines("true", "echo $$; touch begun; exec sleep 600"),
		Grace: 100 * time.Millisecond})
	var seen []executor.Process
	err := v.Validate(t.Context(), executor.Check{Phase: executor.PreCommit, Started: func(p executor.Process) error {
		seen = append(seen, p)
		if len(seen) == 2 {
			go func() {
				begun := func() bool { return exists(filepath.Join(dir, "begun")) }
				assert.Eventually(t, begun, time.Minute, time.Millisecond)
				assert.NoError(t, v.End(context.WithoutCancel(t.Context()), p))
			}()
		}
		return nil
	}})
	require.Len(t, seen, 2)
	assert.NotEqual(t, seen[0], seen[1])
	ev, ok := errors.AsType[*taxonomy.Evidence](err)
	require.True(t, ok, "%v", err)
	assert.Equal(t, "SIGTERM", ev.Signal)
	assert.Equal(t, strconv.Itoa(seen[1].PID)+"\n", ev.Output)
	assert.False(t, proc.Alive(proc.ID{PID: seen[1].PID, Start: seen[1].Start}))
	require.NoError(t, v.End(t.Context(), seen[1]), "it is gone")

	err = v.Validate(t.Context(), executor.Check{
		Phase: executor.PreCommit, Started: func(executor.Process) error { return errUnwanted },
	})
	assert.ErrorIs(t, err, errUnwanted)
}

var errUnwanted = errors.New("unwanted")

func TestGrandchildrenAreEnded(t *testing.T) {
	dir := t.TempDir()
	line := "sleep 1000 & echo $! >pids; (setsid sleep 1000 & echo $! >>pids); wait"
	if runtime.GOOS != "linux" {
		line = "sleep 1000 & echo $! >pids; wait"
	}
	var pids []string
	within(t, 500*time.Millisecond, func(limit time.Duration) bool {
		v := newValidator(t, validate.Config{
			Dir: dir, PreCommit: []validate.Command{{Line: line, Limit: limit}}, Grace: 100 * time.Millisecond,
		})
		err := v.Validate(t.Context(), executor.Check{Phase: executor.PreCommit})
		assert.Equal(t, "timeout", evidenceOf(t, err).Type)
		written, readErr := os.ReadFile(filepath.Join(dir, "pids"))
		pids = strings.Fields(string(written))
		return readErr == nil && len(pids) == strings.Count(line, "echo")
	})
	for _, field := range pids {
		pid, convErr := strconv.Atoi(field)
		require.NoError(t, convErr)
		assert.False(t, running(pid), "process %d", pid)
	}
}

// running reports whether a process is there and is no zombie, which only its parent can remove.
func running(pid int) bool {
	if syscall.Kill(pid, 0) != nil {
		return false
	}
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	return err != nil || !strings.Contains(string(stat), ") Z ")
}

func TestSecretsInOutputAreMaskedWhenShown(t *testing.T) {
	v := newValidator(t, validate.Config{PreCommit: lines("echo 'password=hunter2hunter2'; exit 1")})
	err := v.Validate(t.Context(), executor.Check{Phase: executor.PreCommit})
	ev := evidenceOf(t, err)
	assert.Contains(t, ev.Output, "hunter2")
	shown, jsonErr := ev.MarshalJSON()
	require.NoError(t, jsonErr)
	assert.NotContains(t, string(shown), "hunter2")
}

func TestCommandsThatCannotBeRun(t *testing.T) {
	_, err := validate.New(validate.Config{
		PreCommit: []validate.Command{{Line: "ok"}, {}},
		PrePR:     []validate.Command{{Line: "x", Args: []string{"y"}}, {Args: []string{""}}},
	})
	ev := evidenceOf(t, err)
	assert.Equal(t, "pre_commit[1]", ev.Attribute("field"))
	assert.ErrorIs(t, errs.Classify(err), errs.CodeConfigInvalid)
	joined, ok := err.(interface{ Unwrap() []error })
	require.True(t, ok)
	assert.Len(t, joined.Unwrap(), 3)
}

// A command of no phase is run as those of phases are.
func TestRun(t *testing.T) {
	v := newValidator(t, validate.Config{Output: 5})
	passed := v.Run(t.Context(), "fix", validate.Command{Line: "echo fine"})
	assert.NoError(t, passed.Err)
	assert.Equal(t, "fine\n", passed.Output)
	ev := evidenceOf(t, v.Run(t.Context(), "fix", validate.Command{Args: []string{"sh", "-c", "exit 7"}}).
		Err)
	assert.Equal(t, []string{"validator", "fix", "exit"}, []string{ev.Source, ev.Op, ev.Type})
	assert.Equal(t, taxonomy.Some(7), ev.ExitCode)
	ev = evidenceOf(t, v.Run(t.Context(), "fix", validate.Command{}).Err)
	assert.Equal(t, "load_config", ev.Op)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	assert.EqualError(t, v.Run(ctx, "fix", validate.Command{Line: "true"}).Err,
		"fix: run sh: context canceled")
}
