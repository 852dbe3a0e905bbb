package plan

import (
	"encoding/json"
	"regexp"
	"strings"

	"github.com/errgen/errgen/runtime/taxonomy"
)

// report is the answer of a tier. Its last line is the claim. If the tier classifies, a block of
// JSON may precede the claim.
type report struct {
	done bool
	raw  string // the answer without the claim

	Label        string          `json:"label"`   // the tier's name for the failure
	Finding      string          `json:"finding"` // the type of the evidence
	Reason       string          `json:"reason"`
	ExitCode     *int            `json:"exit_code"`
	Signal       string          `json:"signal"`
	Files        []string        `json:"files"`
	Cause        string          `json:"cause"`
	Needed       string          `json:"needed"`       // a decision, or something to provide
	Instructions string          `json:"instructions"` // corrected by the tier
	Findings     []reviewFinding `json:"findings"`     // of a review
}

type reviewFinding struct {
	Type   string   `json:"type"`
	Text   string   `json:"text"`
	Reason string   `json:"reason"`
	Files  []string `json:"files"`
}

// subject is the first word of a claim, its name. Good is the second word of a claim of success.
type subject struct{ name, good string }

var (
	stepClaim   = subject{"STEP", "DONE"}
	reviewClaim = subject{"REVIEW", "PASSED"}

	findingWord = regexp.MustCompile(`^[a-z][a-z_]{0,39}$`)
	signalName  = regexp.MustCompile(`^SIG[A-Z0-9+-]{1,12}$`)
)

// readReport reads an answer and reports whether its last line is a claim with the mark of the
// call. Texts from elsewhere cannot contain the mark, so they cannot make a claim.
func readReport(answer string, of subject, mark string, classifies bool) (*report, bool) {
	raw, claim := cutClaim(answer)
	good := claim == of.name+" "+of.good+" "+mark
	if mark == "" || !good && claim != of.name+" FAILED "+mark {
		return nil, false
	}
	r := &report{raw: raw}
	if classifies {
		r.readBlock()
	}
	failed := r.Label != "" || len(r.Findings) > 0 || r.ExitCode != nil && *r.ExitCode != 0
	r.done = good && !failed
	return r, true
}

// cutClaim separates the last line of an answer from the text before it.
func cutClaim(answer string) (raw, claim string) {
	answer = strings.TrimRight(answer, " \t\r\n")
	i := strings.LastIndexByte(answer, '\n')
	return strings.TrimRight(answer[:max(i, 0)], " \t\r\n"), strings.TrimSpace(answer[i+1:])
}

// readBlock reads the block of JSON at the end of the text. An invalid block stays text.
func (r *report) readBlock() {
	text, ok := strings.CutSuffix("\n"+r.raw, "\n```")
	i := strings.LastIndex(text, "\n```json\n")
	if !ok || i < 0 {
		return
	}
	var block report
	if json.Unmarshal([]byte(text[i+len("\n```json\n"):]), &block) == nil {
		block.raw = r.raw
		*r = block
	}
}

// evidence returns the failure that a tier reports for a step.
func (r *report) evidence(step, tier string) *taxonomy.Evidence {
	ev := &taxonomy.Evidence{Source: "agent", Op: "execute", Text: r.raw, Files: r.Files,
		Attributes: map[string]string{"step": step, "tier": tier}}
	if findingWord.MatchString(r.Finding) {
		ev.Type = r.Finding
	}
	if signalName.MatchString(r.Signal) {
		ev.Signal = r.Signal
	}
	if r.ExitCode != nil {
		ev.ExitCode = taxonomy.Some(*r.ExitCode)
	}
	setAttribute(ev, "label", r.Label)
	setAttribute(ev, "reason", r.Reason)
	return ev
}

// evidenceOf returns the findings of a review as evidence. If a review failed without findings, its
// text is the only finding.
func (r *report) evidenceOf(source, op, step string) []*taxonomy.Evidence {
	findings := r.Findings
	if len(findings) == 0 && !r.done {
		findings = []reviewFinding{{Text: r.raw}}
	}
	var found []*taxonomy.Evidence
	for _, f := range findings {
		ev := &taxonomy.Evidence{Source: source, Op: op, Text: f.Text, Files: f.Files,
			Attributes: map[string]string{"step": step}}
		if findingWord.MatchString(f.Type) {
			ev.Type = f.Type
		}
		setAttribute(ev, "reason", f.Reason)
		found = append(found, ev)
	}
	return found
}

func setAttribute(ev *taxonomy.Evidence, name, value string) {
	if value != "" {
		ev.Attributes[name] = value
	}
}
