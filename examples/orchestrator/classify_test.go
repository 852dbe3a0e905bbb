package main_test

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"testing"
	"time"

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

// done is a reaction, as far as these tests compare it.
type done struct {
	reaction string
	action   taxonomy.Action
	to       string
	purpose  taxonomy.Purpose
}

func doneBy(r taxonomy.Reaction) done { return done{r.Name, r.Action, r.Agent.To, r.Agent.Purpose} }

// O32 to O36: the tier that takes over has a purpose.
var (
	findOut  = done{"find_out", taxonomy.Escalate, "sonnet", taxonomy.PurposeDiagnosis}
	analyse  = done{"analyse", taxonomy.Escalate, "sonnet", taxonomy.PurposeAnalysis}
	verifyIt = done{"verify", taxonomy.Escalate, "sonnet", taxonomy.PurposeVerification}
)

// O14: the same tier tries again first.
var (
	tryAgain    = done{reaction: "try_again", action: taxonomy.Retry}
	runAgain    = done{reaction: "run_again", action: taxonomy.Retry}
	makeAgain   = done{reaction: "make_again", action: taxonomy.Retry}
	tryWithLess = done{reaction: "try_with_less", action: taxonomy.Retry}
)

// Reactions to the failures of tiers have no purpose.
var (
	wait      = done{reaction: "wait", action: taxonomy.Retry}
	callAgain = done{reaction: "call_again", action: taxonomy.Retry}
	handOver  = done{reaction: "hand_over", action: taxonomy.Escalate, to: "haiku"}
	askUser   = done{reaction: "ask_user", action: taxonomy.Block}
)

// O16, O17: the reactions of the other subsystems.
var (
	recordAndStop = done{reaction: "record_and_stop", action: taxonomy.Abort}
	blockTask     = done{reaction: "block_task", action: taxonomy.Block}
	failTask      = done{reaction: "fail_task", action: taxonomy.Abort}
)

// TestFailures classifies the lines of testdata/failures.jsonl, and compares the reactions in each
// profile. O9-O13: retryable; O18, O19: labels and reports; O31-O38: the decision tree; O39-O67:
// indicators and findings; B-O01, B-O02, B-O03, B-O07, B-O10.
func TestFailures(t *testing.T) {
	file, err := os.Open("testdata/failures.jsonl")
	require.NoError(t, err)
	defer file.Close()
	for d := json.NewDecoder(file); d.More(); {
		var f struct {
			Row, Code, Reaction string
			Retryable           bool
			Evidence            taxonomy.Evidence
		}
		require.NoError(t, d.Decode(&f))
		t.Run(f.Row, func(t *testing.T) {
			x := errs.Explain(&f.Evidence, detect.WithSource(errs.SourceStep))
			require.Equal(t, f.Code, taxonomy.CodeOf(x.Err), "%s", x)
			assert.Equal(t, f.Retryable, errs.Table.Retryable(x.Err))
			if f.Reaction != "" {
				assert.Equal(t, f.Reaction, errs.Table.Reaction(x.Err).Name)
			}
			task := failTask
			if f.Retryable {
				task = blockTask
			}
			for profile, want := range map[taxonomy.ProfileName]done{
				errs.ProfileChains: recordAndStop, errs.ProfileTasks: task,
			} {
				table, err := errs.Table.Profile(profile)
				require.NoError(t, err)
				assert.Equal(t, want, doneBy(table.Reaction(x.Err)), "profile %q", profile)
			}
		})
	}
}

// B-O03: the labels that rules take are an agent's, and not those of others.
func TestLabels(t *testing.T) {
	var taken []string
	for _, code := range errs.Table.Taxonomy.Codes() {
		labelled := map[string]string{"label": code.Value}
		x := errs.Explain(&taxonomy.Evidence{Source: "agent", Op: "execute", Attributes: labelled})
		if x.Outcome == detect.Matched {
			require.Equal(t, code.Value, taxonomy.CodeOf(x.Err))
			taken = append(taken, code.Value)
		}
		for _, source := range []string{"step", "check", "plan", "review"} {
			err := errs.Classify(&taxonomy.Evidence{Source: source, Attributes: labelled})
			bare := errs.Classify(&taxonomy.Evidence{Source: source})
			assert.Equal(t, taxonomy.CodeOf(bare), taxonomy.CodeOf(err), source+" "+code.Value)
		}
	}
	assert.Equal(t, []string{"PREREQUISITE_FAILURE", "EXECUTION_ERROR", "UNEXPECTED_RESULT", "AMBIGUITY_ERROR"}, taken)
}

// O53: the error contains the expected and the actual number.
func TestCountsAreKept(t *testing.T) {
	ev := &taxonomy.Evidence{Source: "check", Type: "count"}
	ev.Attributes = map[string]string{"expected": "5", "actual": "3"}
	err, ok := errors.AsType[*errs.UnexpectedResultError](errs.Classify(ev))
	require.True(t, ok)
	assert.Equal(t, []string{"5", "3"}, []string{err.Expected.Or(""), err.Actual.Or("")})
}

// The message contains the expectation once, and that a command failed.
func TestFailedCriteriaAreSaidOnce(t *testing.T) {
	ev := &taxonomy.Evidence{Source: "check", Type: "content"}
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

// What a server asks for is kept, and what a program says on a real error channel is heard.
func TestTiersOwnAsItComes(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Retry-After", "17")
		w.WriteHeader(http.StatusTooManyRequests)
		_, _ = w.Write([]byte(`{"type":"error","error":{"type":"rate_limit_error","message":"slow down"}}`))
	}))
	defer server.Close()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, server.URL, nil)
	require.NoError(t, err)
	response, err := server.Client().Do(request)
	require.NoError(t, err)
	defer func() { _ = response.Body.Close() }()
	err = errs.Classify(response, detect.WithSource(errs.SourceAnthropicAPI), detect.WithOp(taxonomy.OpName("call")))
	require.ErrorIs(t, err, errs.CodeTierRateLimited)
	hints := taxonomy.HintsOf(err)
	assert.Equal(t, taxonomy.Some(17*time.Second), hints.RetryAfter)

	_, err = exec.CommandContext(t.Context(), "sh", "-c", "echo 'API Error: 529 overloaded' >&2; exit 1").Output()
	assert.ErrorIs(t, errs.Classify(err, detect.WithSource(errs.SourceClaudeCLI),
		detect.WithOp(taxonomy.OpName("call"))), errs.CodeTierUnavailable)
	_, err = exec.CommandContext(t.Context(), "no-such-agent-anywhere").Output()
	assert.ErrorIs(t, errs.Classify(err, detect.WithSource(errs.SourceClaudeCLI),
		detect.WithOp(taxonomy.OpName("available"))), errs.CodeTierRefused)

	server.Close()
	request, err = http.NewRequestWithContext(t.Context(), http.MethodPost, server.URL, nil)
	require.NoError(t, err)
	_, err = http.DefaultClient.Do(request) //nolint:bodyclose // there is no response
	assert.ErrorIs(t, errs.Classify(err, detect.WithSource(errs.SourceOpenaiAPI),
		detect.WithOp(taxonomy.OpName("call"))), errs.CodeTierUnavailable)
	assert.ErrorIs(t, errs.Classify(err, detect.WithSource(errs.SourceStep)), prerequisite)
}
