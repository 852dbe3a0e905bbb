package spec

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

func (d *decoder) integer(n, key *node, t *Type) Int {
	if n.kind != scalarNode || n.quoted() || n.literal != LitInt && n.literal != LitFloat {
		d.wrongType(n, key, t)
		return Int{}
	}
	v, err := strconv.Atoi(n.value)
	if err != nil || n.value != strconv.Itoa(v) {
		d.fail(IDWrongType, n.span,
			fmt.Sprintf("%s: %s is not a whole number in plain decimal form", clip(key.value), clip(n.value)),
			"write digits only, without leading zeros")
		return Int{}
	}
	return Int{V: v, Span: n.span, Set: true}
}

func (d *decoder) float(n, key *node, t *Type) Float {
	if n.kind != scalarNode || n.quoted() || n.literal != LitInt && n.literal != LitFloat {
		d.wrongType(n, key, t)
		return Float{}
	}
	v, err := strconv.ParseFloat(n.value, 64)
	if err != nil || math.IsInf(v, 0) || math.IsNaN(v) || strings.ContainsAny(n.value, "xXpP_") {
		d.fail(IDWrongType, n.span,
			fmt.Sprintf("%s: %s is not a finite decimal number", clip(key.value), clip(n.value)), "")
		return Float{}
	}
	return Float{V: v, Span: n.span, Set: true}
}

func (d *decoder) boolean(n, key *node, t *Type) Bool {
	if n.kind == scalarNode && !n.quoted() {
		switch n.value {
		case "true", "false":
			return Bool{V: n.value == "true", Span: n.span, Set: true}
		}
		if means := boolWord(n.value); means != "" {
			d.fail(IDBoolWord, n.span,
				fmt.Sprintf("%s: %s is a truth value to some YAML readers and text to others", clip(key.value),
					n.value), "write "+means)
			return Bool{}
		}
	}
	d.wrongType(n, key, t)
	return Bool{}
}

// boolWord returns true or false for a word that stands for it in YAML 1.1, otherwise "".
func boolWord(s string) string {
	switch strings.ToLower(s) {
	case "yes", "y", "on", "true":
		return "true"
	case "no", "n", "off", "false":
		return "false"
	}
	return ""
}

func (d *decoder) duration(n, key *node, t *Type) Duration {
	switch {
	case n.kind != scalarNode:
		d.wrongType(n, key, t)
		return Duration{}
	case n.literal == LitInt || n.literal == LitFloat:
		hint := ""
		if len(n.value) < 20 {
			hint = fmt.Sprintf("write %ss for seconds, or %sms for milliseconds", n.value, n.value)
		}
		d.fail(IDDuration, n.span, fmt.Sprintf("%s: the duration %s has no unit", clip(key.value), clip(n.value)), hint)
		return Duration{}
	}
	v, err := time.ParseDuration(n.value)
	switch {
	case err != nil:
		d.fail(IDDuration, n.span, fmt.Sprintf("%s: %q is not a duration", clip(key.value), clip(n.value)),
			"write numbers with the units h, m, s, ms, us or ns: 1m30s, 500ms, 36h")
		return Duration{}
	case v < 0:
		d.fail(IDDuration, n.span, fmt.Sprintf("%s: a duration cannot be negative", clip(key.value)), "")
		return Duration{}
	}
	return Duration{V: v, Span: n.span, Set: true}
}

func (d *decoder) jitter(n, key *node, t *Type) Jitter {
	number, kinds := &t.Alts[0], &t.Alts[1]
	switch {
	case n.kind != scalarNode:
		d.wrongType(n, key, t)
		return Jitter{}
	case !n.quoted() && (n.literal == LitInt || n.literal == LitFloat):
		return Jitter{Fraction: d.float(n, key, number)}
	}
	return Jitter{Kind: d.text(n, key, kinds)}
}

// shareOf returns the number that a percentage is, or "".
func shareOf(n *node) string {
	digits, is := strings.CutSuffix(n.value, "%")
	if n.kind != scalarNode || !is || len(digits) > 20 {
		return ""
	}
	v, err := strconv.ParseFloat(strings.TrimSpace(digits), 64)
	if err != nil || math.IsInf(v, 0) || math.IsNaN(v) || v < 0 {
		return ""
	}
	return strconv.FormatFloat(v/100, 'f', -1, 64)
}
