package escalate

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"github.com/errgen/errgen/runtime/internal/text"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// Who reports, as the vocabulary of this package has it.
const (
	sourcePlan     = "plan"
	sourceCheck    = "check"
	sourceReview   = "review"
	sourceGit      = "git"
	sourceScope    = "scope"
	sourceEscalate = "executor"
)

// found is one thing that is wrong, classified.
type found struct {
	err      error
	evidence *taxonomy.Evidence // nil when it is not evidence
	source   string
	why      string
	traits   taxonomy.Traits
	// claimed is the label that an agent gave it, refused why that was not taken.
	claimed, refused string
}

// find classifies evidence, with the label that an agent has given it; empty is none.
func (r *run) find(ev *taxonomy.Evidence, label string) found {
	f := found{evidence: ev, source: ev.Source, claimed: label}
	f.err, f.why, f.refused = r.judge(ev, label)
	return r.completedFinding(f)
}

// findErr classifies an error that may be evidence, or be classified already.
func (r *run) findErr(err error, source, op string) found {
	f := found{source: source}
	if ev, ok := errors.AsType[*taxonomy.Evidence](err); ok {
		f.evidence, f.source = ev, cmp.Or(ev.Source, source)
	}
	f.err, f.why = r.classify(err, source, op)
	return r.completedFinding(f)
}

// maxClassified is how many findings of one check, or of one review, are classified.
const maxClassified = 1000

// findAll classifies what a check or a review of a step has found. Of very much only the first is
// looked at, and how much more there was is said by a last finding that is of the kind of the one
// before.
func (r *run) findAll(all []*taxonomy.Evidence, step string) []found {
	var wrong []found
	for i, ev := range all {
		switch {
		case ev == nil:
			continue
		case len(wrong) < maxClassified:
			wrong = append(wrong, r.find(placed(ev, ev.Op, step), ""))
			continue
		}
		rest := *wrong[len(wrong)-1].evidence
		rest.Text, rest.Output, rest.Files = fmt.Sprintf("%d more findings are not looked at one by one", len(all)-i),
			"", nil
		return append(wrong, r.find(&rest, ""))
	}
	return wrong
}

func (r *run) completedFinding(f found) found {
	if f.err == nil {
		// A classifier that says nothing does not make it go away.
		f.err = errors.New("a failure that nobody classifies")
		if f.evidence != nil {
			f.err = f.evidence
		}
	}
	f.traits = r.cfg.Calls.Table.Traits(f.err)
	return f
}

// classify returns an error as one of the taxonomy, and why it is that; one that already is is
// returned as it is.
//
//lint:ignore ST1008 it is a Classifier
func (r *run) classify(err error, source, op string) (error, string) {
	if _, ours := taxonomy.First(err, r.cfg.Calls.Table.Taxonomy); ours {
		return err, "an error of the taxonomy"
	}
	if classified, why := r.cfg.Calls.Classify(err, source, op); classified != nil {
		return classified, why
	}
	return err, "the classifier says that it is no error"
}

func codeAndCategory(err error) (code, category string) {
	return text.OneLine(taxonomy.CodeOf(err), maxWord), text.OneLine(taxonomy.CategoryOf(err), maxWord)
}

// message says in one line what is wrong. What was found about files names them, whatever the
// taxonomy's own message says.
func (f *found) message() string {
	text := f.err.Error()
	if f.source == sourceAgent {
		return text
	}
	if files := filesOf(f); files != "" && !strings.Contains(text, files) {
		text += " (" + files + ")"
	}
	return text
}

func (f *found) finding() Finding {
	return Finding{Source: f.source, Code: text.OneLine(taxonomy.CodeOf(f.err), maxWord), Message: bounded(f.message())}
}

// said returns what was reported, in full: who reads it is to see it as it was.
func (f *found) said() string {
	if f.evidence == nil {
		return f.message()
	}
	switch f.source {
	case sourceAgent:
		return f.evidence.Text
	case sourceScope:
		return f.message()
	}
	head := f.evidence.Error()
	if f.evidence.Text == "" || strings.Contains(head, f.evidence.Text) {
		return head
	}
	return head + "\n" + f.evidence.Text
}

// weights are the actions from the lightest on.
var weights = [...]taxonomy.Action{
	taxonomy.Continue, taxonomy.RetryOperation, taxonomy.Retry, taxonomy.Recover, taxonomy.Escalate, taxonomy.Block,
	taxonomy.Abort,
}

// weight returns how much a reaction's action weighs; one that is unknown weighs as much as abort.
func weight(f *found) int {
	if f.traits.Reaction == nil {
		return len(weights)
	}
	for i, a := range weights {
		if a == f.traits.Reaction.Action {
			return i
		}
	}
	return len(weights)
}

// heaviest returns the index of what decides: what has the weightiest action, and of these the
// first.
func heaviest(all []found) int {
	worst := 0
	for i := range all {
		if weight(&all[i]) > weight(&all[worst]) {
			worst = i
		}
	}
	return worst
}

// findings returns all that was found, what decides first.
func findings(all []found) []Finding {
	worst := heaviest(all)
	out := []Finding{all[worst].finding()}
	for i := range all {
		if i != worst && len(out) < maxListed {
			out = append(out, all[i].finding())
		}
	}
	return out
}

// rawOf returns what was reported of all that was found.
func rawOf(all []found) string {
	var b strings.Builder
	for i := range all {
		if i > 0 {
			b.WriteString("\n\n")
		}
		b.WriteString(all[i].said())
	}
	return b.String()
}

// responseTo returns what kind of answer a failure of the kind asks for.
func responseTo(kind taxonomy.Kind) Response {
	if kind == taxonomy.Fault {
		return Prevention
	}
	return Tolerance
}
