package verify

import (
	"context"
	"os"
	"sync"
	"sync/atomic"

	"github.com/errgen/errgen/runtime/detect"
	"github.com/errgen/errgen/runtime/escalate"
	"github.com/errgen/errgen/runtime/escalate/plan"
	"github.com/errgen/errgen/runtime/internal/text"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// atOnce is how many prerequisites are verified at a time.
const atOnce = 8

// Prerequisites verifies each of the prerequisites, several at a time, and returns as many
// verifications in their order. What looks like a secret in a name or a doc is masked in what is
// returned.
//
// Evidence has the type not_found for what is not there or is something else, denied for what
// cannot be had, such as what a symbolic link leads out of the tree to, unset_variable, and
// not_found (no such host), network or timeout for an address; the errno and the Go error where the
// system gave them; the file; and the attributes kind, name and how. An environment variable's
// value is never looked at but for whether it is empty. When ctx ends, each that is not verified
// yet has evidence of that.
func (v *Verifier) Prerequisites(ctx context.Context, all []plan.Prerequisite) []escalate.Verification {
	out := make([]escalate.Verification, len(all))
	var next atomic.Int64
	var workers sync.WaitGroup
	for range min(atOnce, len(all)) {
		workers.Go(func() {
			for i := int(next.Add(1)) - 1; i < len(all); i = int(next.Add(1)) - 1 {
				out[i] = v.prerequisite(ctx, all[i])
			}
		})
	}
	workers.Wait()
	return out
}

// missing is what is wrong with a prerequisite.
type missing struct {
	kind string // the type of evidence; empty takes that of err
	text string
	err  error
	file string // what the evidence is about; empty for no file
}

func (v *Verifier) prerequisite(ctx context.Context, p plan.Prerequisite) escalate.Verification {
	how, look := v.means(p)
	done := escalate.Verification{Prerequisite: p, How: how}
	done.Prerequisite.Name, done.Prerequisite.Doc = text.Masked(p.Name), text.Masked(p.Doc)
	var wrong *missing
	if ctx.Err() == nil {
		wrong = look(ctx)
	}
	switch {
	case ctx.Err() != nil:
		done.Failed = with(stopped(ctx, sourcePlan, opPrepare, string(p.Kind)+" "+named(p.Name)), attributeKind,
			string(p.Kind), attributeName, p.Name, attributeHow, how)
	case wrong != nil:
		done.Failed = wrong.evidence(p, how)
	}
	return done
}

// means returns how a prerequisite is verified: in words, and what does it.
func (v *Verifier) means(p plan.Prerequisite) (how string, look func(context.Context) *missing) {
	switch p.Kind {
	case plan.File:
		return "opened for reading", v.inTree(p.Name, file)
	case plan.Directory:
		return "listed", v.inTree(p.Name, directory)
	case plan.Program:
		if isPath(p.Name) {
			return "looked at in the tree: a file that may be executed", v.inTree(p.Name, executable)
		}
		return "looked up in PATH", func(context.Context) *missing { return program(p.Name) }
	case plan.Variable:
		return "looked up in the environment: set and not empty",
			func(context.Context) *missing { return variable(p.Name) }
	case plan.Address:
		return v.address(p)
	}
	return "not verified: its kind is unknown", func(context.Context) *missing {
		return &missing{kind: typeNotFound, text: "there are no prerequisites of the kind " + named(string(p.Kind))}
	}
}

// inTree returns what opens the tree and looks at a path in it.
func (v *Verifier) inTree(name string, look func(root *os.Root, name string) *missing) func(context.Context) *missing {
	return func(context.Context) *missing {
		if name == "" {
			return &missing{kind: typeNotFound, text: "no path is given"}
		}
		root, err := os.OpenRoot(v.o.Dir)
		if err != nil {
			return &missing{text: "the tree cannot be opened", err: err}
		}
		defer root.Close()
		return look(root, local(name))
	}
}

// evidence returns the evidence of what is wrong.
func (m *missing) evidence(p plan.Prerequisite, how string) *taxonomy.Evidence {
	ev := &taxonomy.Evidence{}
	if m.err != nil {
		*ev = detect.Of(m.err)
	}
	ev.Source, ev.Op, ev.Text = sourcePlan, opPrepare, text.OneLine(m.text, maxSaid)
	if m.kind != "" {
		ev.Type = m.kind
	}
	if m.file != "" {
		ev.Files = []string{text.Masked(m.file)}
	}
	return with(ev, attributeKind, string(p.Kind), attributeName, p.Name, attributeHow, how)
}
