package escalate

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/errgen/errgen/runtime/internal/text"
	"github.com/errgen/errgen/runtime/taxonomy"
)

var (
	errBusy       = errors.New("the runner serves another run")
	errUnknownRun = errors.New("there is no run of this name, so that there is nothing to answer")
)

// errNotAsked is why a run cannot be answered.
func errNotAsked(res *Result) error {
	switch res.EndReason {
	case "":
		return errors.New(
			"the run has not ended: its process has died, or its end could not be saved; run it again, and then " +
				"answer what it asks")
	case EndCancelled:
		return errors.New("the run was cancelled, and asks nothing; run it again")
	case EndRevert:
		return errors.New(
			"the working tree is not as it was, because what does not count could not be put back: remove the " +
				"cause, and run it again, " +
				"which tries that first; or give it up, and the tree stays as it is if that fails once more")
	}
	return fmt.Errorf("the run is neither blocked nor failed but %s, so that there is nothing to answer", res.EndReason)
}

// reasonOf returns what an error says by itself, before it is one of a taxonomy, whose message need
// not say that.
func reasonOf(err error) string {
	if ev, ok := errors.AsType[*taxonomy.Evidence](err); ok && ev.Text != "" {
		return ev.Text
	}
	return err.Error()
}

// withReason returns a message that says the reason.
func withReason(message, reason string) string {
	if tellsOf(message, reason) {
		return message
	}
	return message + ": " + reason
}

// tellsOf reports whether a message has the reason in it, if only its beginning.
func tellsOf(message, reason string) bool {
	return strings.Contains(text.OneLine(message, len(message)), strings.TrimSuffix(text.OneLine(reason, maxWord), "…"))
}

// errOfTree is that a run belongs to another working tree.
func errOfTree(kept, now string) error {
	where := func(dir string) string {
		if dir == "" {
			return "no working tree"
		}
		return "the working tree " + dir
	}
	return fmt.Errorf("the run of this name was begun in %s, and this is %s; begin a run of another name", where(kept),
		where(now))
}

// treeDir returns the path of the working tree; empty without one.
func (r *run) treeDir() string {
	if r.cfg.Calls.Workspace == nil {
		return ""
	}
	return r.cfg.Calls.Workspace.Dir()
}

// treePrint tells working trees apart; empty is none.
func (r *run) treePrint() string {
	if dir := r.treeDir(); dir != "" {
		return fingerprint(dir)
	}
	return ""
}

// maxDifferences bounds what is named in a message.
const maxDifferences = 8

// listed returns texts as one.
func listed(all []string) string {
	if len(all) > maxDifferences {
		all = append(all[:maxDifferences:maxDifferences], fmt.Sprintf("and %d more", len(all)-maxDifferences))
	}
	return strings.Join(all, ", ")
}

// maxWire bounds an error that is kept, in bytes.
const maxWire = 64 << 10

// wireOf returns an error as its package writes it, secrets masked; nil for one that is not of the
// taxonomy.
func (r *run) wireOf(err error) (wire json.RawMessage) {
	defer func() {
		if recover() != nil {
			wire = nil
		}
	}()
	coded, _ := taxonomy.First(err, r.cfg.Calls.Table.Taxonomy)
	own, ok := coded.(taxonomy.Error)
	if !ok {
		return nil
	}
	b := own.AppendJSON(nil)
	if len(b) > maxWire || !json.Valid(b) {
		return nil
	}
	return maskedTexts(b)
}

// decoded returns an error that was kept; nil when it cannot be read.
func (r *run) decoded(wire json.RawMessage) (err error) {
	if len(wire) == 0 || r.cfg.Calls.Decode == nil {
		return nil
	}
	defer func() {
		if recover() != nil {
			err = nil
		}
	}()
	err, failed := r.cfg.Calls.Decode(wire)
	if failed != nil {
		return nil
	}
	return err
}

// stepAdvice is what can be done about a step that counts, and that the plan has changed.
const stepAdvice = "give it back to the plan as it was, or begin a run of another name"

// overAdvice says what can be done with a run that is over when the plan has changed.
func overAdvice(res *Result) string {
	if waits(res) {
		return "answer it to take it up, or begin a run of another name"
	}
	return "begin a run of another name"
}
