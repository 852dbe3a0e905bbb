package triage_test

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/internal/signature"
	"github.com/errgen/errgen/runtime/detect"
	"github.com/errgen/errgen/runtime/detect/triage"
	"github.com/errgen/errgen/signatures"
)

func library(t testing.TB) *detect.Rules {
	t.Helper()
	list, err := signatures.Library()
	require.NoError(t, err)
	m, err := signature.NewMatcher(list)
	require.NoError(t, err)
	m.Rules.Make = nil
	return m.Rules
}

// noHost is a failure of the network.
const noHost = "curl: (6) Could not resolve host: a.example"

func TestLog(t *testing.T) {
	const failed = "##[error]Process completed with exit code 1.\n"
	rules := library(t)
	for _, tt := range []struct {
		name    string
		log     string
		stated  triage.Outcome
		outcome triage.Outcome
		line    int // of the cause; 0 if it is unknown
		class   string
	}{
		{name: "empty", log: ""},
		{name: "a passed job has no cause", log: "error: it is broken\nFinished: SUCCESS\n", outcome: triage.Succeeded},
		{name: "the caller knows that the job passed", log: "a.c:3:5: error: x\n", stated: triage.Succeeded,
			outcome: triage.Succeeded},
		{name: "a stage is not the cause while a diagnosis is there",
			log: "make: *** [b] Error 1\na.c:3:5: error: x\n" + failed, outcome: triage.Failed, line: 2,
			class: "compile_error"},
		{name: "a stage is the cause if there is nothing else",
			log: "ok\nmake: *** [b] Error 1\n" + failed, outcome: triage.Failed, line: 2},
		{name: "a stage may contain the reason",
			log:     "ok\nError processing tar file(exit status 1): write /a.jar: no space left on device\n" + failed,
			outcome: triage.Failed, line: 2, class: "disk_full"},
		{name: "a stage that only looks like a crash has no class",
			log: "ok\nscript exited with code 1\n" + failed, outcome: triage.Failed, line: 2},
		{name: "a margin is not part of a message",
			log: "\u2502 Error: write /a.jar: no space left on device\n", line: 1, class: "disk_full"},
		{name: "an error of a container build has a number",
			log: "#19 ERROR: write /a.jar: no space left on device\n", line: 1, class: "disk_full"},
		{name: "a warning is not the cause",
			log:     "x.py:3: UserWarning: Unable to locate credentials\n" + noHost + "\n" + failed,
			outcome: triage.Failed, line: 2, class: "dns_failure"},
		{name: "what is repeated is not the cause",
			log:     noHost + ", retrying\n--- FAIL: TestA (0.01s)\n" + failed,
			outcome: triage.Failed, line: 2, class: "test_failure"},
		{name: "a failure of the network in the report of a test is the test's",
			log:     "--- FAIL: TestA (0.01s)\n    dial tcp 127.0.0.1:1: connect: connection refused\n" + failed,
			outcome: triage.Failed, line: 1, class: "test_failure"},
		{name: "the first step that failed",
			log: "##[group]Run make\nerror: x\ndial tcp 127.0.0.1:1: connect: connection refused\n" +
				failed + "##[group]Run upload\n" + noHost + "\n" + failed,
			outcome: triage.Failed, line: 3, class: "connection_refused"},
		{name: "the last cluster of errors",
			log: noHost + "\n" + strings.Repeat("building\n", 50) +
				"cp: cannot stat 'a': No such file or directory\n" + failed,
			outcome: triage.Failed, line: 52, class: "file_not_found"},
		{name: "a cancelled job", log: "building\n##[error]The operation was canceled.\n", outcome: triage.Failed,
			line: 2, class: "cancelled"},
		{name: "times, levels and colours are ignored",
			log:     "2026-01-02T03:04:05.678Z \x1b[31m[ERROR]\x1b[0m " + noHost + "\r\n" + failed,
			outcome: triage.Failed, line: 1, class: "dns_failure"},
		{name: "the last version of a line that was overwritten",
			log: "10%\r50%\r" + noHost + "\r\n" + failed, outcome: triage.Failed,
			line: 1, class: "dns_failure"},
		{name: "lines count by line feeds", log: "a\rb\rc\n" + noHost + "\n" + failed,
			outcome: triage.Failed, line: 2, class: "dns_failure"},
		{name: "a cause without a class", log: "##[group]Run frob\nfrob: cannot reticulate splines\n" + failed,
			outcome: triage.Failed, line: 2},
		{name: "an unknown outcome needs an error", log: "the tests of failed logins are missing\n"},
		{name: "an unknown outcome with a diagnosis", log: "a.c:3:5: error: x\n", line: 1, class: "compile_error"},
		{name: "an unknown outcome, and a failure of the network long before the end",
			log: noHost + "\n" + strings.Repeat("building\n", 300), line: 1},
		{name: "a log without a line feed at its end", log: noHost,
			stated: triage.Failed, outcome: triage.Failed, line: 1, class: "dns_failure"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r, err := rules.Log(strings.NewReader(tt.log), tt.stated, nil)
			require.NoError(t, err)
			assert.Equal(t, tt.outcome, r.Outcome)
			line, class := 0, ""
			if r.Cause != nil {
				line, class = r.Cause.Line, r.Cause.Class.Name
			}
			assert.Equal(t, tt.line, line)
			assert.Equal(t, tt.class, class)
		})
	}
}

func TestSideFailures(t *testing.T) {
	r, err := library(t).Log(strings.NewReader("##[group]Run make\na.c:3:5: error: x\n"+
		"##[error]Process completed with exit code 1.\n##[group]Run upload\n"+noHost+"\n"),
		triage.Unknown, nil)
	require.NoError(t, err)
	require.Len(t, r.Side, 1)
	assert.Equal(t, 5, r.Side[0].Line)
	assert.Equal(t, "dns_failure", r.Side[0].Class.Name)
}

func TestReadError(t *testing.T) {
	_, err := library(t).Log(iotest.ErrReader(io.ErrClosedPipe), triage.Unknown, nil)
	assert.True(t, errors.Is(err, io.ErrClosedPipe))
}

func TestLongLine(t *testing.T) {
	r, err := library(t).Log(strings.NewReader(strings.Repeat("x", 1<<20)+"\na.c:3:5: error: x\n"), triage.Unknown, nil)
	require.NoError(t, err)
	assert.Equal(t, 2, r.Lines)
	assert.Equal(t, 2, r.Cause.Line)
}

func TestKindNames(t *testing.T) {
	for k := triage.None; k <= triage.Place; k++ {
		named, ok := triage.KindNamed(k.String())
		assert.True(t, ok)
		assert.Equal(t, k, named)
	}
}

// A log of any bytes has a result whose lines are in the log.
func FuzzLog(f *testing.F) {
	f.Add("##[group]Run a\nerror: x\r\n\x1b[31mE   b\n##[error]Process completed with exit code 1.\n")
	f.Add("[2024-01-02T03:04:05Z] [ERROR] #12 3.4 x\n\n--- FAIL: TestA\n$ make\nThe command \"make\" exited with 1.\n")
	rules := library(f)
	f.Fuzz(func(t *testing.T, log string) {
		r, err := rules.Log(strings.NewReader(log), triage.Failed, nil)
		require.NoError(t, err)
		lines := strings.Count(log, "\n")
		if !strings.HasSuffix(log, "\n") && log != "" {
			lines++
		}
		assert.Equal(t, lines, r.Lines)
		if r.Cause != nil {
			assert.True(t, 1 <= r.Cause.Line && r.Cause.Line <= lines, fmt.Sprint(r.Cause.Line))
		}
	})
}
