package detect

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"sync"

	"github.com/errgen/errgen/runtime/taxonomy"
	"github.com/errgen/errgen/runtime/taxonomy/gen"
)

// Detection holds the detection rules of a taxonomy, by code. It is static data of a generated
// package and must not be changed. The rules are ranked when the first evidence is classified.
type Detection struct {
	Taxonomy *taxonomy.Taxonomy
	// Categories holds the rules by category and by the number of the code in it, in the order of
	// the taxonomy.
	Categories [][][]CodeRule
	// FallbackSet are the fields that the fallback sets besides those that its code sets, as JSON.
	FallbackSet string
	// Leads is [Rules.Leads] in a compact form: (?2) is a reference to the second lead, and so on.
	Leads []string
	// Is is [Rules.Is].
	Is func(err error, name string) bool

	// From returns an error of a row's code, filled from evidence. A row is that of a rule or of
	// the fallback.
	From func(row taxonomy.Row, ev *taxonomy.Evidence) taxonomy.Error
	// FallbackApply sets the fields of FallbackSet, and those that the fallback's code sets.
	FallbackApply func(e taxonomy.Error)

	// Sources complete the errors of those fallbacks of sources whose codes set fields.
	Sources []SourceApply

	once    sync.Once
	rules   Rules
	makers  []Maker           // of the rules by rank, and then of the fallback
	sources map[string]*Maker // of the fallbacks of sources
}

// SourceApply sets the fields that the code of a source's fallback sets.
type SourceApply struct {
	Source string
	Apply  func(e taxonomy.Error)
}

// Maker completes the errors of a rule, or of the fallback.
type Maker struct {
	Row   taxonomy.Row // of the code, without any `when` branch; [taxonomy.RowUnknown] without a fallback
	apply func(e taxonomy.Error)
	stack bool // whether the error records the stack
}

// Finish sets the fields that the rule and the code set, and the observed effect. It returns the
// result of classifying.
func (m *Maker) Finish(e taxonomy.Error, observed taxonomy.Effect, opts []Option) error {
	gen.Observe(e, observed)
	if m.apply != nil {
		m.apply(e)
	}
	if len(opts) == 0 && !m.stack {
		return e
	}
	o := merge(opts)
	return o.finish(e, m.stack)
}

// CodeRule is one detection rule at its code. All of its conditions must hold. If it has Text
// patterns, the text must contain one of them; likewise for Contains patterns. If it has
// signatures, the evidence must match one of them.
type CodeRule struct {
	// Doc is the rule as it is in the taxonomy, on one line.
	Doc            string
	Priority       int
	Conditions     []Condition
	Text, Contains []Pattern
	Like           []*Signature
	// Set are the fields that the rule sets, as JSON.
	Set string
	// Apply sets these fields, and then those that the code sets; nil sets none.
	Apply func(e taxonomy.Error)
}

// Classify is [Rules.Classify].
func (d *Detection) Classify(raw any, opts []Option) error { return d.Rules().Classify(raw, opts) }

// ClassifyFor is Classify with [WithTable]. It implements the classifier of a table.
func (d *Detection) ClassifyFor(t taxonomy.Table, err error) error {
	if t.Overlay == nil {
		return d.Classify(err, nil)
	}
	return d.Classify(err, []Option{WithTable(t)})
}

// Explain is [Rules.Explain].
func (d *Detection) Explain(raw any, opts []Option) Explanation { return d.Rules().Explain(raw, opts) }

// Quick is a fast [Detection.Decide] for evidence that has neither a text nor a Go error, without
// options. It returns nil if the caller must call Decide.
func (d *Detection) Quick(ev *taxonomy.Evidence, opts []Option) *Maker {
	if ev.IsZero() || ev.Err != nil || ev.Text != "" || len(opts) > 0 {
		return nil
	}
	rule := d.Rules().match(ev, "")
	m := d.maker(rule, ev.Source)
	if m.Row == taxonomy.RowUnknown || rule != NoRule && d.rules.Rules[rule].hasEffect() {
		return nil
	}
	return m
}

// Decide is [Rules.Decide], but returns the maker of the error in place of the rule. If no rule
// matches and the taxonomy has no fallback, as is nil and err is an error without a code.
func (d *Detection) Decide(
	ev, room *taxonomy.Evidence, opts []Option,
) (m *Maker, as *taxonomy.Evidence, err error) {
	rule, as, err := d.Rules().Decide(ev, room, opts)
	if as == nil {
		return nil, nil, err
	}
	if m = d.maker(rule, as.Source); m.Row == taxonomy.RowUnknown {
		o := merge(opts)
		return nil, nil, o.finish(uncategorized(d.Taxonomy, as), d.Taxonomy.Stack == taxonomy.StackAlways)
	}
	return m, as, nil
}

// Rules returns the rules by rank.
func (d *Detection) Rules() *Rules {
	d.once.Do(d.rank)
	return &d.rules
}

// make returns the error of a rule or, for [NoRule], of the fallback. It fills the error from
// evidence, and sets the fields that the rule and its code set.
func (d *Detection) make(rule int, ev *taxonomy.Evidence) taxonomy.Error {
	m := d.maker(rule, ev.Source)
	if m.Row == taxonomy.RowUnknown {
		return uncategorized(d.Taxonomy, ev)
	}
	e := d.From(m.Row, ev)
	gen.Observe(e, ev.Effect)
	if m.apply != nil {
		m.apply(e)
	}
	return e
}

// maker returns the maker of a rule's errors, or of those of the source's fallback.
func (d *Detection) maker(rule int, source string) *Maker {
	if rule == NoRule {
		if m := d.sources[source]; m != nil {
			return m
		}
	}
	return &d.makers[min(uint(rule), uint(len(d.makers)-1))]
}

// class orders the rules of one priority.
type class uint8

const (
	structured class = iota // tests more than source, op and text
	textual                 // searches the text
	weak                    // searches the text by a weak form of a signature
	general                 // tests source and op only
)

// class returns the class of a rule. If derived is true, the status was read in the text, and a
// condition on it counts as one on text.
func (r *Rule) class(derived bool) class {
	onStatus := func(c Condition) bool { return c.Key == Status }
	onFact := func(c Condition) bool { return c.Key != Source && c.Key != Op && !(derived && onStatus(c)) }
	switch {
	case r.weak:
		return weak
	case slices.ContainsFunc(r.Conditions, onFact):
		return structured
	case r.onText(), slices.ContainsFunc(r.Conditions, onStatus):
		return textual
	}
	return general
}

// rank sorts the rules: by descending priority, then by class, then in the order of the taxonomy.
// Among rules of one priority, a more specific signature comes first, whatever the class.
func (d *Detection) rank() {
	leads := make([]string, len(d.Leads))
	for i, lead := range d.Leads {
		leads[i] = resolve(lead, d.Leads)
	}
	d.rules = Rules{Taxonomy: d.Taxonomy, Leads: leads, FallbackSet: setNames(d.FallbackSet), Is: d.Is, Make: d.make}
	all := d.allRules()
	for i, r := range sortedRules(all, true) {
		r.Derived = uint16(i)
	}
	for _, r := range sortedRules(all, false) {
		d.makers = append(d.makers, Maker{r.Row, r.apply, d.rules.stacks(0)})
		d.rules.Rules = append(d.rules.Rules, *r)
	}
	fallback, _ := d.Taxonomy.Find(d.Taxonomy.Fallback)
	d.makers = append(d.makers, Maker{fallback, d.FallbackApply, d.rules.stacks(NoRule)})
	d.sources = d.sourceMakers()
	for _, c := range d.Taxonomy.Categories {
		d.rules.Sensitive = appendSensitive(d.rules.Sensitive, c.Fields, false)
		for i := range c.Codes {
			if own := c.Codes[i].Own; own != nil {
				d.rules.Sensitive = appendSensitive(d.rules.Sensitive, own.Fields, false)
			}
		}
	}
	slices.Sort(d.rules.Sensitive)
	d.rules.Sensitive = slices.Compact(d.rules.Sensitive)
}

// allRules returns the rules in the order of the taxonomy. A rule that names signatures becomes one
// for each of their forms.
func (d *Detection) allRules() (all []*Rule) {
	places := placesIn(&d.rules.Patterns)
	for i, codes := range d.Categories {
		for n, rules := range codes {
			row := taxonomy.At(i, uint16(n))
			name := ""
			if c := d.Taxonomy.Code(row); c != nil {
				name = cmp.Or(c.Key, c.Value)
			}
			for k := range rules {
				c := &rules[k]
				rule := Rule{
					Name: fmt.Sprintf("%s/%d", name, k+1), Doc: c.Doc, Priority: c.Priority, Conditions: c.Conditions,
					Text: places(c.Text), Contains: places(c.Contains), Set: setNames(c.Set), Row: row, apply: c.Apply,
				}
				if len(c.Like) == 0 {
					all = append(all, &rule)
				}
				for _, like := range c.Like {
					for _, form := range like.Any {
						r := rule
						r.Like, r.Conditions = like, slices.Concat(rule.Conditions, form.Conditions)
						r.weak = form.Weak
						r.LikeText = places(form.Text.unpack(d.rules.Leads))
						r.LikeContains = places(form.Contains.unpack(d.rules.Leads))
						all = append(all, &r)
					}
				}
			}
		}
	}
	return all
}

// sourceMakers returns the makers for the fallbacks of sources.
func (d *Detection) sourceMakers() map[string]*Maker {
	makers := make(map[string]*Maker)
	for _, s := range d.Taxonomy.Sources {
		if row, ok := d.Taxonomy.Find(s.Fallback); ok {
			makers[s.Name] = &Maker{Row: row, stack: d.rules.stacks(NoRule)}
		}
	}
	for _, x := range d.Sources {
		if m := makers[x.Source]; m != nil {
			m.apply = x.Apply
		}
	}
	return makers
}

// sortedRules returns the rules sorted as rank describes.
func sortedRules(rules []*Rule, derived bool) []*Rule {
	return precede(slices.SortedStableFunc(slices.Values(rules), func(a, b *Rule) int {
		return cmp.Or(cmp.Compare(b.Priority, a.Priority), cmp.Compare(a.class(derived), b.class(derived)))
	}))
}

// placesIn returns a function that returns the indexes of patterns in list. The function appends
// patterns that list does not contain.
func placesIn(list *[]Pattern) func([]Pattern) []uint16 {
	type key struct {
		expr, plain string
		lead        uint8
	}
	places := make(map[key]uint16)
	return func(patterns []Pattern) (out []uint16) {
		for _, p := range patterns {
			k := key{p.Expr, p.Plain, p.Lead}
			if _, known := places[k]; !known {
				places[k] = uint16(len(*list))
				*list = append(*list, p)
			}
			out = append(out, places[k])
		}
		return out
	}
}

// setNames returns the wire names of the fields that JSON sets, sorted.
func setNames(values string) []string {
	var fields map[string]json.RawMessage
	if values == "" || json.Unmarshal([]byte(values), &fields) != nil {
		return nil
	}
	return slices.Sorted(maps.Keys(fields))
}

// appendSensitive appends the keys of evidence that sensitive fields are filled from.
func appendSensitive(keys []string, fields []taxonomy.Field, inside bool) []string {
	for i := range fields {
		f := &fields[i]
		if f.Sensitive || inside {
			keys = append(keys, f.From...)
		}
		keys = appendSensitive(keys, f.Fields, f.Sensitive || inside)
	}
	return keys
}
