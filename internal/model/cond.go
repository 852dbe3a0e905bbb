package model

import (
	"fmt"
	"strconv"
	"strings"
)

// String returns the test in words: "status is from 400 to 499".
func (c Cond) String() string {
	var tests []string
	add := func(is bool, format string, values ...Value) {
		var words []any
		for _, v := range values {
			words = append(words, c.Field.Literal(v))
		}
		if is {
			tests = append(tests, fmt.Sprintf(format, words...))
		}
	}
	either := func(n int) string {
		return strings.Repeat("%s, ", max(n-2, 0)) + strings.Repeat("%s or ", min(max(n-1, 0), 1)) + "%s"
	}
	add(len(c.Values) > 0, "is "+either(len(c.Values)), c.Values...)
	switch {
	case c.Min != nil && c.Max != nil:
		add(true, "is from %s to %s", *c.Min, *c.Max)
	case c.Min != nil:
		add(true, "is at least %s", *c.Min)
	case c.Max != nil:
		add(true, "is at most %s", *c.Max)
	}
	add(len(c.Not) > 0, "is given and not "+either(len(c.Not)), c.Not...)
	var prefixes []string
	for _, p := range c.Prefix {
		prefixes = append(prefixes, strconv.Quote(p))
	}
	if len(prefixes) > 0 {
		tests = append(tests, "begins with "+strings.Join(prefixes, " or "))
	}
	add(c.Present != nil && *c.Present, "is given")
	add(c.Present != nil && !*c.Present, "is absent")
	return c.Field.Wire + " " + strings.Join(tests, " and ")
}

// Literal returns a value as a taxonomy would write it.
func (f *Field) Literal(v Value) string {
	if v.Type == String {
		return strconv.Quote(v.Str)
	}
	return f.Shown(v)
}
