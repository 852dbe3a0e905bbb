package report

import (
	"cmp"
	"strings"
	"time"

	"github.com/errgen/errgen/runtime/internal/errtree"
	"github.com/errgen/errgen/runtime/internal/normal"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// Options configure [New].
type Options struct {
	// Table describes the error's code under its profile. For an error of another taxonomy, that
	// taxonomy describes it.
	Table taxonomy.Table
	// At is the time of the error; zero is now.
	At time.Time
	// ID returns the ID of an occurrence; nil is [NewID].
	ID func() string
	// Evidence is the evidence that the error was classified from, unless it is in the error's
	// tree.
	Evidence *taxonomy.Evidence
	// Facts override the content of the error, and the content of the error overrides Defaults.
	Facts, Defaults Facts
	// Reaction and Action override those of the table.
	Reaction, Action string
	// Stack and Context include the error's stack and context. By default the profile decides;
	// without a profile the stack is included and the context is not.
	Stack, Context taxonomy.Opt[bool]
	// StatusSources are the types of sources whose messages are searched for an HTTP status. They
	// apply to errors without a source code, and only if the table's profile searches texts.
	StatusSources []string
}

// New returns an occurrence of err, masked and bounded, or nil if err is nil. The source comes from
// the evidence in the error's tree, or from the error's fields; see [Facts]. If a method of the
// error panics, its part of the occurrence is missing.
func New(err error, o Options) *Occurrence {
	if err == nil {
		return nil
	}
	if o.ID == nil {
		o.ID = NewID
	}
	if o.At.IsZero() {
		o.At = time.Now()
	}
	o.At = time.UnixMilli(o.At.UnixMilli()).UTC()
	e := evidenceIn(err)
	if e == nil {
		e = o.Evidence
	}
	coded := codedIn(err, o.Table.Taxonomy)
	out := occurrenceOf(err, coded, o)
	out.Cause = causeOf(err, coded, out.Message, o, 0)
	out.Reaction, out.Action = cmp.Or(o.Reaction, out.Reaction), cmp.Or(o.Action, out.Action)
	out.addFacts(o.Defaults)
	try(func() { out.addFields(coded) })
	out.addEvidence(e)
	out.Fingerprint = fingerprint(e, out)
	if o.Stack.Or(o.Table.ReportsStack()) {
		out.Stack = strings.TrimSpace(stackIn(err))
	}
	out.addFacts(o.Facts)
	if o.Table.SearchesText() {
		out.addStatus(o.StatusSources)
	}
	return masked(out)
}

// occurrenceOf returns an occurrence with the content of the error and its taxonomy. The coded
// error may be nil.
func occurrenceOf(err error, coded taxonomy.Coded, o Options) *Occurrence {
	out := &Occurrence{ID: o.ID(), At: o.At, Message: beginning(errtree.Text(err), maxMessage)}
	try(func() {
		if coded != nil {
			out.describe(coded, o)
		} else if o.Table.Taxonomy != nil {
			r := o.Table.Reaction(err)
			out.Reaction, out.Action = r.Name, r.Action.String()
		}
	})
	return out
}

func (o *Occurrence) describe(coded taxonomy.Coded, options Options) {
	table := options.Table
	if own := coded.Taxonomy(); own != table.Taxonomy {
		table = taxonomy.Table{Taxonomy: own}
	}
	traits := table.Row(coded.Row())
	o.Domain, o.Category, o.Code = table.Taxonomy.Domain, taxonomy.CategoryOf(coded), taxonomy.CodeOf(coded)
	o.Retryable, o.Recoverability = traits.Retryable, traits.Recoverability.String()
	if traits.Severity != taxonomy.SeverityNone {
		o.Severity = traits.Severity.String()
	}
	if r := traits.Reaction; r != nil {
		o.Reaction, o.Action = r.Name, r.Action.String()
	}
	if own, ok := coded.(taxonomy.Error); ok && options.Context.Or(options.Table.ReportsContext()) {
		o.Context = own.AppendContext(nil)
	}
}

// causeOf returns the next error in the tree that has a code or a text that the message lacks.
func causeOf(err error, coded taxonomy.Coded, message string, o Options, depth int) *Occurrence {
	if coded != nil {
		err = coded
	}
	first := true
	for e := range errtree.Walk(err) {
		own, _ := e.(taxonomy.Coded)
		if first || own == nil && strings.Contains(message, beginning(errtree.Text(e), maxMessage)) {
			first = false
			continue
		}
		coded := codedIn(e, nil)
		out := occurrenceOf(e, coded, o)
		out.Reaction, out.Action, out.Fingerprint = "", "", fingerprint(evidenceIn(e), out)
		if depth+1 < maxCauses {
			out.Cause = causeOf(e, coded, out.Message, o, depth+1)
		}
		return out
	}
	return nil
}

// codedIn returns the first error in a tree that has a code in t. Without such an error, or if t is
// nil, it returns the first error that has a code in any taxonomy.
func codedIn(err error, t *taxonomy.Taxonomy) (found taxonomy.Coded) {
	for e := range errtree.Walk(err) {
		c, ok := e.(taxonomy.Coded)
		if !ok {
			continue
		}
		try(func() {
			of := c.Taxonomy()
			if of != nil && (found == nil || of == t && found.Taxonomy() != t) {
				found = c
			}
		})
	}
	return found
}

// evidenceIn returns the first evidence in a tree, or nil.
func evidenceIn(err error) *taxonomy.Evidence {
	for e := range errtree.Walk(err) {
		if found, _ := e.(*taxonomy.Evidence); found != nil {
			return found
		}
	}
	return nil
}

// stackIn returns the first recorded stack in a tree, innermost call first, or "".
func stackIn(err error) (stack string) {
	for e := range errtree.Walk(err) {
		if t, ok := e.(*taxonomy.Traced); ok && t != nil && stack == "" {
			try(func() { stack = string(t.AppendStack(nil)) })
		}
	}
	return stack
}

// fingerprint returns the evidence's fingerprint, or one of code and message.
func fingerprint(e *taxonomy.Evidence, o *Occurrence) (digits string) {
	if e == nil {
		e = &taxonomy.Evidence{Source: o.Domain, Type: o.Category, Code: o.Code, Text: normal.Text(o.Message)}
	}
	try(func() { digits = e.Fingerprint() })
	return digits
}
