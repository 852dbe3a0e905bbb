package typescript

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/errgen/errgen/runtime/detect"
)

//go:embed signatures.ts
var matcher string

// Rule is a form of a signature for programs in other languages. All of its members must hold.
type Rule struct {
	Signature  int         `json:"s"`
	Conditions []Condition `json:"c,omitempty"`
	Text       []int       `json:"t,omitempty"` // places of patterns
	Contains   []int       `json:"p,omitempty"`
}

// Condition tests one part of evidence; see [detect.Condition].
type Condition struct {
	Key     string   `json:"key"`
	Name    string   `json:"name,omitempty"`
	Present *bool    `json:"present,omitempty"`
	Any     []any    `json:"any,omitempty"`
	Not     []any    `json:"not,omitempty"`
	Prefix  []string `json:"prefix,omitempty"`
	Min     *float64 `json:"min,omitempty"`
	Max     *float64 `json:"max,omitempty"`
}

var keys = map[detect.Key]string{
	detect.Source: "source", detect.Op: "op", detect.Status: "status", detect.Type: "type", detect.Code: "code",
	detect.ExitCode: "exitCode", detect.Signal: "signal", detect.Errno: "errno", detect.Attribute: "attributes",
}

// Signatures returns a module with a matcher of signatures. The rules have one form of a signature
// each, by rank.
func Signatures(rules *detect.Rules, mark string) ([]byte, error) {
	var names []string
	var list []Rule
	for i := range rules.Rules {
		r := &rules.Rules[i]
		place := slices.Index(names, r.Like.Name)
		if place < 0 {
			place, names = len(names), append(names, r.Like.Name)
		}
		d := RuleOf(r)
		d.Signature = place
		list = append(list, d)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "// %s\n\n%s\n", mark, matcher)
	table := func(name, kind string, v any) {
		text, _ := json.Marshal(v) // texts and numbers always encode
		fmt.Fprintf(&b, "const %s: %s = %s;\n", name, kind, text)
	}
	table("names", "readonly string[]", names)
	table("rules", "readonly Rule[]", list)
	var leads []string
	for _, lead := range Leads(rules) {
		js, err := expression(`\A(?:` + lead + `)\z`)
		if err != nil {
			return nil, err
		}
		leads = append(leads, js)
	}
	var patterns [][]any
	for i := range rules.Patterns {
		p := &rules.Patterns[i]
		expr := p.Expr
		if p.Plain != "" {
			expr = "(?i)" + regexp.QuoteMeta(p.Plain)
		}
		js, err := expression(expr)
		if err != nil {
			return nil, err
		}
		var literals []string
		for _, l := range p.Literals {
			literals = append(literals, strings.ToLower(l.Text))
		}
		atEnd := 0
		if p.Lead > 0 && strings.HasSuffix(expr, `\z`) {
			atEnd = 1
		}
		patterns = append(patterns, []any{js, p.Lead, literals, atEnd})
	}
	table("leads", "readonly string[]", leads)
	table("patterns", "readonly Pattern[]", patterns)
	return []byte(b.String()), nil
}

// RuleOf returns a form of a signature, with its first signature.
func RuleOf(r *detect.Rule) Rule {
	d := Rule{Text: places(r.LikeText), Contains: places(r.LikeContains)}
	for _, c := range r.Conditions {
		d.Conditions = append(d.Conditions, conditionOf(c))
	}
	return d
}

// Leads returns the leads that patterns have, in the order of their places.
func Leads(rules *detect.Rules) []string {
	used := uint8(0)
	for i := range rules.Patterns {
		used = max(used, rules.Patterns[i].Lead)
	}
	return rules.Leads[:used]
}

func places(list []uint16) (out []int) {
	for _, n := range list {
		out = append(out, int(n))
	}
	return out
}

func conditionOf(c detect.Condition) Condition {
	d := Condition{Key: keys[c.Key], Name: c.Name, Prefix: c.Prefix}
	if c.Presence != detect.AnyPresence {
		present := c.Presence == detect.Present
		d.Present = &present
	}
	for _, v := range c.Any {
		d.Any = append(d.Any, v)
	}
	for _, v := range c.AnyNumber {
		d.Any = append(d.Any, v)
	}
	for _, v := range c.Not {
		d.Not = append(d.Not, v)
	}
	for _, v := range c.NotNumber {
		d.Not = append(d.Not, v)
	}
	if c.Bounds&detect.HasMin != 0 {
		d.Min = &c.Min
	}
	if c.Bounds&detect.HasMax != 0 {
		d.Max = &c.Max
	}
	return d
}
