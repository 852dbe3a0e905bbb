package taxonomy

import (
	"cmp"
	"iter"
	"maps"
	"net/url"
	"reflect"
	"slices"
)

// nothing has the traits of the rows of an empty table.
var nothing = Traits{Reaction: &Reaction{}}

// Traits returns the traits of a row without a profile. A row that does not exist is [RowUnknown].
// The result must not be changed.
func (t *Taxonomy) Traits(row Row) *Traits {
	if c := t.Code(row); c != nil {
		if b := row.Branch(); b != 0 && b <= len(c.When) {
			return &c.When[b-1]
		}
		return &c.Traits
	}
	traits := &t.None
	if row == RowUnknownPermanent {
		traits = &t.Permanent
	}
	if traits.Reaction == nil {
		return &nothing
	}
	return traits
}

// Code returns the code of a row, or nil. It must not be changed.
func (t *Taxonomy) Code(row Row) *Code {
	if i := row.Category(); i < len(t.Categories) {
		codes, n := t.Categories[i].Codes, row.Code()
		if n > 0 && n < len(codes) {
			return &codes[n]
		}
	}
	return nil
}

// Fields returns the fields of the errors of a row: those of the category, then those of the code.
// They must not be changed.
func (t *Taxonomy) Fields(row Row) []Field {
	fields := t.Categories[row.Category()].Fields
	if c := t.Code(row); c != nil && c.Own != nil {
		return slices.Concat(fields, c.Own.Fields)
	}
	return fields
}

// New returns an error of a row that has only a code, or none, and a cause. Rows with unknown codes
// have no errors.
func (t *Taxonomy) New(row Row, cause error) Error {
	zero := t.Categories[row.Category()].Zero
	if code := t.Code(row); code != nil && code.Own != nil {
		zero = code.Own.Zero
	}
	e := reflect.New(reflect.TypeOf(zero).Elem()).Interface().(Error)
	t.Init(e, uint16(row.Code()), cause)
	return e
}

// TypeName returns the name of the Go type of the errors of a row.
func (t *Taxonomy) TypeName(row Row) string {
	if c := t.Code(row); c != nil && c.Own != nil {
		return c.Own.Name
	}
	return t.Categories[row.Category()].Type
}

// Find returns the row of the code with the value, the alias or the further name.
func (t *Taxonomy) Find(value string) (Row, bool) {
	rows, ok := t.rows.Load().(map[string]Row)
	if !ok {
		rows = make(map[string]Row)
		for row, c := range t.Codes() {
			for _, name := range slices.Concat(c.Aliases, c.Names) {
				rows[name] = row
			}
		}
		for row, c := range t.Codes() {
			rows[c.Value] = row
		}
		t.rows.Store(rows)
	}
	row, ok := rows[value]
	return row, ok
}

// FallbackFor returns the row of the code of a source's evidence that no rule matches.
func (t *Taxonomy) FallbackFor(source string) (Row, bool) {
	for i := range t.Sources {
		if s := &t.Sources[i]; s.Fallback != "" && s.Name == source {
			return t.Find(s.Fallback)
		}
	}
	return t.Find(t.Fallback)
}

// Codes returns the codes with their rows, in the order of the taxonomy.
func (t *Taxonomy) Codes() iter.Seq2[Row, *Code] {
	return func(yield func(Row, *Code) bool) {
		for i, c := range t.Categories {
			for n := 1; n < len(c.Codes); n++ {
				if !yield(At(i, uint16(n)), &c.Codes[n]) {
					return
				}
			}
		}
	}
}

// Rows returns all rows: those of errors without a code, and each code's with its branches.
func (t *Taxonomy) Rows() iter.Seq[Row] {
	return func(yield func(Row) bool) {
		if !yield(RowUnknown) || !yield(RowUnknownPermanent) {
			return
		}
		for row, c := range t.Codes() {
			for branch := range len(c.When) + 1 {
				if !yield(row.When(uint8(branch))) {
					return
				}
			}
		}
	}
}

// complete returns a profile of the taxonomy with the rows of its codes.
func (t *Taxonomy) complete(p *Profile) *Profile {
	known, _ := t.profiles.Load().(map[string]*Profile)
	if q := known[p.Name]; q != nil {
		return q
	}
	q := *p
	q.Rows = slices.Clone(p.Rows)
	for row, c := range t.Codes() {
		for _, o := range c.Profiles {
			if o.Profile == p.Name {
				q.Rows = append(q.Rows, RowOverride{Row: row.When(o.Branch), Traits: o.Traits})
			}
		}
	}
	slices.SortFunc(q.Rows, func(a, b RowOverride) int { return cmp.Compare(a.Row, b.Row) })
	all := maps.Clone(known)
	if all == nil {
		all = make(map[string]*Profile)
	}
	all[p.Name] = &q
	t.profiles.Store(all)
	return &q
}

// traits returns the traits of a row in the profile, or nil if the profile does not change them.
func (p *Profile) traits(row Row) *Traits {
	i, ok := slices.BinarySearchFunc(p.Rows, row, func(o RowOverride, r Row) int { return cmp.Compare(o.Row, r) })
	if !ok {
		return nil
	}
	return &p.Rows[i].Traits
}

func pathEscape(s string) string { return url.PathEscape(s) }
