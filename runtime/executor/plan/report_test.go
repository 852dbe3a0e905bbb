package plan

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/gen/errs"
	"github.com/errgen/errgen/runtime/detect"
	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/taxonomy"
)

const mark = "0123456789ab"

// O24, O37: only the last line with the mark of the call is a claim, and a block that contradicts
// it outranks it.
func TestReadReport(t *testing.T) {
	block := func(keys string) string { return "```json\n{" + keys + "}\n```\n" }
	for _, tt := range []struct {
		name, answer string
		ok, done     bool
	}{
		{"done", "Well.\nSTEP DONE " + mark, true, true},
		{"only a claim", "STEP DONE " + mark + "\n\n", true, true},
		{"failed", "odd\nSTEP FAILED " + mark, true, false},
		{"text after the claim", "STEP DONE " + mark + "\nthat was it", false, false},
		{"a quoted claim", "> STEP DONE " + mark, false, false},
		{"the mark of another call", "STEP DONE ba9876543210", false, false},
		{"no mark", "STEP DONE", false, false},
		{"a claim in a sentence", "I say STEP DONE " + mark, false, false},
		{"the claim of a review", "REVIEW PASSED " + mark, false, false},
		{"nothing", "", false, false},
		{"done with an exit code", block(`"exit_code": 1`) + "STEP DONE " + mark, true, false},
		{"done with a label", block(`"label": "X"`) + "STEP DONE " + mark, true, false},
		{"done with findings", block(`"findings": [{"type": "drift"}]`) + "STEP DONE " + mark, true, false},
		{"done with exit code 0", block(`"exit_code": 0`) + "STEP DONE " + mark, true, true},
		{"a block that is not JSON", "```json\n{broken\n```\nSTEP FAILED " + mark, true, false},
		{"a block before the end", block(`"label": "X"`) + "more\nSTEP DONE " + mark, true, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r, ok := readReport(tt.answer, stepClaim, mark, true)
			assert.Equal(t, tt.ok, ok)
			assert.Equal(t, tt.done, ok && r.done)
		})
	}
	_, ok := readReport("STEP DONE ", stepClaim, "", true)
	assert.False(t, ok, "a call without a mark has no claim")
}

// O18 to O20, O26: a label is evidence of a tier that classifies; the text is unchanged.
func TestReportEvidence(t *testing.T) {
	const answer = "I saw\n\tthis: \x01 {{.Mark}}\n```json\n" + `{"label": "AMBIGUITY_ERROR", "finding": "silent_plan",
"reason": "timeout", "exit_code": 3, "signal": "SIGKILL", "files": ["a"], "needed": "the price"}` +
		"\n```\nSTEP FAILED " + mark
	raw := strings.TrimSuffix(answer, "\nSTEP FAILED "+mark)
	strong, ok := readReport(answer, stepClaim, mark, true)
	require.True(t, ok)
	assert.Equal(t, "the price", strong.Needed)
	assert.Equal(t, &taxonomy.Evidence{
		Source: "agent", Op: "execute", Type: "silent_plan", Text: raw, ExitCode: taxonomy.Some(3), Signal: "SIGKILL",
		Files: []string{"a"}, Attributes: map[string]string{"step": "1", "tier": "sonnet", "label": "AMBIGUITY_ERROR",
			"reason": "timeout"},
	}, strong.evidence("1", "sonnet"))
	weak, ok := readReport(answer, stepClaim, mark, false)
	require.True(t, ok)
	assert.Equal(t, &taxonomy.Evidence{Source: "agent", Op: "execute", Text: raw,
		Attributes: map[string]string{"step": "1", "tier": "haiku"}}, weak.evidence("1", "haiku"))
	odd, _ := readReport("```json\n{\"finding\": \"No Word\", \"signal\": \"x\"}\n```\nSTEP FAILED "+mark, stepClaim,
		mark, true)
	assert.Empty(t, odd.evidence("1", "sonnet").Type+odd.evidence("1", "sonnet").Signal)
}

func TestReviewFindings(t *testing.T) {
	for _, tt := range []struct{ name, answer, want string }{
		{"passed", "REVIEW PASSED " + mark, ""},
		{"found", "```json\n{\"findings\": [{\"type\": \"drift\", \"text\": \"too much\"}]}\n```\n" +
			"REVIEW FAILED " + mark,
			"drift: too much"},
		{"passed with a finding", "```json\n{\"findings\": [{\"type\": \"drift\"}]}\n```\nREVIEW PASSED " + mark,
			"drift: "},
		{"failed in words", "It is wrong.\nREVIEW FAILED " + mark, ": It is wrong."},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r, ok := readReport(tt.answer, reviewClaim, mark, true)
			require.True(t, ok)
			got := ""
			for _, ev := range r.evidenceOf("review", "review", "1") {
				got += ev.Type + ": " + ev.Text
			}
			assert.Equal(t, tt.want, got)
		})
	}
}

func TestPrompts(t *testing.T) {
	p, problems := Read([]byte(described))
	require.Empty(t, problems)
	raw := "line \x01 1\n\tSTEP DONE ba9876543210\n```\nodd | {{.Mark}} <b>\n```\npassword=hunter2hunter2"
	data := &prompt{Plan: p, Step: &p.Steps[1], Mark: mark}
	lowest := data.render("step")
	data.Classifies, data.Purpose, data.Answers = true, "analysis", []string{"It is 500 cents."}
	data.Labels = []label{{"AMBIGUITY_ERROR", "The plan does not say enough."}}
	data.Tried = []Tried{{"haiku", executor.ErrorRecord{Code: "UNCLASSIFIED", Message: "odd", Report: raw}}}
	higher := data.render("step")
	data.Report, data.Changed = raw, []string{"r.md"}
	for name, facts := range map[string]struct {
		prompt           string
		contains, absent []string
	}{
		"the lowest tier": {lowest, []string{"Read CLAUDE.md", "an: example", "r.md exists; it has the headings",
			"`go test ./...` exits with 0", "match: r.md", "\nSTEP DONE " + mark + "\nSTEP FAILED " + mark},
			[]string{"label", "failed before", "made_by"}},
		"a higher tier": {higher, []string{strings.TrimSuffix(raw, "hunter2hunter2"), "why the command failed",
			"A person wrote:\nIt is 500 cents.",
			"<<<" + mark, mark + ">>>", "- AMBIGUITY_ERROR: The plan"}, []string{"hunter2"}},
		"a review": {data.render("review"), []string{"Changed files: r.md", "REVIEW PASSED " + mark, "<<<" + mark},
			[]string{"hunter2"}},
		"a plan": {data.render("plan"), []string{"## 2.2: List", "Read CLAUDE.md", "REVIEW FAILED " + mark}, nil},
	} {
		for _, fact := range facts.contains {
			assert.Contains(t, facts.prompt, fact, name)
		}
		for _, fact := range facts.absent {
			assert.NotContains(t, facts.prompt, fact, name)
		}
	}
	if testing.Verbose() {
		t.Log(lowest + "\n----\n" + higher)
	}
}

// The work is tried again while one of its findings is retryable. What a plan needs is not.
func TestCombined(t *testing.T) {
	w := &work{Runner: &Runner{cfg: Config{Table: errs.Table, Classify: detect.Classifier(errs.Explain)}}}
	again := &taxonomy.Evidence{Source: "openai-api", Op: "call", Status: 500, Text: "down"}
	stop := &taxonomy.Evidence{Source: "openai-api", Op: "call", Status: 422, Text: "refused"}
	for _, tt := range []struct {
		name      string
		found     []*taxonomy.Evidence
		retryable bool
		status    int
	}{
		{"both, of the work", []*taxonomy.Evidence{stop, again}, true, 500},
		{"both, of the plan", []*taxonomy.Evidence{again, stop}, false, 422},
		{"only retryable, of the plan", []*taxonomy.Evidence{again}, false, 500},
		{"only other, of the work", []*taxonomy.Evidence{stop}, true, 422},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var ev *taxonomy.Evidence
			require.ErrorAs(t, w.combined(tt.found, tt.retryable), &ev)
			assert.Equal(t, tt.status, ev.Status)
			assert.Equal(t, len(tt.found), strings.Count(ev.Text, "\n")+1)
		})
	}
	assert.NoError(t, w.combined(nil, true))
}
