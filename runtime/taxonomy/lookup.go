package taxonomy

import (
	"cmp"
	"net/url"
	"slices"
)

// nothing is what the row of an empty table says.
var nothing = RowTraits{Reaction: &Reaction{}}

// traits returns what a row says; a row that does not exist is RowNone.
func (t *Taxonomy) traits(row Row) *RowTraits {
	if int(row) < len(t.Rows) {
		return &t.Rows[row]
	}
	if len(t.Rows) == 0 {
		return &nothing
	}
	return &t.Rows[RowNone]
}

// codeOf returns the code of a row, or nil.
func (t *Taxonomy) codeOf(row Row) *Code {
	n := int(t.traits(row).Code) - 1
	if uint(n) >= uint(len(t.Codes)) {
		return nil
	}
	return &t.Codes[n]
}

// code returns the code with the value or alias, or nil.
func (t *Taxonomy) code(value string) *Code {
	i, ok := slices.BinarySearchFunc(t.ByValue, value, func(i uint16, v string) int {
		return cmp.Compare(t.Codes[i].Value, v)
	})
	if ok {
		return &t.Codes[t.ByValue[i]]
	}
	i, ok = slices.BinarySearchFunc(t.Aliases, value, func(a Alias, v string) int {
		return cmp.Compare(a.Value, v)
	})
	if ok {
		return &t.Codes[t.Aliases[i].Code]
	}
	return nil
}

// traits returns what a row says in the profile, or nil when it is as in the table.
func (p *Profile) traits(row Row) *RowTraits {
	i, ok := slices.BinarySearchFunc(p.Rows, row, func(o RowOverride, r Row) int { return cmp.Compare(o.Row, r) })
	if !ok {
		return nil
	}
	return &p.Rows[i].Traits
}

func pathEscape(s string) string { return url.PathEscape(s) }
