package escalate

import (
	"maps"
	"strings"

	"github.com/errgen/errgen/runtime/internal/text"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// What evidence from an agent says of itself; see the package's vocabulary.
const (
	sourceAgent  = "agent"
	typeNoReport = "no_report"
)

// evidenceOf returns what a tier has reported of a failure as evidence. Of a tier that does not
// classify nothing counts but its words.
func (r *run) evidenceOf(rep Report, tier taxonomy.Tier, role Role, step string) *taxonomy.Evidence {
	return evidenceOf(rep, tier, role, step, r.cfg.MaxEvidence)
}

func evidenceOf(rep Report, tier taxonomy.Tier, role Role, step string, limit int) *taxonomy.Evidence {
	ev := &taxonomy.Evidence{Source: sourceAgent, Op: string(role), Text: rep.Details, Attributes: map[string]string{}}
	if len(ev.Text) > limit {
		ev.Text = text.BothEnds(ev.Text, limit)
	}
	if tier.Classifies {
		ev.Code, ev.Type, ev.ExitCode, ev.Files = rep.Code, rep.Finding, rep.ExitCode, rep.Files
		maps.Copy(ev.Attributes, rep.Context)
	}
	// Whose failure it is, is not the agent's to say.
	ev.Attributes["step"], ev.Attributes["tier"] = step, tier.Name
	if ev.Type == "" && ev.Code == "" && strings.TrimSpace(ev.Text) == "" {
		ev.Type = typeNoReport
	}
	return ev
}

// judge classifies evidence. Why names the rule. Refused says why the label that an agent has given
// is not what the failure became; it is empty without a label, and when the label was taken.
//
//lint:ignore ST1008 as an executor's classifier, it returns the error first
func (r *run) judge(ev *taxonomy.Evidence, label string) (err error, why, refused string) {
	err, why = r.cfg.Calls.Classify(ev, ev.Source, ev.Op)
	if label == "" {
		return err, why, ""
	}
	code, ok := r.cfg.Calls.Table.Code(label)
	switch {
	case !ok:
		return err, why, "there is no such code"
	case code.Value == taxonomy.CodeOf(err):
		return err, why, ""
	case !r.takes(code.Value):
		return err, why, "no rule takes it from an agent"
	}
	return err, why, "outranked: " + why
}

// saidOf returns an answer with what is wrong with its form before it: that is what whoever reads
// its first line has to know.
func saidOf(wrong error, text string) string {
	return strings.TrimRight(bounded(wrong.Error())+"\n\n"+text, "\n")
}

// disagreement says that a tier that classifies thinks otherwise of trying again than the taxonomy,
// which decides; empty when it does not.
func disagreement(rep Report, retryable bool) string {
	said, ok := rep.Retryable.Get()
	switch {
	case !ok || said == retryable:
		return ""
	case said:
		return "it says that trying again may help; the taxonomy says that it does not"
	}
	return "it says that trying again does not help; the taxonomy says that it may"
}

// takes reports that a rule takes the code from an agent as a label.
func (r *run) takes(code string) bool {
	for _, c := range r.claims() {
		if c.Code == code {
			return true
		}
	}
	return false
}
