package escalate_test

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/errgen/errgen/runtime/taxonomy"
)

// row is a code of the taxonomy of the tests.
type row struct {
	reaction  taxonomy.Reaction
	kind      taxonomy.Kind
	retryable bool
	// label has an agent's label taken.
	label bool
}

// coded is an error of that taxonomy.
type coded struct {
	t     *taxonomy.Taxonomy
	row   taxonomy.Row
	text  string
	hints taxonomy.Hints
	cause error
}

func (c *coded) Error() string                   { return c.text }
func (c *coded) Unwrap() error                   { return c.cause }
func (c *coded) Taxonomy() *taxonomy.Taxonomy    { return c.t }
func (c *coded) Row() taxonomy.Row               { return c.row }
func (c *coded) Hints() taxonomy.Hints           { return c.hints }
func (c *coded) AppendMessage(dst []byte) []byte { return append(dst, c.text...) }
func (c *coded) AppendContext(dst []byte) []byte { return append(dst, `{}`...) }
func (c *coded) AppendJSON(dst []byte) []byte {
	b, _ := json.Marshal(wired{c.row, c.text})
	return append(dst, b...)
}

type wired struct {
	Row  taxonomy.Row
	Text string
}

// tables are a taxonomy whose codes are named by the tests.
type tables struct {
	taxonomy *taxonomy.Taxonomy
	rows     map[string]taxonomy.Row
	labels   map[string]bool
}

func tablesOf(rows map[string]row, tiers ...taxonomy.Tier) *tables {
	category := &taxonomy.Category{Name: "things", Codes: make([]taxonomy.Code, 1)}
	t := &taxonomy.Taxonomy{
		Package: "test", Domain: "test", Tiers: tiers, Categories: []*taxonomy.Category{category},
		Uncategorized: &taxonomy.Reaction{Name: "uncategorized", Action: taxonomy.Escalate},
	}
	m := &tables{taxonomy: t, rows: map[string]taxonomy.Row{}, labels: map[string]bool{}}
	for i, name := range slices.Sorted(maps.Keys(rows)) {
		r := rows[name]
		if r.reaction.Name == "" {
			r.reaction.Name = "on_" + name
		}
		category.Codes = append(category.Codes, taxonomy.Code{
			Value: name, Traits: taxonomy.Traits{Reaction: &r.reaction, Retryable: r.retryable, Kind: r.kind},
		})
		m.rows[name], m.labels[name] = taxonomy.At(0, uint16(i+1)), r.label
	}
	return m
}

// classify takes a label that may be taken, then what is named by type, source and operation, then
// the first code that the text names.
//
//lint:ignore ST1008 it is a Classifier
func (m *tables) classify(err error, source, op string) (error, string) {
	if _, ours := taxonomy.First(err, m.taxonomy); ours {
		return err, "an error of the taxonomy"
	}
	if errors.Is(err, context.Canceled) {
		return err, "cancelled"
	}
	ev, ok := errors.AsType[*taxonomy.Evidence](err)
	if !ok {
		ev = &taxonomy.Evidence{Source: source, Op: op, Text: err.Error()}
	}
	code := m.codeOf(ev)
	row, ok := m.rows[code]
	if !ok {
		return err, "no rule"
	}
	text := code
	if ev.Text != "" {
		text += ": " + ev.Text
	}
	return &coded{m.taxonomy, row, text, taxonomy.Hints{Files: ev.Files, RetryAfter: ev.RetryAfter}, err},
		"rule " + code
}

func (m *tables) codeOf(ev *taxonomy.Evidence) string {
	if ev.Source == "agent" && m.labels[ev.Code] {
		return ev.Code
	}
	for _, name := range []string{ev.Type, ev.Source + " " + ev.Op, ev.Op} {
		if _, ok := m.rows[name]; ok {
			return name
		}
	}
	for _, word := range strings.Fields(ev.Text) {
		if name := strings.Trim(word, ":.,"); m.rows[name] != 0 {
			return name
		}
	}
	return "unclassified"
}

func (m *tables) decode(b []byte) (error, error) {
	var w wired
	if err := json.Unmarshal(b, &w); err != nil {
		return nil, err
	}
	return &coded{m.taxonomy, w.Row, w.Text, taxonomy.Hints{}, nil}, nil
}

// rowsOfTests are the codes that most tests need.
func rowsOfTests() map[string]row {
	stop := &taxonomy.Reaction{Name: "ask_user", Action: taxonomy.Block}
	diagnose := func(p taxonomy.Purpose) taxonomy.Reaction {
		return taxonomy.Reaction{Name: "next_tier", Action: taxonomy.Escalate, To: "mid", Purpose: p, Then: stop}
	}
	next := diagnose(taxonomy.PurposeDiagnosis)
	transient := &taxonomy.Policy{Name: "transient", MaxAttempts: 3, InitialDelay: 2 * time.Second}
	once := &taxonomy.Policy{Name: "once", MaxAttempts: 2, InitialDelay: time.Minute}
	up := &taxonomy.Reaction{Name: "up", Action: taxonomy.Escalate}
	return map[string]row{
		"missing":      {reaction: next, kind: taxonomy.Fault, label: true},
		"broken":       {reaction: diagnose(taxonomy.PurposeAnalysis), kind: taxonomy.Failure, label: true},
		"check gate":   {reaction: diagnose(taxonomy.PurposeAnalysis), kind: taxonomy.Failure},
		"mismatch":     {reaction: diagnose(taxonomy.PurposeVerification), kind: taxonomy.Failure},
		"drift":        {reaction: next, kind: taxonomy.Failure},
		"unclean":      {reaction: next, kind: taxonomy.Failure},
		"unclassified": {reaction: next},
		"slow":         {reaction: taxonomy.Reaction{Action: taxonomy.Escalate}, kind: taxonomy.Failure},
		"timeout":      {reaction: taxonomy.Reaction{Action: taxonomy.Escalate}, kind: taxonomy.Failure},
		"flaky": {reaction: taxonomy.Reaction{Name: "try_again", Action: taxonomy.Retry, Policy: transient,
			Then: &next}, kind: taxonomy.Failure, retryable: true, label: true},
		"asked": {reaction: taxonomy.Reaction{Action: taxonomy.Retry, Policy: &taxonomy.Policy{MaxAttempts: 9},
			To: "mid", Purpose: taxonomy.PurposeDiagnosis, Then: &next}, retryable: true},
		"rate":    {reaction: taxonomy.Reaction{Action: taxonomy.Retry, Policy: once, Then: up}, retryable: true},
		"down":    {reaction: *up},
		"fatal":   {reaction: taxonomy.Reaction{Action: taxonomy.Abort}},
		"halt":    {reaction: *stop},
		"skip":    {reaction: taxonomy.Reaction{Action: taxonomy.Continue}},
		"clean":   {reaction: taxonomy.Reaction{Action: taxonomy.Recover, Strategy: "sweep", Then: &next}},
		"weather": {reaction: taxonomy.Reaction{Action: taxonomy.Retry, Policy: transient}, retryable: true},
	}
}

func tiersOfTests() []taxonomy.Tier {
	return []taxonomy.Tier{{Name: "low"}, {Name: "mid", Classifies: true}, {Name: "top", Classifies: true},
		{Name: "human", Person: true}}
}
