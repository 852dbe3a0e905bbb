package gen

import (
	"fmt"

	"github.com/errgen/errgen/runtime/taxonomy"
)

// noCode is what a code constant that is none prints.
const noCode = "no code"

// CodeRow returns the row of the code with the given ordinal, counted from 1, in a category of
// count codes whose first has the row first. Any other ordinal has [taxonomy.RowNone].
func CodeRow(ordinal uint16, first taxonomy.Row, count uint16) taxonomy.Row {
	if ordinal-1 >= count {
		return taxonomy.RowNone
	}
	return first + taxonomy.Row(ordinal-1)
}

// CodeValue returns the wire value of the row's code, and a text that says so for a row without
// one.
//
//go:noinline
func CodeValue(row taxonomy.Row, t *taxonomy.Taxonomy) string {
	if c := codeOf(row, t); c != nil {
		return c.Value
	}
	return noCode
}

// MarshalCode returns the wire value of the row's code; a row without one is an error.
//
//go:noinline
func MarshalCode(row taxonomy.Row, t *taxonomy.Taxonomy) ([]byte, error) {
	if c := codeOf(row, t); c != nil {
		return []byte(c.Value), nil
	}
	return nil, fmt.Errorf("%s: marshal code: no such code", t.Package)
}

// UnmarshalCode returns the ordinal of the code that text is the value or an alias of. A code of
// another category is an error.
//
//go:noinline
func UnmarshalCode(text []byte, t *taxonomy.Taxonomy, category int) (uint16, error) {
	code, ok := taxonomy.Table{Taxonomy: t}.Code(string(text))
	if !ok || int(code.Category) != category {
		return 0,
			fmt.Errorf("%s: unmarshal code: %s has no code %s", t.Package, t.Categories[category].Name,
				echo(string(text)))
	}
	return uint16(code.Row-taxonomy.FirstRow) - t.Categories[category].First + 1, nil
}

// InCategory reports whether the first error of taxonomy t in err's tree is of the category.
//
//go:noinline
func InCategory(err error, t *taxonomy.Taxonomy, category int) bool {
	c, ok := taxonomy.First(err, t)
	if !ok {
		return false
	}
	if u, ok := c.(*taxonomy.Unknown); ok && u.Known() == nil {
		return u.Of(t) && u.Category() == t.Categories[category].Name
	}
	code := describe(c, t)
	return code != nil && int(code.Category) == category
}

// InGroup reports whether the first error of taxonomy t in err's tree has a code of the group,
// which is an index into the taxonomy's groups.
//
//go:noinline
func InGroup(err error, t *taxonomy.Taxonomy, group int) bool {
	c, ok := taxonomy.First(err, t)
	if !ok {
		return false
	}
	code := describe(c, t)
	return code != nil && code.Groups&(1<<group) != 0
}

// CategoryOf returns the name of the category of the first error of taxonomy t in err's tree, or
// "".
//
//go:noinline
func CategoryOf(err error, t *taxonomy.Taxonomy) string {
	c, ok := taxonomy.First(err, t)
	if !ok {
		return ""
	}
	if u, ok := c.(*taxonomy.Unknown); ok && !u.Of(t) {
		return ""
	}
	return taxonomy.CategoryOf(c)
}

// describe returns the description of c's code, or nil.
func describe(c taxonomy.Coded, t *taxonomy.Taxonomy) *taxonomy.Code {
	if u, ok := c.(*taxonomy.Unknown); ok {
		return u.Known()
	}
	return codeOf(c.Row(), t)
}

func codeOf(row taxonomy.Row, t *taxonomy.Taxonomy) *taxonomy.Code {
	if int(row) >= len(t.Rows) {
		return nil
	}
	n := int(t.Rows[row].Code) - 1
	if uint(n) >= uint(len(t.Codes)) {
		return nil
	}
	return &t.Codes[n]
}
