package main_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/detect"
	"github.com/errgen/errgen/runtime/taxonomy"

	"orchestrator.example.com/runner/errs"
)

const (
	prerequisite = errs.CodePrerequisiteFailure
	execution    = errs.CodeExecutionError
	unexpected   = errs.CodeUnexpectedResult
	misaligned   = errs.CodeInterAgentMisalignment
	ambiguous    = errs.CodeAmbiguityError
	unclassified = errs.CodeUnclassified
)

// step is a command of a step that ended with an exit status and something on standard error.
func step(exit int, text string) *taxonomy.Evidence {
	return &taxonomy.Evidence{Source: "step", ExitCode: taxonomy.Some(exit), Text: text}
}

// because adds the reason to evidence.
func because(ev *taxonomy.Evidence, reason string) *taxonomy.Evidence {
	ev.Attributes = map[string]string{"reason": reason}
	return ev
}

// finding is evidence of a check, a review or a plan.
func finding(source, kind string) *taxonomy.Evidence {
	return &taxonomy.Evidence{Source: source, Type: kind}
}

type row struct {
	name      string
	raw       any
	code      error
	retryable bool
	reaction  done
}

// check classifies the evidence of each row, and compares the reactions in each profile.
func check(t *testing.T, rows []row) {
	for _, tt := range rows {
		t.Run(tt.name, func(t *testing.T) {
			err := errs.Classify(tt.raw, detect.WithSource(errs.SourceStep))
			require.ErrorIs(t, err, tt.code, "%s", errs.Explain(tt.raw, detect.WithSource(errs.SourceStep)))
			task := failTask
			if tt.retryable {
				task = blockTask
			}
			for profile, want := range map[taxonomy.ProfileName]done{
				"": tt.reaction, errs.ProfileChains: recordAndStop, errs.ProfileTasks: task,
			} {
				table, failed := errs.Table.Profile(profile)
				require.NoError(t, failed)
				assert.Equal(t, want, doneBy(table.Reaction(err)), "profile %q", profile)
				assert.Equal(t, tt.retryable, table.Retryable(err),
					"a profile changes what is done, and not what it is")
			}
		})
	}
}

// O9 to O13: whether the same may succeed unchanged depends on the reason.
func TestRetryable(t *testing.T) {
	check(t, []row{
		{"O9 a service restarts", because(finding("step", "not_found"), "service_unavailable"), prerequisite, true,
			tryAgain},
		{"O9 the service is away", &taxonomy.Evidence{Source: "step", Status: 503}, prerequisite, true, tryAgain},
		{"O9 the service is away, as a text", step(1, "503 Service Unavailable"), prerequisite, true, tryAgain},
		{"O9 a blip of the network", &taxonomy.Evidence{Source: "step", Errno: "ECONNRESET"}, prerequisite, true,
			tryAgain},
		{"O9 a missing file", &taxonomy.Evidence{Source: "step", Errno: "ENOENT"}, prerequisite, false, findOut},
		{"O9 a wrong path", &taxonomy.Evidence{Source: "step", Errno: "ENOTDIR"}, prerequisite, false, findOut},
		{"O9 a missing dependency", because(finding("step", "not_found"), "missing_dependency"), prerequisite, false,
			findOut},
		{"O9 no reason", finding("step", "not_found"), prerequisite, false, findOut},

		{"O10 a timeout", finding("step", "timeout"), execution, true, runAgain},
		{"O10 a deadline", fmt.Errorf("run the step: %w", context.DeadlineExceeded), execution, true, runAgain},
		{"O10 a write conflict", &taxonomy.Evidence{Source: "step", Errno: "EBUSY"}, execution, true, runAgain},
		{"O10 a write conflict of git", step(128, "fatal: Unable to create '/r/.git/index.lock': File exists."),
			execution, true, runAgain},
		{"O10 a write conflict of a database", step(1, "sqlite3.OperationalError: database is locked"), execution, true,
			runAgain},
		{"O10 a flaky test", because(step(1, "--- FAIL: TestRace (0.00s)"), "flaky_test"), execution, true, runAgain},
		{"O10 a compilation error", step(1, "./main.go:3:2: undefined: frobnicate"), execution, false, analyse},
		{"O10 a compilation error does not pass for flaky", because(
			step(1, "./main.go:3:2: undefined: frobnicate"), "flaky_test"), execution, false, analyse},
		{"O10 a design flaw", because(step(1, ""), "design_flaw"), execution, false, analyse},
		{"O10 a logic error", because(step(1, "--- FAIL: TestSum (0.00s)"), "logic_error"), execution, false, analyse},
		{"O10 an unknown reason", because(step(1, ""), "bad_luck"), execution, false, analyse},

		{"O11 a stale cache", because(finding("check", "content"), "stale_cache"), unexpected, true, makeAgain},
		{"O11 a race", because(finding("check", "count"), "race_condition"), unexpected, true, makeAgain},
		{"O11 a wrong algorithm", because(finding("check", "count"), "wrong_algorithm"), unexpected, false, verifyIt},
		{"O11 not what the specification says", because(finding("check", "format"), "spec_mismatch"), unexpected, false,
			verifyIt},

		{"O12 never", finding("plan", "unclear_criteria"), ambiguous, false, findOut},
		{"O12 not even for a reason", because(finding("plan", "unclear_criteria"), "timeout"), ambiguous, false,
			findOut},

		{"O13 the context overflows", finding("review", "context_overflow"), misaligned, true, tryWithLess},
		{"O13 the context overflows, as the reason", because(finding("review", "premature_end"), "context_overflow"),
			misaligned, true, tryWithLess},
		{"O13 the context overflows, in words",
			&taxonomy.Evidence{Source: "review", Type: "skipped_steps",
				Text: "it ran out when the context window was exceeded"}, misaligned, true, tryWithLess},
		{"O13 a limit of the model", because(finding("review", "drift"), "model_limitation"), misaligned, false,
			verifyIt},
		{"O13 contradictory instructions", because(finding("review", "over_escalation"), "contradictory_instructions"),
			misaligned, false, verifyIt},
	})
}

// O31 to O38: the first question of the decision tree that fits decides.
func TestDecisionTree(t *testing.T) {
	check(t, []row{
		{"O31 a failed operation", step(1, ""), execution, false, analyse},
		{"O32 1 something is missing", step(1, "cat: CLAUDE.md: No such file or directory"), prerequisite, false,
			findOut},
		{"O33 2 an exit status", step(2, "usage: cat FILE"), execution, false, analyse},
		{"O34 3 another result", finding("check", "format"), unexpected, false, verifyIt},
		{"O35 4 against instructions", finding("review", "contradiction"), misaligned, false, verifyIt},
		{"O36 5 not enough is said", finding("plan", "conflicting_requirements"), ambiguous, false, findOut},

		{"O38 1 before 2, by text", step(1, "./run: line 2: ./missing: No such file or directory"), prerequisite, false,
			findOut},
		{"O38 1 before 2, by exit status", step(127, ""), prerequisite, false, findOut},
		{"O38 1 before 2, by both",
			step(1, "--- FAIL: TestRead (0.00s)\n    read_test.go:8: open a.txt: no such file or directory"),
			prerequisite, false, findOut},
		{"O38 1 before 3", &taxonomy.Evidence{Source: "check", Type: "content", Errno: "ENOENT"}, prerequisite, false,
			findOut},
		{"O38 1 before 4", &taxonomy.Evidence{Source: "review", Type: "drift", Errno: "ENOENT"}, prerequisite, false,
			findOut},
		{"O38 1 before 5", &taxonomy.Evidence{Source: "agent", Type: "silent_plan", Errno: "ENOENT"}, prerequisite,
			false, findOut},
		{"O38 2 before 4", &taxonomy.Evidence{Source: "review", Type: "drift", ExitCode: taxonomy.Some(1)}, execution,
			false, analyse},
		{"O38 2 before 5", &taxonomy.Evidence{Source: "agent", Type: "silent_plan", ExitCode: taxonomy.Some(1)},
			execution, false, analyse},
		{"O38 2 before 3", &taxonomy.Evidence{Source: "check", Type: "count", ExitCode: taxonomy.Some(1)}, execution,
			false, analyse},

		{"B-O01 O37 no to all", &taxonomy.Evidence{Source: "agent", Text: "something is odd about this"}, unclassified,
			false, findOut},
		{"B-O01 nothing is known", &taxonomy.Evidence{}, unclassified, false, findOut},

		{"B-O02 ambiguity before the first step is asked first",
			&taxonomy.Evidence{Source: "plan", Op: "prepare", Type: "unclear_criteria", Errno: "ENOENT"}, ambiguous,
			false, findOut},
		{"B-O02 and last again", &taxonomy.Evidence{Source: "plan", Type: "unclear_criteria", Errno: "ENOENT"},
			prerequisite, false, findOut},
		{"B-O02 what is missing is found before the first step, too",
			&taxonomy.Evidence{Source: "plan", Op: "prepare", Type: "not_found"}, prerequisite, false, findOut},

		{"B-O03 an agent cannot name it", finding("agent", "fabrication"), unclassified, false, findOut},
		{"B-O03 nor by its code", finding("agent", "INTER_AGENT_MISALIGNMENT"), unclassified, false, findOut},
		{"B-O03 nor in words", &taxonomy.Evidence{Source: "agent", Text: "INTER_AGENT_MISALIGNMENT: I skipped step 3"},
			unclassified, false, findOut},
		{"B-O03 nor can a check", finding("check", "drift"), unexpected, false, verifyIt},
		{"B-O03 nor a step that failed", step(1, "INTER_AGENT_MISALIGNMENT: the review is wrong"), execution, false,
			analyse},

		{"B-O07 exit status 127", step(127, "bash: fd: command not found"), prerequisite, false, findOut},
		{"B-O07 permission denied", step(1, "bash: ./run: Permission denied"), prerequisite, false, findOut},
		{"B-O07 connection refused may pass",
			step(7, "curl: (7) Failed to connect to localhost port 1: Connection refused"), prerequisite, true,
			tryAgain},
		{"B-O07 a missing file does not", step(1, "cat: a: No such file or directory"), prerequisite, false, findOut},
		{"B-O07 standard error and exit status 0", step(0, "Traceback (most recent call last):"), unclassified, false,
			findOut},
	})
}

// O39 to O50: what shows a missing prerequisite, and a failed execution.
func TestIndicators(t *testing.T) {
	check(t, []row{
		{"O39 no such file", step(1, "cat: a.md: No such file or directory"), prerequisite, false, findOut},
		{"O39 the bare message", step(1, "No such file or directory"), prerequisite, false, findOut},
		{"O39 of Python", step(1, "FileNotFoundError: [Errno 2] No such file or directory: 'a.md'"), prerequisite,
			false, findOut},
		{"O39 of node", step(1, "Error: ENOENT: no such file or directory, open 'a.md'"), prerequisite, false, findOut},
		{"O39 the message in a sentence",
			&taxonomy.Evidence{Source: "agent", Text: `the manual explains "No such file or directory"`}, unclassified,
			false, findOut},
		{"O40 permission denied", step(1, "mkdir: cannot create directory 'a': Permission denied"), prerequisite, false,
			findOut},
		{"O40 of git", step(128, "git@example.com: Permission denied (publickey)."), prerequisite, false, findOut},
		{"O40 of docker",
			step(1, "Got permission denied while trying to connect: dial unix /var/run/docker.sock: connect: "+
				"permission denied"), prerequisite, false, findOut},
		{"O40 the message in a sentence",
			&taxonomy.Evidence{Source: "agent", Text: "users see permission denied there"}, unclassified, false,
			findOut},
		{"O41 connection refused", step(1, "dial tcp 127.0.0.1:1: connect: connection refused"), prerequisite, true,
			tryAgain},
		{"O41 the bare message", step(1, "Connection refused"), prerequisite, true, tryAgain},
		{"O41 the message in a sentence",
			&taxonomy.Evidence{Source: "agent", Text: "I fixed the page: connection refused is explained now"},
			unclassified, false, findOut},
		{"O42 module not found", step(1, "Error: Module not found"), prerequisite, false, findOut},
		{"O42 ImportError", step(1, "Traceback (most recent call last):\nImportError: cannot import name 'x'"),
			prerequisite, false, findOut},
		{"O42 ModuleNotFoundError", step(1, "ModuleNotFoundError: No module named 'x'"), prerequisite, false, findOut},
		{"O42 of node", step(1, "Error: Cannot find module 'left-pad'"), prerequisite, false, findOut},
		{"O42 of Go", step(1, "main.go:4:2: no required module provides package example.com/x; to add it:"),
			prerequisite, false, findOut},
		{"O42 a module in a sentence",
			&taxonomy.Evidence{Source: "agent", Text: "a module not found in the index is skipped"}, unclassified,
			false, findOut},
		{"O43 a command of bash", step(127, "bash: line 1: fd: command not found"), prerequisite, false, findOut},
		{"O43 a command of sh", step(127, "sh: 1: fd: not found"), prerequisite, false, findOut},
		{"O43 a command of zsh, without a status",
			&taxonomy.Evidence{Source: "agent", Text: "zsh: command not found: fd"}, prerequisite, false, findOut},
		{"O43 in the path", step(1, `exec: "fd": executable file not found in $PATH`), prerequisite, false, findOut},
		{"O44 a variable", step(1, "deploy: environment variable TARGET is not set"), prerequisite, false, findOut},
		{"O44 of bash", step(1, "deploy.sh: line 3: TARGET: unbound variable"), prerequisite, false, findOut},
		{"O44 a configuration's", finding("step", "unset_variable"), prerequisite, false, findOut},

		{"O45 an exit status", step(3, ""), execution, false, analyse},
		{"O46 tests of Go", step(1, "--- FAIL: TestSum (0.00s)"), execution, false, analyse},
		{"O46 tests of Python", step(1, "E   AssertionError: 3 != 4"), execution, false, analyse},
		{"O46 without an exit status", &taxonomy.Evidence{Source: "agent", Text: "FAILED tests/test_sum.py::test_sum"},
			execution, false, analyse},
		{"O46 tests in a sentence", &taxonomy.Evidence{Source: "agent", Text: "the page says how to FAIL a test"},
			unclassified, false, findOut},
		{"O47 compilation", step(2, "main.c:3:1: error: expected ';'"), execution, false, analyse},
		{"O47 without an exit status", &taxonomy.Evidence{Source: "agent", Text: "Build failed with 2 errors"},
			execution, false, analyse},
		{"O48 a merge conflict", step(1, "CONFLICT (content): Merge conflict in a.go"), execution, false, analyse},
		{"O48 a rejected push", step(1, " ! [rejected]        main -> main (fetch first)"), execution, false, analyse},
		{"O49 lint", step(1, "a.py:1:1: F401 unused"), execution, false, analyse},
		{"O49 a clock time is no place", &taxonomy.Evidence{Source: "agent", Text: "at 12:30:05: I stopped"},
			unclassified, false, findOut},
		{"O50 standard error",
			&taxonomy.Evidence{Source: "step", Text: "Traceback (most recent call last):\n  File \"a.py\""}, execution,
			false, analyse},
		{"O50 standard error of a script",
			&taxonomy.Evidence{Source: "step", Text: "deploy.sh: line 3: syntax error near unexpected token"},
			execution, false, analyse},
	})
}

// O51 to O67: findings have names.
func TestFindings(t *testing.T) {
	check(t, []row{
		{"O51 format", finding("check", "format"), unexpected, false, verifyIt},
		{"O52 missing sections", finding("check", "missing_sections"), unexpected, false, verifyIt},
		{"O53 count", finding("check", "count"), unexpected, false, verifyIt},
		{"O54 size", finding("check", "size"), unexpected, false, verifyIt},
		{"O55 content", finding("check", "content"), unexpected, false, verifyIt},
		{"O56 contradiction", finding("review", "contradiction"), misaligned, false, verifyIt},
		{"O57 drift", finding("review", "drift"), misaligned, false, verifyIt},
		{"O58 fabricated fixes", finding("review", "fabrication"), misaligned, false, verifyIt},
		{"O59 skipped steps", finding("review", "skipped_steps"), misaligned, false, verifyIt},
		{"O59 ended early", finding("review", "premature_end"), misaligned, false, verifyIt},
		{"O60 reasoning and action", finding("review", "reasoning_mismatch"), misaligned, false, verifyIt},
		{"O61 issues that are not there", finding("review", "invented_issue"), misaligned, false, verifyIt},
		{"O62 several readings", finding("plan", "several_readings"), ambiguous, false, findOut},
		{"O63 conflicting requirements", finding("plan", "conflicting_requirements"), ambiguous, false, findOut},
		{"O64 unclear criteria", finding("plan", "unclear_criteria"), ambiguous, false, findOut},
		{"O65 unknown recovery", finding("plan", "unknown_recovery"), ambiguous, false, findOut},
		{"O66 the plan is silent", finding("plan", "silent_plan"), ambiguous, false, findOut},
		{"O67 over-escalation", finding("review", "over_escalation"), misaligned, false, verifyIt},
		{"O67 incomplete verification", finding("review", "incomplete_verification"), misaligned, false, verifyIt},
		{"a check of its own", finding("check", "licence"), unexpected, false, verifyIt},
		{"a review of its own", finding("review", "tone"), misaligned, false, verifyIt},
		{"a plan's question of its own", finding("plan", "taste"), unclassified, false, findOut},
	})
}

// O53: the error contains the expected and the actual number.
func TestCountsAreKept(t *testing.T) {
	ev := finding("check", "count")
	ev.Attributes = map[string]string{"expected": "5", "actual": "3"}
	err, ok := errors.AsType[*errs.UnexpectedResultError](errs.Classify(ev))
	require.True(t, ok)
	assert.Equal(t, []string{"5", "3"}, []string{err.Expected.Or(""), err.Actual.Or("")})
}

// The message contains the expectation once, and that a command failed.
func TestFailedCriteriaAreSaidOnce(t *testing.T) {
	ev := finding("check", "content")
	ev.Op, ev.Text = "criteria", "go test ./...: expected exit code 0, found exit code 1"
	ev.Attributes = map[string]string{"expected": "exit code 0", "actual": "exit code 1", "command": "go test ./..."}
	assert.EqualError(
		t, errs.Classify(ev), "unexpected result (command): go test ./...: expected exit code 0, found exit code 1")
}

// A text that mentions a failure is not a failure.
func TestTalk(t *testing.T) {
	texts := []string{
		"I changed the label to read: connection refused",
		"Build failed messages are now red",
		"3 failed, 12 passed is what the old run printed",
		"the text is now: command not found",
		"I wrote: Cannot find module 'x'",
		"the guide says: environment variable HOME is not set",
		"the log says: database is locked",
		"could not serialize access is what the guide explains",
		"the hint for error TS2345: is new",
		"users who read: permission denied must ask",
		"missing environment variable names are listed",
		"HTTP 503 responses are retried",
		"0 failed, 12 passed",
	}
	// What a command prints in this form is a failure.
	reported := []string{"the page shows Error: connection refused", "the code handles: no such file or directory"}
	for _, source := range []string{"step", "agent"} {
		if source == "agent" {
			texts = append(texts, reported...)
		}
		for _, text := range texts {
			t.Run(source+" "+text, func(t *testing.T) {
				ev := taxonomy.Evidence{Source: source, Text: text}
				assert.ErrorIs(t, errs.Classify(&ev), unclassified, "%s", errs.Explain(&ev))
			})
		}
	}
}

// The messages of well-known programs.
func TestForms(t *testing.T) {
	tests := []struct {
		text string
		want error
	}{
		{"ssh: connect to host example.com port 22: Connection refused", prerequisite},
		{`psql: error: connection to server at "localhost" (127.0.0.1), port 5432 failed: Connection refused`,
			prerequisite},
		{"ls: cannot access 'a b': No such file or directory", prerequisite},
		{"cat: 'a b': No such file or directory", prerequisite},
		{"fork/exec ./run: no such file or directory", prerequisite},
		{"Error response from daemon: dial unix /var/run/docker.sock: connect: permission denied", prerequisite},
		{"sqlite3.OperationalError: database is locked", execution},
		{"Tests: 3 failed, 12 passed, 15 total", execution},
		{"3 failed, 12 passed in 0.31s", execution},
		{"ERROR: Build failed with an exception.", execution},
	}
	for _, tt := range tests {
		t.Run(tt.text, func(t *testing.T) { assert.ErrorIs(t, errs.Classify(step(1, tt.text)), tt.want) })
	}
}
