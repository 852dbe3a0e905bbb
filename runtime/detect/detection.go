package detect

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

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
	// Leads is [Rules.Leads], where (?2) is the second one, and so on.
	Leads []string
	// Is is [Rules.Is].
	Is func(err error, name string) bool

	once     sync.Once
	rules    Rules
	fallback taxonomy.Row
	sets     []setter    // of the rules by rank, and then of no rule
	fills    [][]filling // by category
}

// CodeRule is one detection rule at its code. All of its conditions must hold. If it has Text
// patterns, the text must contain one of them; likewise for Contains patterns. If it has signatures,
// the evidence must match one of them.
type CodeRule struct {
	// Doc is the rule as it is in the taxonomy, on one line.
	Doc            string
	Priority       int
	Conditions     []Condition
	Text, Contains []Pattern
	Like           []*Signature
	// Set are the fields that the rule sets, as JSON.
	Set string
}

// Classify is [Rules.Classify].
func (d *Detection) Classify(raw any, opts []Option) error { return d.Rules().Classify(raw, opts) }

// ClassifyFor is Classify with [WithTable]. It makes a Detection the classifier of a table.
func (d *Detection) ClassifyFor(t taxonomy.Table, err error) error {
	if t.Overlay == nil {
		return d.Classify(err, nil)
	}
	return d.Classify(err, []Option{WithTable(t)})
}

// Explain is [Rules.Explain].
func (d *Detection) Explain(raw any, opts []Option) Explanation { return d.Rules().Explain(raw, opts) }

// ClassifyEvidence is [Rules.ClassifyEvidence]. It does not change ev, and allocates nothing but the
// error.
func (d *Detection) ClassifyEvidence(ev *taxonomy.Evidence, opts []Option) error {
	r := d.Rules()
	if ev != nil && ev.Err == nil && ev.Text == "" && len(opts) == 0 {
		return d.make(r.match(ev, ""), ev)
	}
	return d.classifyEvidence(ev, opts)
}

// classifyEvidence is ClassifyEvidence with room for a copy of ev.
func (d *Detection) classifyEvidence(ev *taxonomy.Evidence, opts []Option) error {
	var room taxonomy.Evidence
	rule, as, err := d.rules.Decide(ev, &room, opts)
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
	row := d.fallback
	if uint(rule) < uint(len(d.rules.Rules)) {
		row = d.rules.Rules[rule].Row
	} else if rule = len(d.rules.Rules); row == taxonomy.RowUnknown {
		return Unknown(d.Taxonomy, ev)
	}
	c := d.Taxonomy.Categories[row.Category()]
	e := c.New(uint16(row.Code()), ev.Err)
	d.fill(row.Category(), e, ev)
	if s := &d.sets[rule]; s.sets {
		s.apply(c, e)
	}
	return e
}

// filling is how evidence fills a field.
type filling struct {
	at     int // in the list of fields
	field  *taxonomy.Field
	texts  []textKey // the keys of a string that is filled from texts only
	object []filling

	place
	store       store
	byAttribute bool   // whether only attributes fill the field, which has no default
	text        string // the default of a text
}

// textKey is a key of evidence whose value is a text.
type textKey struct {
	key  Key
	name string // of an attribute
}

// fillings returns how evidence fills fields, those that nothing fills left out.
func fillings(fields []taxonomy.Field) []filling {
	var out []filling
	for i := range fields {
		f := filling{at: i, field: &fields[i]}
		if f.field.Type == "object" {
			f.object = fillings(f.field.Fields)
		} else if len(f.field.From) == 0 && f.field.Default == "" {
			continue
		}
		if f.field.Type == "string" {
			f.texts = textKeys(f.field.From)
		}
		out = append(out, f)
	}
	return out
}

// textKeys returns keys of evidence; nil if one of them is not a text that a condition can test.
func textKeys(from []string) []textKey {
	var out []textKey
	for _, name := range from {
		if attribute, ok := strings.CutPrefix(name, "attributes."); ok {
			out = append(out, textKey{Attribute, attribute})
			continue
		}
		key, ok := keysOfTexts[name]
		if !ok {
			return nil
		}
		out = append(out, textKey{key: key})
	}
	return out
}

// fill fills fields, to which list has pointers, from evidence, or else with their defaults. It reports
// whether evidence fills one. An object is absent if evidence fills nothing in it, unless it is
// required.
func fill(fields []filling, list []any, ev *taxonomy.Evidence) (filled bool) {
	for i := range fields {
		f := &fields[i]
		p := list[f.at]
		if f.field.Type == "object" {
			if !f.field.Required && !tells(f.object, ev) {
				continue
			}
			inner, store := gen.NewObject(p)
			if store == nil {
				continue
			}
			found := fill(f.object, inner, ev)
			if found || f.field.Required {
				store()
			}
			filled = filled || found
			continue
		}
		if f.fill(p, ev) {
			filled = true
		} else if f.field.Default != "" {
			gen.SetDefault(f.field, p)
		}
	}
	return filled
}

// tells reports whether evidence has a value for a field.
func tells(fields []filling, ev *taxonomy.Evidence) bool {
	return slices.ContainsFunc(fields, func(f filling) bool {
		if f.object != nil {
			return tells(f.object, ev)
		}
		return slices.ContainsFunc(f.field.From, func(from string) bool {
			_, ok := Read(ev, from, f.field.Type, f.field.Enum)
			return ok
		})
	})
}

// fill fills the field that p points to from the first key of evidence that has a value for it.
func (f *filling) fill(p any, ev *taxonomy.Evidence) bool {
	for i := range f.texts {
		if text := f.texts[i].of(ev); text != "" {
			putText(p, text)
			return true
		}
	}
	if f.texts != nil {
		return false
	}
	for _, from := range f.field.From {
		switch p := p.(type) {
		case *taxonomy.Opt[int]:
			if from == "status" && ev.Status != 0 {
				*p = taxonomy.Some(ev.Status)
				return true
			}
		case *taxonomy.Opt[time.Duration]:
			if from == "retry_after" && !ev.RetryAfter.IsZero() {
				*p = ev.RetryAfter
				return true
			}
		}
		if v, ok := Read(ev, from, f.field.Type, f.field.Enum); ok {
			gen.PutAny(p, v)
			return true
		}
	}
	return false
}

func (k *textKey) of(ev *taxonomy.Evidence) string {
	switch k.key {
	case Source:
		return ev.Source
	case Op:
		return ev.Op
	case Type:
		return ev.Type
	case Code:
		return ev.Code
	case Signal:
		return ev.Signal
	case Errno:
		return ev.Errno
	case textOnly:
		return ev.Text
	case outputOnly:
		return ev.Output
	case credentialOnly:
		return ev.Credential
	}
	if len(ev.Attributes) == 0 {
		return ""
	}
	return ev.Attributes[k.name]
}

// The texts of evidence that no condition tests.
const (
	textOnly Key = 0x80 + iota
	outputOnly
	credentialOnly
)

var keysOfTexts = map[string]Key{
	"source": Source, "op": Op, "type": Type, "code": Code, "signal": Signal, "errno": Errno, "text": textOnly,
	"output": outputOnly, "credential": credentialOnly,
}

func putText(p any, text string) {
	switch p := p.(type) {
	case *string:
		*p = text
	case *taxonomy.Opt[string]:
		*p = taxonomy.Some(text)
	case *taxonomy.Secret[string]:
		*p = taxonomy.SecretOf(text)
	}
}

// class is what a rule ranks by among rules of its priority.
type class uint8

const (
	structured class = iota // tests more than who failed at what
	textual                 // searches the text
	general                 // tests source and op only
)

// ranked is a rule, with one form of one of its signatures if it has any, and what it ranks by.
type ranked struct {
	*CodeRule
	id         int // before ranking
	name       string
	row        taxonomy.Row
	like       *Signature
	form       *Form
	conditions []Condition // of the rule and of the form
	class      class
	// derived is the class where the status was read in the text: it is no more than text then.
	derived class
}

// rankedRules returns a rule, or one for each form of its signatures.
func rankedRules(r *CodeRule) (all []ranked) {
	if len(r.Like) == 0 {
		all = []ranked{{CodeRule: r, form: &Form{}, conditions: r.Conditions}}
	}
	for _, like := range r.Like {
		for i := range like.Any {
			form := &like.Any[i]
			all = append(all, ranked{CodeRule: r, like: like, form: form,
				conditions: slices.Concat(r.Conditions, form.Conditions)})
		}
	}
	for i := range all {
		x := &all[i]
		x.class, x.derived = x.classWithout(Source, Op), x.classWithout(Source, Op, Status)
		if x.derived == general && x.class == structured {
			x.derived = textual
		}
	}
	return all
}

// classWithout returns the class of a rule without its conditions on the given keys.
func (x *ranked) classWithout(keys ...Key) class {
	switch {
	case slices.ContainsFunc(x.conditions, func(c Condition) bool { return !slices.Contains(keys, c.Key) }):
		return structured
	case len(x.Text)+len(x.Contains)+len(x.form.Text)+len(x.form.Contains) > 0:
		return textual
	}
	return general
}

// rank sorts the rules: higher priority first, then by class, then as the taxonomy has them. A more
// specific signature comes before those that it is over.
func (d *Detection) rank() {
	var all []ranked
	for i, codes := range d.Categories {
		for n, rules := range codes {
			row := taxonomy.At(i, uint16(n))
			name := ""
			if c := d.Taxonomy.Code(row); c != nil {
				name = cmp.Or(c.Key, c.Value)
			}
			for k := range rules {
				for _, x := range rankedRules(&rules[k]) {
					x.id, x.name, x.row = len(all), fmt.Sprintf("%s/%d", name, k+1), row
					all = append(all, x)
				}
			}
		}
	}
	d.fallback, _ = d.Taxonomy.Find(d.Taxonomy.Fallback)
	var places [][]place // by category
	for _, c := range d.Taxonomy.Categories {
		places = append(places, placesOf(c))
	}
	derived := make([]uint16, len(all))
	for i, x := range sortedRules(all, func(x ranked) class { return x.derived }) {
		derived[x.id] = uint16(i)
	}
	patterns := patternPlaces{rules: &d.rules, places: make(map[patternKey]uint16)}
	leads := make([]string, len(d.Leads))
	for i, lead := range d.Leads {
		leads[i] = resolved(lead, d.Leads)
	}
	d.rules = Rules{Taxonomy: d.Taxonomy, Leads: leads, FallbackSet: setNames(d.FallbackSet), Is: d.Is, Make: d.make}
	for _, x := range sortedRules(all, func(x ranked) class { return x.class }) {
		d.sets = append(d.sets, d.setter(x.row, x.Set, places))
		d.rules.Rules = append(d.rules.Rules, Rule{
			Name: x.name, Doc: x.Doc, Conditions: x.conditions, Set: setNames(x.Set), Row: x.row,
			Derived: derived[x.id], Text: patterns.of(x.Text), Contains: patterns.of(x.Contains),
			Like: x.like, LikeText: patterns.of(x.form.Text.unpack(leads)),
			LikeContains: patterns.of(x.form.Contains.unpack(leads)),
		})
	}
	d.sets = append(d.sets, d.setter(d.fallback, d.FallbackSet, places))
	d.needs()
	for i, c := range d.Taxonomy.Categories {
		d.fills = append(d.fills, fillings(c.Fields))
		for k := range d.fills[i] {
			d.fills[i][k].prepare(places[i])
		}
		d.rules.Sensitive = appendSensitive(d.rules.Sensitive, c.Fields, false)
	}
	slices.Sort(d.rules.Sensitive)
	d.rules.Sensitive = slices.Compact(d.rules.Sensitive)
}

func sortedRules(rules []ranked, of func(ranked) class) []ranked {
	return precede(slices.SortedStableFunc(slices.Values(rules), func(a, b ranked) int {
		return cmp.Or(cmp.Compare(b.Priority, a.Priority), cmp.Compare(of(a), of(b)))
	}))
}

// patternPlaces has the places of patterns in [Rules.Patterns], where each is once.
type patternPlaces struct {
	rules  *Rules
	places map[patternKey]uint16
}

type patternKey struct {
	expr, plain string
	lead        uint8
}

func (p *patternPlaces) of(list []Pattern) []uint16 {
	var out []uint16
	for _, pattern := range list {
		key := patternKey{pattern.Expr, pattern.Plain, pattern.Lead}
		place, ok := p.places[key]
		if !ok {
			place = uint16(len(p.rules.Patterns))
			p.places[key] = place
			p.rules.Patterns = append(p.rules.Patterns, pattern)
		}
		out = append(out, place)
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
	for row, c := range d.Taxonomy.Codes() {
		if len(d.at(row)) == 0 && row != d.fallback {
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
