package main_test

import (
	"maps"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/detect"
	"github.com/errgen/errgen/runtime/taxonomy"

	"orchestrator.example.com/runner/errs"
)

// label is the report of an agent that calls its failure by a code.
func label(code string, change ...func(*taxonomy.Evidence)) *taxonomy.Evidence {
	ev := &taxonomy.Evidence{
		Source: "agent", Op: "execute", Text: "I stopped there.",
		Attributes: map[string]string{"step": "2.3", "tier": "sonnet"},
	}
	if code != "" {
		ev.Attributes["label"] = code
	}
	for _, c := range change {
		c(ev)
	}
	return ev
}

func exit(code int) func(*taxonomy.Evidence) {
	return func(ev *taxonomy.Evidence) { ev.ExitCode = taxonomy.Some(code) }
}

func kind(name string) func(*taxonomy.Evidence) {
	return func(ev *taxonomy.Evidence) { ev.Type = name }
}

func text(s string) func(*taxonomy.Evidence) { return func(ev *taxonomy.Evidence) { ev.Text = s } }

func errno(name string) func(*taxonomy.Evidence) {
	return func(ev *taxonomy.Evidence) { ev.Errno = name }
}

func reason(name string) func(*taxonomy.Evidence) {
	return func(ev *taxonomy.Evidence) {
		ev.Attributes = maps.Clone(ev.Attributes)
		ev.Attributes["reason"] = name
	}
}

// O18: a tier that classifies labels its failure, and the label is taken where nothing says
// otherwise.
func TestLabels(t *testing.T) {
	check(t, []row{
		{"O18 prerequisite", label("PREREQUISITE_FAILURE"), prerequisite, false, findOut},
		{"O18 execution", label("EXECUTION_ERROR"), execution, false, analyse},
		{"O18 unexpected", label("UNEXPECTED_RESULT"), unexpected, false, verifyIt},
		{"O18 ambiguity", label("AMBIGUITY_ERROR"), ambiguous, false, findOut},
		{"O18 with its finding", label("UNEXPECTED_RESULT", kind("count")), unexpected, false, verifyIt},
		{"O18 with its finding, of the plan", label("AMBIGUITY_ERROR", kind("silent_plan")), ambiguous, false, findOut},

		{"O18 O9 a reason decides whether it may pass", label("PREREQUISITE_FAILURE", reason("service_unavailable")),
			prerequisite, true, tryAgain},
		{"O18 O9 and that it does not", label("PREREQUISITE_FAILURE", reason("missing_file")), prerequisite, false,
			findOut},
		{"O18 O10 flaky", label("EXECUTION_ERROR", reason("flaky_test"), exit(1)), execution, true, runAgain},
		{"O18 O10 a design flaw", label("EXECUTION_ERROR", reason("design_flaw"), exit(1)), execution, false, analyse},
		{"O18 O11 a race", label("UNEXPECTED_RESULT", reason("race_condition")), unexpected, true, makeAgain},
		{"O18 O11 a wrong algorithm", label("UNEXPECTED_RESULT", reason("wrong_algorithm")), unexpected, false,
			verifyIt},
		{"O18 O12 never", label("AMBIGUITY_ERROR", reason("network")), ambiguous, false, findOut},
		{"a reason of another category", label("EXECUTION_ERROR", reason("service_unavailable")), execution, false,
			analyse},
		{"an unknown reason", label("PREREQUISITE_FAILURE", reason("bad_luck")), prerequisite, false, findOut},
	})
}

// O36, O38: a label outranks the exit status, errno, text and type that its agent reports beside
// it. A timeout and a signal outrank the label.
func TestLabelsBesideFacts(t *testing.T) {
	missing := text("cat: CLAUDE.md: No such file or directory")
	signal := func(ev *taxonomy.Evidence) { ev.Signal = "SIGKILL" }
	check(t, []row{
		{"the label 1 before an exit status", label("PREREQUISITE_FAILURE", exit(1)), prerequisite, false, findOut},
		{"the label 1 before a type of 5", label("PREREQUISITE_FAILURE", kind("silent_plan")), prerequisite, false,
			findOut},
		{"the label 2 before an errno", label("EXECUTION_ERROR", errno("ENOENT")), execution, false, analyse},
		{"the label 2 before an exit status of 1", label("EXECUTION_ERROR", exit(127)), execution, false, analyse},
		{"the label 2 before a text", label("EXECUTION_ERROR", exit(1), missing), execution, false, analyse},
		{"the label 2 before a type of 5", label("EXECUTION_ERROR", kind("silent_plan")), execution, false, analyse},
		{"the label 3 before an exit status", label("UNEXPECTED_RESULT", exit(1)), unexpected, false, verifyIt},
		{"the label 3 before a text", label("UNEXPECTED_RESULT", missing), unexpected, false, verifyIt},
		{"the label 5 before an exit status", label("AMBIGUITY_ERROR", exit(1)), ambiguous, false, findOut},
		{"the label 5 before a text", label("AMBIGUITY_ERROR", text("--- FAIL: TestSum (0.00s)")), ambiguous, false,
			findOut},
		{"the label 5 before an errno that may pass", label("AMBIGUITY_ERROR", errno("ECONNREFUSED")), ambiguous, false,
			findOut},
		{"the label 5 before a type of 1", label("AMBIGUITY_ERROR", kind("not_found")), ambiguous, false, findOut},
		{"a timeout before the label 1", label("PREREQUISITE_FAILURE", kind("timeout")), execution, true, runAgain},
		{"a timeout before the label 5", label("AMBIGUITY_ERROR", kind("timeout")), execution, true, runAgain},
		{"a signal before the label 3", label("UNEXPECTED_RESULT", signal), execution, false, analyse},
		{"a signal before the label 5", label("AMBIGUITY_ERROR", exit(1), signal), execution, false, analyse},
	})
	// The failure of a call, such as a refusal or a rate limit, is no report of an agent.
	for code, want := range map[string]error{
		"rate_limit_error": limited, "refusal": turnedDown, "timeout": unavailable,
	} {
		ev := label("AMBIGUITY_ERROR", kind(code))
		ev.Source, ev.Op = "anthropic-api", "call"
		assert.ErrorIs(t, errs.Classify(ev), want)
	}
}

// B-O03: an agent cannot name a misalignment, of itself or of another, nor anything else that no
// rule takes from it. What it reports is then judged by what it shows, as if it had no label.
func TestLabelsThatAreRefused(t *testing.T) {
	check(t, []row{
		{"B-O03 misalignment", label("INTER_AGENT_MISALIGNMENT"), unclassified, false, findOut},
		{"B-O03 misalignment with its finding", label("INTER_AGENT_MISALIGNMENT", kind("fabrication")), unclassified,
			false, findOut},
		{"B-O03 misalignment with its reason", label("INTER_AGENT_MISALIGNMENT", reason("context_overflow")),
			unclassified, false, findOut},
		{"B-O03 misalignment beside an exit status", label("INTER_AGENT_MISALIGNMENT", exit(1)), execution, false,
			analyse},
		{"B-O03 misalignment beside a missing file", label("INTER_AGENT_MISALIGNMENT", errno("ENOENT")), prerequisite,
			false, findOut},
		{"B-O03 unclassified beside an exit status", label("UNCLASSIFIED", exit(1)), execution, false, analyse},
		{"B-O03 unclassified", label("UNCLASSIFIED"), unclassified, false, findOut},
		{"a tier's own", label("TIER_RATE_LIMITED"), unclassified, false, findOut},
		{"a tier's own, as an API says it", label("", kind("rate_limit_error")), unclassified, false, findOut},
		{"a tier's own, by a code of an API", label("", code("insufficient_quota")), unclassified, false, findOut},
		{"an unknown code", label("DISK_FULL"), unclassified, false, findOut},
		{"a code in other letters", label("execution_error"), unclassified, false, findOut},
		{"a category", label("execution"), unclassified, false, findOut},
		{"an unknown code beside an exit status", label("DISK_FULL", exit(2)), execution, false, analyse},
	})
	for _, source := range []string{"step", "check", "plan", "review"} {
		t.Run("a label is an agent's, and none from "+source, func(t *testing.T) {
			for _, code := range errs.Table.Taxonomy.Codes() {
				labelled := map[string]string{"label": code.Value}
				err := errs.Classify(&taxonomy.Evidence{Source: source, Attributes: labelled})
				bare := errs.Classify(&taxonomy.Evidence{Source: source})
				assert.Equal(t, taxonomy.CodeOf(bare), taxonomy.CodeOf(err), code.Value)
			}
		})
	}
}

// O19, B-O04: what a tier reports that does not classify is text, and is judged by rules.
func TestRawReports(t *testing.T) {
	raw := func(s string) *taxonomy.Evidence { return label("", text(s)) }
	check(t, []row{
		{"O19 O21 a missing file", raw("I could not read it:\ncat: CLAUDE.md: No such file or directory\nSTEP FAILED"),
			prerequisite, false, findOut},
		{"O19 a refused connection",
			raw("curl: (7) Failed to connect to localhost port 1: Connection refused\nSTEP FAILED"), prerequisite, true,
			tryAgain},
		{"O19 tests", raw("--- FAIL: TestSum (0.00s)\nSTEP FAILED"), execution, false, analyse},
		{"O19 B-O03 a name is text only", raw("AMBIGUITY_ERROR: two files fit\nSTEP FAILED"), unclassified, false,
			findOut},
		{"O19 B-O01 nothing that is known", raw("it did not work out\nSTEP FAILED"), unclassified, false, findOut},
	})
}

// The labels that an agent may give are those that the table of rules takes, and no list anywhere
// else.
func TestLabelsThatAreTaken(t *testing.T) {
	var taken []string
	for _, code := range errs.Table.Taxonomy.Codes() {
		x := errs.Explain(label(code.Value, text("")))
		if x.Outcome == detect.Matched {
			require.Equal(t, code.Value, taxonomy.CodeOf(x.Err))
			taken = append(taken, code.Value)
		}
	}
	assert.Equal(t, []string{"PREREQUISITE_FAILURE", "EXECUTION_ERROR", "UNEXPECTED_RESULT", "AMBIGUITY_ERROR"}, taken)
}
