package breaking

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/errgen/errgen/internal/model"
)

// valueText is a value as a taxonomy would write it.
func valueText(v model.Value) string {
	switch v.Type {
	case model.String:
		return strconv.Quote(v.Str)
	case model.Strings:
		return fmt.Sprintf("%q", v.Strings)
	case model.ObjectType:
		var parts []string
		for f, member := range v.Object {
			parts = append(parts, f.Wire+": "+valueText(member))
		}
		slices.Sort(parts)
		return "{" + strings.Join(parts, ", ") + "}"
	}
	return (&model.Field{Type: v.Type}).Shown(v)
}

// condText is the conditions of a branch, in an order of their own: theirs means nothing.
func condText(conds []model.Cond) string {
	texts := make([]string, 0, len(conds))
	for _, c := range conds {
		var b strings.Builder
		b.WriteString(c.Field.Wire)
		oneOf(&b, " is ", c.Values)
		oneOf(&b, " not ", c.Not)
		if c.Min != nil {
			b.WriteString(" min " + valueText(*c.Min))
		}
		if c.Max != nil {
			b.WriteString(" max " + valueText(*c.Max))
		}
		if len(c.Prefix) > 0 {
			fmt.Fprintf(&b, " prefix %q", slices.Sorted(slices.Values(c.Prefix)))
		}
		if c.Present != nil {
			fmt.Fprintf(&b, " present %t", *c.Present)
		}
		texts = append(texts, b.String())
	}
	slices.Sort(texts)
	return strings.Join(texts, " and ")
}

func oneOf(b *strings.Builder, word string, list []model.Value) {
	if len(list) == 0 {
		return
	}
	texts := make([]string, len(list))
	for i, v := range list {
		texts[i] = valueText(v)
	}
	slices.Sort(texts)
	b.WriteString(word + strings.Join(texts, " or "))
}

// numberText is "" for 0.
func numberText(n int) string {
	if n == 0 {
		return ""
	}
	return strconv.Itoa(n)
}

func orNone(s string) string {
	if s == "" {
		return "none"
	}
	return s
}

// differ says what a change is from and to.
func differ(what, was, is string) string {
	return fmt.Sprintf("%s was %s, is %s", what, orNone(was), orNone(is))
}
