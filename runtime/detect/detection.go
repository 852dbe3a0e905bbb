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

// Detection has the detection rules of a taxonomy at their codes: static data of generated packages,
// which must not be changed. They are ranked when the first evidence is classified.
type Detection struct {
	Taxonomy *taxonomy.Taxonomy
	// Categories has the rules by category and by the place of the code in it, in the order of the
	// taxonomy.
	Categories [][][]CodeRule
	// FallbackSet are the fields that the fallback sets besides those that its code sets, as JSON.
	FallbackSet string
	// Is is [Rules.Is].
	Is func(err error, name string) bool

	once  sync.Once
	rules Rules
	sets  []string // what the rules set, by rank
}

// CodeRule is one detection rule at its code. All of its conditions must hold. If it has Text
// patterns, the text must contain one of them; likewise for Contains patterns.
type CodeRule struct {
	// Doc is the rule as it is in the taxonomy, on one line.
	Doc            string
	Priority       int
	Conditions     []Condition
	Text, Contains []Pattern
	// Set are the fields that the rule sets, as JSON.
	Set string
}

// Classify is [Rules.Classify].
func (d *Detection) Classify(raw any, opts []Option) error { return d.Rules().Classify(raw, opts) }

// Explain is [Rules.Explain].
func (d *Detection) Explain(raw any, opts []Option) Explanation { return d.Rules().Explain(raw, opts) }

// ClassifyEvidence is [Rules.ClassifyEvidence]. It does not change ev, and allocates nothing but the
// error.
func (d *Detection) ClassifyEvidence(ev *taxonomy.Evidence, opts []Option) error {
	var room taxonomy.Evidence
	rule, as, err := d.Rules().Decide(ev, &room, opts)
	if as == nil {
		return err
	}
	return Traced(d.make(rule, as), opts)
}

// Rules returns the rules by rank.
func (d *Detection) Rules() *Rules {
	d.once.Do(d.rank)
	return &d.rules
}

// make returns the error of a rule, or of no rule: filled from evidence, with what the rule sets and
// then what the code sets.
func (d *Detection) make(rule int, ev *taxonomy.Evidence) taxonomy.Error {
	var row taxonomy.Row
	set := d.FallbackSet
	if uint(rule) < uint(len(d.rules.Rules)) {
		row, set = d.rules.Rules[rule].Row, d.sets[rule]
	} else if row, _ = d.Taxonomy.Find(d.Taxonomy.Fallback); row == taxonomy.RowUnknown {
		return Unknown(d.Taxonomy, ev)
	}
	c := d.Taxonomy.Categories[row.Category()]
	e := c.New(uint16(row.Code()), ev.Err)
	list := c.List(e)
	fillFields(c.Fields, list, ev)
	for _, values := range [...]string{set, d.Taxonomy.Code(row).Set} {
		if values != "" {
			gen.Set(c.Fields, list, values)
		}
	}
	return e
}

// fillFields fills fields, to which list has pointers, from evidence, or else with their defaults. It
// reports whether evidence fills one. An object is absent if evidence fills nothing in it, unless it
// is required.
func fillFields(fields []taxonomy.Field, list []any, ev *taxonomy.Evidence) (filled bool) {
	for i := range fields {
		f := &fields[i]
		switch {
		case f.Type == "object":
			inner, store := gen.NewObject(list[i])
			if store == nil {
				continue
			}
			found := fillFields(f.Fields, inner, ev)
			if found || f.Required {
				store()
			}
			filled = filled || found
		case fillField(f, list[i], ev):
			filled = true
		case f.Default != "":
			gen.SetDefault(f, list[i])
		}
	}
	return filled
}

// fillField fills the field that p points to from the first key of evidence that has a value for it.
func fillField(f *taxonomy.Field, p any, ev *taxonomy.Evidence) bool {
	for _, from := range f.From {
		if f.Type == "string" {
			if text := textFrom(ev, from); text != "" {
				gen.Put(p, text)
				return true
			}
		}
		if v, ok := Read(ev, from, f.Type, f.Enum); ok {
			gen.PutAny(p, v)
			return true
		}
	}
	return false
}

// class is what a rule ranks by among rules of its priority.
type class uint8

const (
	structured class = iota // tests more than who failed at what
	textual                 // searches the text
	general                 // tests source and op only
)

// classOf returns the class of a rule without its conditions on the given keys.
func classOf(r *CodeRule, without ...Key) class {
	switch {
	case slices.ContainsFunc(r.Conditions, func(c Condition) bool { return !slices.Contains(without, c.Key) }):
		return structured
	case len(r.Text)+len(r.Contains) > 0:
		return textual
	}
	return general
}

// ranked is a rule with what it ranks by.
type ranked struct {
	*CodeRule
	name  string
	row   taxonomy.Row
	class class
	// derived is the class where the status was read in the text: it is no more than text then.
	derived class
}

// rank sorts the rules: higher priority first, then by class, then as the taxonomy has them.
func (d *Detection) rank() {
	var all []ranked
	for i, codes := range d.Categories {
		for n, rules := range codes {
			row := taxonomy.At(i, uint16(n))
			for k := range rules {
				r := &rules[k]
				x := ranked{r, fmt.Sprintf("%s/%d", d.Taxonomy.Code(row).Value, k+1), row,
					classOf(r, Source, Op), classOf(r, Source, Op, Status)}
				if x.derived == general && x.class == structured {
					x.derived = textual
				}
				all = append(all, x)
			}
		}
	}
	derived := make(map[*CodeRule]uint16, len(all))
	for i, x := range sortedRules(all, func(x ranked) class { return x.derived }) {
		derived[x.CodeRule] = uint16(i)
	}
	d.rules = Rules{Taxonomy: d.Taxonomy, FallbackSet: setNames(d.FallbackSet), Is: d.Is, Make: d.make}
	for _, x := range sortedRules(all, func(x ranked) class { return x.class }) {
		d.sets = append(d.sets, x.Set)
		d.rules.Rules = append(d.rules.Rules, Rule{
			Name: x.name, Doc: x.Doc, Conditions: x.Conditions, Set: setNames(x.Set), Row: x.row,
			Derived: derived[x.CodeRule], Text: d.patterns(x.Text), Contains: d.patterns(x.Contains),
		})
	}
	d.needs()
	for _, c := range d.Taxonomy.Categories {
		d.rules.Sensitive = appendSensitive(d.rules.Sensitive, c.Fields, false)
	}
	slices.Sort(d.rules.Sensitive)
	d.rules.Sensitive = slices.Compact(d.rules.Sensitive)
}

func sortedRules(rules []ranked, of func(ranked) class) []ranked {
	return slices.SortedStableFunc(slices.Values(rules), func(a, b ranked) int {
		return cmp.Or(cmp.Compare(b.Priority, a.Priority), cmp.Compare(of(a), of(b)))
	})
}

// patterns returns the places of patterns in [Rules.Patterns], where each is once.
func (d *Detection) patterns(list []Pattern) []uint16 {
	var out []uint16
	for _, p := range list {
		i := slices.IndexFunc(d.rules.Patterns, func(q Pattern) bool { return q.Expr == p.Expr && q.Plain == p.Plain })
		if i < 0 {
			i = len(d.rules.Patterns)
			d.rules.Patterns = append(d.rules.Patterns, p)
		}
		out = append(out, uint16(i))
	}
	return out
}

// setNames returns the wire names of the fields that JSON sets, sorted.
func setNames(values string) []string {
	var fields map[string]json.RawMessage
	if values == "" || json.Unmarshal([]byte(values), &fields) != nil {
		return nil
	}
	return slices.Sorted(maps.Keys(fields))
}

// needs collects the required fields that only evidence can fill, of the codes that are detected.
func (d *Detection) needs() {
	fallback, _ := d.Taxonomy.Find(d.Taxonomy.Fallback)
	for row, c := range d.Taxonomy.Codes() {
		if len(d.at(row)) == 0 && row != fallback {
			continue
		}
		set := setNames(c.Set)
		for _, f := range d.Taxonomy.Categories[row.Category()].Fields {
			if (f.Required || slices.Contains(c.Takes, f.Name)) && !slices.Contains(set, f.Name) {
				d.need(row, &f, "")
			}
		}
	}
}

// at returns the rules of a row's code.
func (d *Detection) at(row taxonomy.Row) []CodeRule {
	if i, n := row.Category(), row.Code(); i < len(d.Categories) && n < len(d.Categories[i]) {
		return d.Categories[i][n]
	}
	return nil
}

// need adds a field, or the required fields of an object that is always present.
func (d *Detection) need(row taxonomy.Row, f *taxonomy.Field, path string) {
	if f.Type != "object" {
		if f.Default == "" {
			d.rules.Needs = append(d.rules.Needs,
				Need{Row: row, Field: path + f.Name, From: f.From, Type: f.Type, Words: f.Enum})
		}
		return
	}
	for i := range f.Fields {
		if f.Required && f.Fields[i].Required {
			d.need(row, &f.Fields[i], path+f.Name+".")
		}
	}
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
