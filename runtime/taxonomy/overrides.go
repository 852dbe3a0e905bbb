package taxonomy

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"maps"
	"math"
	"reflect"
	"slices"
	"strings"
	"time"
)

// Overrides change a table for one run; see [Table.Override]. They are part of a configuration file
// in JSON or YAML. They refer to reactions and policies by the names that the taxonomy declares. A
// field that is nil or empty changes nothing.
type Overrides struct {
	// Codes are the names of reactions, by code, by category, or by "*" for all codes. A code is
	// its value on the wire, an alias, a further name, or its key in the taxonomy's file. The most
	// specific key wins. A key that names a code and a category is the code.
	Codes map[string]string `json:"codes,omitempty" yaml:"codes,omitempty"`
	// Policies change the numbers of policies.
	Policies map[string]Numbers `json:"policies,omitempty" yaml:"policies,omitempty"`
	// Uncategorized names the reaction to an error that is not of the taxonomy.
	Uncategorized string `json:"uncategorized,omitempty" yaml:"uncategorized,omitempty"`
	// Detection, Recovery, Retry and Reporting change the profile's sections. Without a profile,
	// unset keys keep the behaviour of a table without overrides.
	Detection DetectionOverride `json:"detection,omitzero" yaml:"detection,omitempty"`
	Recovery  RecoveryOverride  `json:"recovery,omitzero" yaml:"recovery,omitempty"`
	Retry     RetryOverride     `json:"retry,omitzero" yaml:"retry,omitempty"`
	Reporting ReportingOverride `json:"reporting,omitzero" yaml:"reporting,omitempty"`
}

// Numbers change the numbers of a policy. If InitialDelay exceeds MaxDelay, and only one of them is
// set here, the other one gets the same value. If the policy has a range of attempts, MaxAttempts
// is also the end of the range.
type Numbers struct {
	MaxAttempts   *int      `json:"max_attempts,omitempty" yaml:"max_attempts,omitempty"`
	InitialDelay  *Duration `json:"initial_delay,omitempty" yaml:"initial_delay,omitempty"`
	MaxDelay      *Duration `json:"max_delay,omitempty" yaml:"max_delay,omitempty"`
	MaxElapsed    *Duration `json:"max_elapsed,omitempty" yaml:"max_elapsed,omitempty"`
	MaxRetryAfter *Duration `json:"max_retry_after,omitempty" yaml:"max_retry_after,omitempty"`
	Multiplier    *float64  `json:"multiplier,omitempty" yaml:"multiplier,omitempty"`
	Backoff       *Backoff  `json:"backoff,omitempty" yaml:"backoff,omitempty"`
	// Jitter is the fraction of a proportional jitter; 0 is no jitter.
	Jitter *float64 `json:"jitter,omitempty" yaml:"jitter,omitempty"`
}

// Duration is a time.Duration that is a text in JSON and YAML: "1.5s".
type Duration time.Duration

// String returns the text.
func (d Duration) String() string { return time.Duration(d).String() }

// MarshalText returns the text.
func (d Duration) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// UnmarshalText reads the text.
func (d *Duration) UnmarshalText(b []byte) error {
	v, err := time.ParseDuration(string(b))
	*d = Duration(v)
	return err
}

// DetectionOverride changes the switches of classification.
type DetectionOverride struct {
	Text           *bool `json:"text,omitempty" yaml:"text,omitempty"`
	Severity       *bool `json:"severity,omitempty" yaml:"severity,omitempty"`
	Recoverability *bool `json:"recoverability,omitempty" yaml:"recoverability,omitempty"`
}

// RecoveryOverride changes the limits for strategies.
type RecoveryOverride struct {
	Enabled *bool `json:"enabled,omitempty" yaml:"enabled,omitempty"`
	// MaxAttempts is the maximum number of strategies in a run; 0 allows none.
	MaxAttempts *int `json:"max_attempts,omitempty" yaml:"max_attempts,omitempty"`
	// Allowed are the strategies that may run. An empty list that is not nil allows none.
	Allowed []string `json:"allowed,omitzero" yaml:"allowed,omitempty"`
}

// RetryOverride changes the switch of retries, and the policy of reactions without one.
type RetryOverride struct {
	Enabled *bool `json:"enabled,omitempty" yaml:"enabled,omitempty"`
	Numbers `yaml:",inline"`
}

// ReportingOverride changes the contents of reports.
type ReportingOverride struct {
	LogLevel *LogLevel `json:"log_level,omitempty" yaml:"log_level,omitempty"`
	Stack    *bool     `json:"stack,omitempty" yaml:"stack,omitempty"`
	Context  *bool     `json:"context,omitempty" yaml:"context,omitempty"`
}

// UnmarshalJSON decodes overrides. An unknown key is an error at every level. To get this error for
// YAML, use a strict decoder.
func (o *Overrides) UnmarshalJSON(b []byte) error {
	type plain Overrides
	var in plain
	d := json.NewDecoder(bytes.NewReader(b))
	d.DisallowUnknownFields()
	if err := d.Decode(&in); err != nil {
		return err
	}
	*o = Overrides(in)
	return nil
}

// Override returns a copy of the table whose profile has the overrides. Choose the profile first,
// because [Table.Profile] of the result is without the overrides.
//
// A row that is not retryable never gets a reaction that leads to a retry. The next key that covers
// the row applies instead; without one, the row keeps its reaction.
//
// The error names each mistake with its path: an undeclared name, a number out of range, and a
// reaction that no row can get.
func (t Table) Override(o Overrides) (Table, error) {
	if t.Taxonomy == nil {
		return Table{}, errors.New("overrides: the table has no taxonomy")
	}
	if reflect.ValueOf(o).IsZero() {
		return t, nil
	}
	v := override{table: t, over: o, choices: make(map[string]*choice)}
	v.reactions, v.policies = t.declared()
	p := defaultSections
	if t.Overlay != nil {
		p = *t.Overlay
	}
	v.sections(&p)
	changes := Changes{Policies: v.changedPolicies(), Row: v.row}
	if o.Uncategorized != "" {
		p.Uncategorized = v.named(o.Uncategorized, "uncategorized")
	}
	v.codes()
	t.Overlay, _ = changes.Apply(t, p)
	for _, key := range slices.Sorted(maps.Keys(v.choices)) {
		if c := v.choices[key]; c.refused && !c.taken {
			v.mistake("codes."+key, "reaction %q leads to a retry, but no code that the key covers is retryable",
				c.reaction.Name)
		}
	}
	if v.mistakes != nil {
		return Table{}, fmt.Errorf("%s: overrides: %w", t.Taxonomy.Package, errors.Join(v.mistakes...))
	}
	return t, nil
}

// override reads overrides of a table.
type override struct {
	table     Table
	over      Overrides
	reactions []*Reaction // the declared ones, with the changes of the profile
	policies  []*Policy   // likewise
	choices   map[string]*choice
	mistakes  []error
}

// choice is a key of [Overrides.Codes].
type choice struct {
	reaction       *Reaction
	code           Row // of the code that the key names
	isCode         bool
	taken, refused bool // whether a row takes or refuses the reaction
}

// mistake reports a mistake once. Two versions of one policy can have the same one.
func (v *override) mistake(path, format string, args ...any) {
	text := path + ": " + fmt.Sprintf(format, args...)
	if !slices.ContainsFunc(v.mistakes, func(err error) bool { return err.Error() == text }) {
		v.mistakes = append(v.mistakes, errors.New(text))
	}
}

// defaultSections are the sections of a table without a profile.
var defaultSections = Profile{
	Detection: Detection{Text: true, Severity: true, Recoverability: true},
	Recovery:  Recovery{Enabled: true},
	Retry:     RetryDefaults{Enabled: true},
	Reporting: Reporting{stackUnset: true},
}

// changedPolicies returns the policies with changed numbers, by the policies that they replace. The
// numbers of a policy in place do not change, even if it has the name of a declared policy.
func (v *override) changedPolicies() map[*Policy]*Policy {
	changed := make(map[*Policy]*Policy)
	declared := slices.Concat(v.policies, v.table.Taxonomy.Policies)
	if p := v.table.Overlay; p != nil {
		declared = append(declared, p.others...)
	}
	for _, name := range slices.Sorted(maps.Keys(v.over.Policies)) {
		known := make([]string, len(v.policies))
		for i, p := range v.policies {
			known[i] = p.Name
		}
		if !slices.Contains(known, name) {
			v.unknown("policies."+name, "policy", name, known)
		}
	}
	for _, p := range declared {
		if n := v.over.Policies[p.Name]; n != (Numbers{}) && changed[p] == nil {
			version := *p
			v.numbers(&version, n, "policies."+p.Name)
			changed[p] = &version
		}
	}
	return changed
}

// codes reads the keys of the codes.
func (v *override) codes() {
	for _, key := range slices.Sorted(maps.Keys(v.over.Codes)) {
		row, isCode := v.code(key)
		isCategory := func(c *Category) bool { return c.Name == key }
		if !isCode && key != "*" && !slices.ContainsFunc(v.table.Taxonomy.Categories, isCategory) {
			v.mistake("codes."+key, "no such code or category")
		}
		v.choices[key] = &choice{reaction: v.named(v.over.Codes[key], "codes."+key), code: row, isCode: isCode}
	}
}

// row returns the reactions that a row can get. The keys that cover the fallback's code also cover
// rows without a code, except [RowUnknownRetry], which only "*" covers.
func (v *override) row(row Row, _ *Traits) iter.Seq[*Reaction] {
	t := v.table.Taxonomy
	received := row == RowUnknownRetry
	if t.Code(row) == nil {
		row, _ = t.Find(t.Fallback)
	}
	return func(yield func(*Reaction) bool) {
		if c := v.choices["*"]; received && c != nil {
			c.taken = true
			yield(c.reaction)
			return
		}
		if code := t.Code(row); code != nil && !received {
			names := slices.Concat([]string{code.Value}, code.Extras().Aliases, code.Extras().Names, []string{code.Key})
			for i, key := range append(names, t.Categories[row.Category()].Name, "*") {
				c := v.choices[key]
				if c == nil || c.isCode != (i < len(names)) || c.isCode && c.code != row.When(0) {
					continue
				}
				if !yield(c.reaction) {
					c.taken = true
					return
				}
				c.refused = true
			}
		}
		yield(nil)
	}
}

// code returns the row of the code that a key names: the value on the wire, an alias or a further
// name, else the key in the taxonomy's file.
func (v *override) code(key string) (Row, bool) {
	if row, ok := v.table.Taxonomy.Find(key); ok {
		return row, true
	}
	for row, code := range v.table.Taxonomy.Codes() {
		if key != "" && code.Key == key {
			return row, true
		}
	}
	return RowUnknown, false
}

// named returns the declared reaction with a name, with the changes of the profile.
func (v *override) named(name, path string) *Reaction {
	known := make([]string, len(v.reactions))
	for i, r := range v.reactions {
		if r.Name == name {
			return r
		}
		known[i] = r.Name
	}
	v.unknown(path, "reaction", name, known)
	return Predeclared(Abort)
}

// unknown reports a name that is not in known.
func (v *override) unknown(path, what, name string, known []string) {
	v.mistake(path, "no %s %q; there are %s", what, name, cmp.Or(strings.Join(known, ", "), "none"))
}

// sections applies the overrides of the profile's sections.
func (v *override) sections(p *Profile) {
	set(&p.Detection.Text, v.over.Detection.Text)
	set(&p.Detection.Severity, v.over.Detection.Severity)
	set(&p.Detection.Recoverability, v.over.Detection.Recoverability)
	set(&p.Reporting.LogLevel, v.over.Reporting.LogLevel)
	if stack := v.over.Reporting.Stack; stack != nil {
		p.Reporting.Stack, p.Reporting.stackUnset = *stack, false
	}
	set(&p.Reporting.Context, v.over.Reporting.Context)
	set(&p.Recovery.Enabled, v.over.Recovery.Enabled)
	if n := v.over.Recovery.MaxAttempts; n != nil {
		v.check("recovery.max_attempts", *n >= 0, *n, "0 or more")
		if p.Recovery.MaxAttempts = *n; *n == 0 {
			p.Recovery.MaxAttempts = -1
		}
	}
	if allowed := v.over.Recovery.Allowed; allowed != nil {
		p.Recovery.Allowed = slices.Clone(allowed)
		for _, name := range allowed {
			if !slices.ContainsFunc(v.table.Taxonomy.Strategies, func(s Named) bool { return s.Name == name }) {
				v.mistake("recovery.allowed", "no strategy %q", name)
			}
		}
	}
	set(&p.Retry.Enabled, v.over.Retry.Enabled)
	if n := v.over.Retry.Numbers; n != (Numbers{}) {
		policy := DefaultPolicy("retry")
		if p.Retry.Policy != nil {
			policy = *p.Retry.Policy
		}
		v.numbers(&policy, n, "retry")
		p.Retry.Policy = &policy
	}
}

// set replaces a value, if there is a replacement.
func set[T any](value, replacement *T) {
	if replacement != nil {
		*value = *replacement
	}
}

// numbers applies n to p. If MaxRetryAfter equals MaxDelay, it changes with MaxDelay.
func (v *override) numbers(p *Policy, n Numbers, path string) {
	follows := p.MaxRetryAfter == p.MaxDelay
	set(&p.MaxAttempts, n.MaxAttempts)
	set(&p.InitialDelay, (*time.Duration)(n.InitialDelay))
	set(&p.MaxDelay, (*time.Duration)(n.MaxDelay))
	set(&p.MaxElapsed, (*time.Duration)(n.MaxElapsed))
	set(&p.Multiplier, n.Multiplier)
	set(&p.Backoff, n.Backoff)
	if n.Jitter != nil {
		p.Jitter, p.JitterKind = *n.Jitter, JitterNone
		if p.Jitter > 0 {
			p.JitterKind = JitterProportional
		}
	}
	switch {
	case p.InitialDelay <= p.MaxDelay:
	case n.InitialDelay == nil:
		p.InitialDelay = p.MaxDelay
	case n.MaxDelay == nil:
		p.MaxDelay = p.InitialDelay
	default:
		v.mistake(path+".max_delay", "%s is below initial_delay %s", p.MaxDelay, p.InitialDelay)
	}
	if follows {
		p.MaxRetryAfter = p.MaxDelay
	}
	set(&p.MaxRetryAfter, (*time.Duration)(n.MaxRetryAfter))
	if p.Adapt != nil {
		a := *p.Adapt
		if n.MaxAttempts != nil && a.MaxAttempts != 0 {
			a.MinAttempts, a.MaxAttempts = min(a.MinAttempts, p.MaxAttempts), p.MaxAttempts
		}
		if a.MaxDelay != 0 {
			a.MinDelay = min(a.MinDelay, p.InitialDelay)
			a.MaxDelay = min(max(a.MaxDelay, p.InitialDelay), p.MaxDelay)
		}
		p.Adapt = &a
	}
	v.check(path+".max_attempts", 1 <= p.MaxAttempts && p.MaxAttempts <= 1e6, p.MaxAttempts, "1 to 1000000")
	v.check(path+".multiplier", 1 <= p.Multiplier && p.Multiplier <= math.MaxFloat64, p.Multiplier, "1 or more")
	v.check(path+".jitter", 0 <= p.Jitter && p.Jitter <= 1, p.Jitter, "0 to 1")
	for i, d := range [...]time.Duration{p.InitialDelay, p.MaxDelay, p.MaxElapsed, p.MaxRetryAfter} {
		key := [...]string{".initial_delay", ".max_delay", ".max_elapsed", ".max_retry_after"}[i]
		v.check(path+key, d >= 0, d, "0s or more")
	}
}

// check reports a number that is out of range.
func (v *override) check(path string, ok bool, n any, limits string) {
	if !ok {
		v.mistake(path, "%v is out of range (%s)", n, limits)
	}
}
