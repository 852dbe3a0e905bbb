package report

import (
	"strings"
	"time"

	"github.com/errgen/errgen/runtime/internal/errtree"
	"github.com/errgen/errgen/runtime/internal/normal"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// Options say what is known of an error besides itself.
type Options struct {
	// Table says what the error's code stands for, as its profile has it. Without a taxonomy, and
	// for an error of another, it is what the error's own taxonomy says.
	Table taxonomy.Table
	// At is when the error happened; zero is now.
	At time.Time
	// ID returns the ID of an occurrence; nil is [NewID].
	ID func() string
	// Evidence is what the error was classified from, if that is not in its tree: errors that are
	// made of nothing but evidence do not keep it.
	Evidence *taxonomy.Evidence
	// Facts are what is known where the error happened. They win over what the error says.
	Facts Facts
	// Reaction and Action are what is done about the error; empty, they are what the table says.
	Reaction, Action string
	// Stack and Context say whether the error's stack and its context are in the occurrence. When
	// they are absent, it is as the profile reports; without a profile there is a stack if the
	// error has one, and no context.
	Stack, Context taxonomy.Opt[bool]
	// StatusSources are the types of sources in whose messages an HTTP status is looked for where
	// the error has no source code. None is looked for where the table's profile has texts not
	// searched.
	StatusSources []string
}

// New returns an occurrence of err, or nil for nil: masked, bounded, and sharing nothing with it.
// What err knows of source, execution and repository it has from the evidence in its tree, or that
// is given; see [Facts] for the attributes. It never panics, whatever err does.
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
	at := milliseconds(o.At)
	made := occurrenceOf(err, codedIn(err, o.Table.Taxonomy), &o, at)
	made.addCauses(&o, at)
	e := evidenceIn(err)
	if e == nil {
		e = o.Evidence
	}
	made.addEvidence(e)
	made.Fingerprint = fingerprint(e, &made.Occurrence)
	if o.Stack.Or(reporting(o.Table, taxonomy.Reporting{Stack: true}).Stack) {
		made.Stack = kept(strings.TrimSpace(stackIn(err)), maxStack)
	}
	out := &made.Occurrence
	out.addFacts(o.Facts)
	if o.Table.SearchesText() {
		out.addStatus(o.StatusSources)
	}
	return out
}

// making is an occurrence and the error that it is made of.
type making struct {
	Occurrence
	err   error
	coded taxonomy.Coded
}

// reporting returns how much the profile of a table tells, or without one what is given.
func reporting(t taxonomy.Table, without taxonomy.Reporting) taxonomy.Reporting {
	if t.Overlay == nil {
		return without
	}
	return t.Overlay.Reporting
}

// occurrenceOf returns what an error says of itself. Without one of the table's taxonomy in its
// tree, coded may be any.
func occurrenceOf(err error, coded taxonomy.Coded, o *Options, at time.Time) *making {
	m := &making{err: err, coded: coded}
	if m.coded == nil {
		m.coded = codedIn(err, nil)
	}
	m.ID, m.At, m.Message = kept(o.ID(), maxName), at, kept(errtree.Text(err), maxMessage)
	try(func() { m.describe(o) })
	m.Reaction, m.Action = orText(o.Reaction, m.Reaction), orText(o.Action, m.Action)
	return m
}

// describe adds what the taxonomy says.
func (m *making) describe(o *Options) {
	table := o.Table
	if m.coded == nil {
		if table.Taxonomy != nil {
			m.react(table.Reaction(m.err))
		}
		return
	}
	if own := m.coded.Taxonomy(); own != table.Taxonomy {
		table = taxonomy.Table{Taxonomy: own}
	}
	m.Domain = kept(table.Taxonomy.Domain, maxName)
	m.Category, m.Code = kept(taxonomy.CategoryOf(m.coded), maxName), kept(taxonomy.CodeOf(m.coded), maxName)
	traits := table.Row(m.coded.Row())
	m.Retryable = traits.Retryable
	m.Recoverability = traits.Recoverability.String()
	if traits.Severity != taxonomy.SeverityNone {
		m.Severity = traits.Severity.String()
	}
	if traits.Reaction != nil {
		m.react(*traits.Reaction)
	}
	if own, ok := m.coded.(taxonomy.Error); ok && o.Context.Or(reporting(o.Table, taxonomy.Reporting{}).Context) {
		m.Context = cleanContext(own.AppendContext(nil))
	}
}

func (m *making) react(r taxonomy.Reaction) {
	m.Reaction, m.Action = kept(r.Name, maxName), r.Action.String()
}

// orText returns the first text if there is one, masked and bounded, otherwise the second.
func orText(given, known string) string {
	if given == "" {
		return known
	}
	return kept(given, maxName)
}

// addCauses adds what the error wraps, as far as it says more than its text.
func (m *making) addCauses(o *Options, at time.Time) {
	for range maxCauses {
		next := m.cause()
		if next == nil {
			return
		}
		c := occurrenceOf(next, nil, &Options{ID: o.ID, Table: o.Table, Context: o.Context}, at)
		c.Reaction, c.Action = "", ""
		c.Fingerprint = fingerprint(evidenceIn(next), &c.Occurrence)
		m.Cause = &c.Occurrence
		m = c
	}
}

// cause returns the next error below the one that gave the occurrence its code which has a code
// itself, or a text that the message does not have.
func (m *making) cause() error {
	from := m.err
	if m.coded != nil {
		from = m.coded
	}
	first := true
	for e := range errtree.Walk(from) {
		_, coded := e.(taxonomy.Coded)
		if !first && (coded || !strings.Contains(m.Message, boundedText(errtree.Text(e), maxMessage))) {
			return e
		}
		first = false
	}
	return nil
}

// fingerprint returns what is equal for occurrences of the same failure: the evidence's, or what
// code and message say.
func fingerprint(e *taxonomy.Evidence, o *Occurrence) (digits string) {
	if e == nil {
		e = &taxonomy.Evidence{Source: o.Domain, Type: o.Category, Code: o.Code, Text: normal.Text(o.Message)}
	}
	try(func() { digits = e.Fingerprint() })
	return digits
}

// milliseconds returns a time as JSON has it.
func milliseconds(t time.Time) time.Time { return time.UnixMilli(withinMaxTime(t)).UTC() }
