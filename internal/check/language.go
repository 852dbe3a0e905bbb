package check

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/errgen/errgen/internal/diag"
	"github.com/errgen/errgen/internal/model"
	"github.com/errgen/errgen/internal/resolve"
	"github.com/errgen/errgen/internal/spec"
)

// This file holds facts about the language that belong to the tags of its structs: where names are
// declared and referred to, which keys an action takes, which numbers and characters are valid.

// name is a name that is declared or referred to.
type name struct {
	spec.Text
	Ref      spec.Ref
	Declares bool
	Prefix   bool // the beginning of a name
}

// noun returns what a name names.
func noun(ref spec.Ref) string {
	return map[spec.Ref]string{
		spec.RefSource: "source", spec.RefOp: "op", spec.RefGroup: "group", spec.RefStrategy: "strategy",
		spec.RefCheck: "check", spec.RefTier: "tier", spec.RefPolicy: "policy", spec.RefReaction: "reaction",
		spec.RefCode: "code", spec.RefOverlay: "code, category or @group",
	}[ref]
}

// eachName visits every name of a taxonomy but those of fields.
func eachName(t *spec.Taxonomy, visit func(name)) {
	v := nameVisitor(visit)
	for _, section := range []struct {
		ref   spec.Ref
		names []spec.Named
	}{
		{spec.RefSource, t.Sources}, {spec.RefOp, t.Ops}, {spec.RefGroup, t.Groups},
		{spec.RefStrategy, t.Strategies}, {spec.RefCheck, t.Checks},
	} {
		for _, n := range section.names {
			v.declare(section.ref, n.Name)
		}
	}
	for _, tier := range t.Tiers {
		v.declare(spec.RefTier, tier.Name)
	}
	for _, p := range t.Policies {
		v.declare(spec.RefPolicy, p.Name)
	}
	for i := range t.Reactions {
		v.declare(spec.RefReaction, t.Reactions[i].Name)
		v.reaction(&t.Reactions[i])
	}
	if t.Fallback != nil {
		v.refer(spec.RefCode, t.Fallback.Code)
	}
	v.reactionRef(t.Uncategorized)
	for _, k := range t.Categories {
		v.declare(spec.RefCategory, k.Name)
		v.reactionRef(k.Traits.Reaction)
		for i := range k.Codes {
			v.code(&k.Codes[i])
		}
	}
	for i := range t.Profiles {
		v.profile(&t.Profiles[i])
	}
}

type nameVisitor func(name)

func (v nameVisitor) declare(ref spec.Ref, t spec.Text) { v(name{Text: t, Ref: ref, Declares: true}) }

func (v nameVisitor) refer(ref spec.Ref, texts ...spec.Text) {
	for _, t := range texts {
		if t.Set {
			v(name{Text: t, Ref: ref})
		}
	}
}

func (v nameVisitor) reactionRef(r *spec.ReactionRef) {
	switch {
	case r == nil:
	case r.Inline != nil:
		v.reaction(r.Inline)
	case r.ByFlag != nil:
		v.refer(spec.RefReaction, r.ByFlag.Retryable, r.ByFlag.Permanent)
	default:
		v.refer(spec.RefReaction, r.Name)
	}
}

func (v nameVisitor) reaction(r *spec.Reaction) {
	if r.Policy != nil && r.Policy.Inline == nil {
		v.refer(spec.RefPolicy, r.Policy.Name)
	}
	v.refer(spec.RefStrategy, r.Strategy)
	v.refer(spec.RefTier, r.To)
	v.reactionRef(r.Then)
}

func (v nameVisitor) code(k *spec.Code) {
	v.declare(spec.RefCode, k.Name)
	v.reactionRef(k.Traits.Reaction)
	for _, w := range k.When {
		v.reactionRef(w.Traits.Reaction)
	}
	v.refer(spec.RefGroup, k.Groups...)
	v.refer(spec.RefCode, k.ReplacedBy)
	if k.Prevent != nil {
		v.refer(spec.RefCheck, k.Prevent.Check)
	}
	for _, r := range k.Detect {
		for _, cond := range r.Conditions {
			v.literals(cond.Key.V, slices.Concat(cond.Match.Values, cond.Match.Not)...)
			if ref := evidenceRefs[cond.Key.V]; ref != spec.RefNone {
				for _, p := range cond.Match.Prefix {
					v(name{Text: p, Ref: ref, Prefix: true})
				}
			}
		}
	}
	for _, x := range slices.Concat(k.Examples, k.NotExamples) {
		for _, e := range x.Entries {
			v.literals(e.Key.V, e.Value)
		}
		if x.Want != nil {
			v.refer(spec.RefReaction, x.Want.Reaction)
		}
	}
}

var evidenceRefs = map[string]spec.Ref{"source": spec.RefSource, "op": spec.RefOp}

func (v nameVisitor) literals(key string, lits ...spec.Literal) {
	ref := evidenceRefs[key]
	for _, lit := range lits {
		if ref != spec.RefNone && lit.Kind == spec.LitString {
			v.refer(ref, spec.Text{V: lit.Text, Span: lit.Span, Set: true})
		}
	}
}

func (v nameVisitor) profile(p *spec.Profile) {
	v.declare(spec.RefProfile, p.Name)
	for i := range p.Reactions {
		v.refer(spec.RefReaction, p.Reactions[i].Name)
		v.reaction(&p.Reactions[i])
	}
	for _, policy := range p.Policies {
		v.refer(spec.RefPolicy, policy.Name)
	}
	for _, o := range p.Codes {
		v.refer(spec.RefOverlay, o.Key)
		v.reactionRef(o.Traits.Reaction)
	}
	v.refer(spec.RefStrategy, p.Recovery.Allowed...)
}

// reactionKey is a key of a reaction that not every action takes.
type reactionKey struct {
	Name    string
	Span    diag.Span
	Actions []string
}

// reactionKeys lists the keys of a reaction that are given and that not every action takes.
func reactionKeys(r *spec.Reaction) []reactionKey {
	retries := []string{"retry", "retry_operation", "recover"}
	asks := append(slices.Clone(retries), "escalate")
	policy, then := diag.Span{}, refSpan(r.Then, false)
	if r.Policy != nil {
		policy = firstSpan(r.Policy.Name.Span, r.Policy.Span)
	}
	keys := []reactionKey{
		{"policy", policy, retries},
		{"honor_retry_after", r.HonorRetryAfter.Span, retries},
		{"shared", r.Shared.Span, retries},
		{"then", then, asks},
		{"extent", r.Extent.Span, []string{"abort", "block"}},
		{"strategy", r.Strategy.Span, []string{"recover"}},
		{"resume", r.Resume.Span, []string{"recover"}},
		{"session", r.Session.Span, asks},
		{"to", r.To.Span, []string{"escalate"}},
		{"purpose", r.Purpose.Span, []string{"retry", "retry_operation", "escalate"}},
		{"feed_back", r.FeedBack.Span, append(asks, "continue", "block")},
	}
	return slices.DeleteFunc(keys, func(k reactionKey) bool { return !k.Span.Valid() })
}

// number is what a number of the language is called, and its bounds.
type number struct {
	key         string
	least, most float64
}

const endless = math.MaxInt64

var numbers = map[string]number{
	"Policy.MaxAttempts":     {"max_attempts", 1, spec.MaxNumber},
	"Policy.Multiplier":      {"multiplier", 1, endless},
	"Jitter.Fraction":        {"jitter", 0, 1},
	"Adapt.Target":           {"target", spec.MinTarget, spec.MaxTarget},
	"Adapt.Window":           {"window", spec.MinOutcomes, spec.MaxOutcomes},
	"Attempts.Min":           {"min", 1, spec.MaxMoved},
	"Attempts.Max":           {"max", 1, spec.MaxMoved},
	"Budget.Retries":         {"retries", 0, endless},
	"Budget.Reserve":         {"reserve", 0, spec.MaxNumber},
	"Budget.Window":          {"window", 1, endless},
	"Breaker.Failures":       {"failures", 1, spec.MaxOutcomes},
	"Breaker.Of":             {"of", 1, spec.MaxOutcomes},
	"Breaker.Probe":          {"probe", 1, endless},
	"Breaker.Successes":      {"successes", 1, spec.MaxOutcomes},
	"Prevention.Throttle":    {"throttle", 1, endless},
	"Prevention.Concurrency": {"concurrency", 1, spec.MaxNumber},
	"Prevention.Likely":      {"likely", 0, spec.MaxLikely},
	"Recovery.MaxAttempts":   {"max_attempts", 0, spec.MaxNumber},
	"Traits.HTTP":            {"http", 100, 599},
	"Code.Number":            {"number", 1, endless},
	"Field.MaxLength":        {"max_length", 4, 1<<30 - 1}, // a cut leaves a mark of three bytes
}

func (n number) holds(v float64) bool { return v >= n.least && v <= n.most && !math.IsInf(v, 0) }

func (c *checker) outOfRange(n number, at diag.Span, v any) {
	if n.most == endless {
		c.report("E-value", at, fmt.Sprintf("%s: %v is out of range", n.key, v), n.hint(v))
		return
	}
	c.report("E-value", at, fmt.Sprintf("%s: %v is out of range (%g to %.9g)", n.key, v, n.least, n.most), n.hint(v))
}

func (n number) hint(v any) string {
	switch _, duration := v.(time.Duration); {
	case duration:
		return "use a duration above 0s"
	case n.most == endless:
		return fmt.Sprintf("use %g or more", n.least)
	}
	return fmt.Sprintf("use a value from %g to %.9g", n.least, n.most)
}

// ranges finds numbers that are out of range, preventions that do nothing, and texts with
// characters that change how a line is read: control characters, and those that turn the direction
// of writing.
func ranges(c *checker) {
	walk(reflect.ValueOf(c.t).Elem(), "", func(place string, v any) {
		n, bounded := numbers[place]
		switch v := v.(type) {
		case spec.Text:
			if place != "Rule.Text" && place != "Rule.Contains" {
				c.unsafe(v)
			}
		case spec.Int:
			if bounded && v.Set && !n.holds(float64(v.V)) {
				c.outOfRange(n, v.Span, v.V)
			}
		case spec.Float:
			if bounded && v.Set && !n.holds(v.V) {
				c.outOfRange(n, v.Span, v.V)
			}
		case spec.Duration:
			if bounded && v.Set && !n.holds(float64(v.V)) {
				c.outOfRange(n, v.Span, v.V)
			}
		}
	})
	c.eachRule(func(_ *code, r *spec.Rule) {
		for _, cond := range r.Conditions {
			for _, lit := range slices.Concat(cond.Match.Values, cond.Match.Not) {
				c.status(cond.Key.V, lit)
			}
		}
	})
	c.eachEntry(func(e spec.LiteralEntry) { c.status(e.Key.V, e.Value) })
	for _, k := range c.codes {
		if d := k.Prevent; d != nil && !d.Check.Set && !d.Throttle.Set && !d.Concurrency.Set {
			c.report("E-missing-key", d.Span, "prevent needs check, throttle or concurrency",
				"set what is done before a call that is likely to fail so")
		}
	}
}

func (c *checker) status(key string, lit spec.Literal) {
	limits, bounded := statuses[key]
	v, err := resolve.Value(&model.Field{Type: model.Int}, lit)
	if n := (number{key, limits[0], limits[1]}); err == nil && bounded && !n.holds(float64(v.Int)) {
		c.outOfRange(n, lit.Span, v.Int)
	}
}

// walk visits every value of a tree with the struct and field that holds it, in the order of
// declaration. Literals are left out: they become quoted Go strings.
func walk(v reflect.Value, place string, visit func(place string, v any)) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			walk(v.Elem(), place, visit)
		}
	case reflect.Slice:
		for i := range v.Len() {
			walk(v.Index(i), place, visit)
		}
	case reflect.Struct:
		switch x := v.Interface().(type) {
		case spec.Literal, spec.LiteralEntry, spec.Matcher, diag.Source:
		case spec.Text, spec.Int, spec.Float, spec.Duration:
			visit(place, x)
		default:
			for i := range v.NumField() {
				if f := v.Type().Field(i); f.IsExported() {
					walk(v.Field(i), v.Type().Name()+"."+f.Name, visit)
				}
			}
		}
	}
}

func (c *checker) unsafe(text spec.Text) {
	for i, r := range text.V {
		if isUnsafe(r) {
			c.report("E-value", c.within(text, i, utf8.RuneLen(r)),
				fmt.Sprintf("the text contains %U, which is not printed", r), "remove it")
			return
		}
	}
}

// isUnsafe reports whether a character controls a terminal or the direction of writing.
func isUnsafe(r rune) bool {
	return unicode.IsControl(r) && r != '\n' && r != '\t' ||
		0x202A <= r && r <= 0x202E || 0x2066 <= r && r <= 0x2069
}

// texts finds names that cannot be referred to: in a placeholder, a log line or an address.
func texts(c *checker) {
	check := func(what, also string, names ...spec.Text) {
		for _, n := range names {
			bad := func(r rune) bool {
				return !isUnsafe(r) && (!unicode.IsGraphic(r) || unicode.IsSpace(r) || strings.ContainsRune(also, r))
			}
			if i := strings.IndexFunc(n.V, bad); i >= 0 {
				_, size := utf8.DecodeRuneInString(n.V[i:])
				c.report("E-value", c.within(n, i, size), fmt.Sprintf("%s cannot contain %q", what, n.V[i:i+size]),
					"use letters, digits, - and _")
			} else if n.Set && n.V == "" {
				c.report("E-value", n.Span, what+" is empty", "give it a name")
			}
		}
	}
	eachName(c.t, func(n name) {
		if n.Declares && (n.Ref == spec.RefSource || n.Ref == spec.RefOp || n.Ref == spec.RefCode) {
			check("a "+noun(n.Ref), "", n.Text)
		}
	})
	for _, k := range c.codes {
		check("a value", "", k.Value)
		check("an alias", "", k.Aliases...)
	}
	c.eachField(func(f field) {
		check("a field", "{}[]:.\"\\<>&", f.Name)
		check("a word", "", f.Enum...)
	})
}
