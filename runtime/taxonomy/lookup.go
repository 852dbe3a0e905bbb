package taxonomy

import (
	"cmp"
	"fmt"
	"iter"
	"reflect"
	"slices"
	"strings"
)

// abortTraits are the traits of the rows of an empty table. Their reaction aborts.
var abortTraits = Traits{Reaction: Predeclared(Abort)}

// retryTraits are the traits of [RowUnknownRetry].
var retryTraits = Traits{
	Reaction: &Reaction{
		Name: "retry", Action: Retry, Then: Predeclared(Block), CountFailure: true, HonorRetryAfter: true,
	},
	Retryable: true, Recoverability: Retryable,
}

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
	switch row {
	case RowUnknownPermanent:
		traits = &t.Permanent
	case RowUnknownRetry:
		return &retryTraits
	}
	if traits.Reaction == nil {
		return &abortTraits
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

// New returns an error of a row with a cause. All its fields are zero. The category of the row must
// exist. A row without a code makes an error of the category without a code.
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

// Find returns the row of the code with a value on the wire, an alias or a further name.
func (t *Taxonomy) Find(value string) (Row, bool) {
	rows, ok := t.rows.Load().(map[string]Row)
	if !ok {
		rows = make(map[string]Row)
		for row, c := range t.Codes() {
			for _, name := range slices.Concat(c.Extras().Aliases, c.Extras().Names) {
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

// FallbackFor returns the row of the code for evidence of a source that no rule matches.
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
		if !yield(RowUnknown) || !yield(RowUnknownPermanent) || !yield(RowUnknownRetry) {
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

// complete returns a profile of the taxonomy with the rows of its codes. It makes it once. Calls at
// the same time may each make it.
func (t *Taxonomy) complete(p *Profile) *Profile {
	if q, ok := t.profiles.Load(p.Name); ok {
		return q.(*Profile)
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
	t.profiles.Store(p.Name, &q)
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

// The methods that take an error use the first error of the table's taxonomy in err's tree (see
// [First]). They skip errors of other taxonomies.

// defaultProfile is the profile for the empty name, if the taxonomy declares it.
const defaultProfile = "default"

// Reaction returns the reaction to err. For an error that is not of the taxonomy it is the reaction
// `uncategorized`, so classify first. For nil it is the zero Reaction.
func (t Table) Reaction(err error) Reaction {
	if err == nil {
		return Reaction{}
	}
	c, ok := First(err, t.Taxonomy)
	if !ok {
		return *t.Overlay.head(t.uncategorized(), true)
	}
	if t.Overlay == nil {
		return *t.Taxonomy.Traits(c.Row()).Reaction
	}
	traits := t.row(c.Row())
	return *t.Overlay.head(traits.Reaction, traits.Retryable)
}

// Traits returns the traits of err's row; see [Table.Row]. For an error that is not of the
// taxonomy, only the reaction is set. For nil all of them are zero, and the reaction is nil. An
// [Unknown] has the statuses of its response, otherwise those of the nearest known code.
func (t Table) Traits(err error) Traits {
	if err == nil {
		return Traits{}
	}
	c, ok := First(err, t.Taxonomy)
	if !ok {
		return Traits{Reaction: t.Overlay.head(t.uncategorized(), true)}
	}
	traits := t.Row(c.Row())
	traits.HTTP, traits.GRPC = statuses(c, t.row(knownRow(c)))
	return traits
}

// Retryable reports whether the same call may succeed unchanged; false for an error that is not of
// the taxonomy.
func (t Table) Retryable(err error) bool {
	c, ok := First(err, t.Taxonomy)
	return ok && t.row(c.Row()).Retryable
}

// Row returns the traits of a row. A row that does not exist is [RowUnknown]. If the profile
// switches severities off, the severity is unset. If it switches recoverabilities off, the
// recoverability is [RecoverabilityUnknown]. Reactions that the profile has switched off are
// skipped; see [Profile.Next].
func (t Table) Row(row Row) Traits {
	traits := *t.row(row)
	if t.Overlay == nil {
		return traits
	}
	traits.Reaction = t.Overlay.head(traits.Reaction, traits.Retryable)
	if !t.Overlay.Detection.Severity {
		traits.Severity = SeverityNone
	}
	if !t.Overlay.Detection.Recoverability {
		traits.Recoverability = RecoverabilityUnknown
	}
	return traits
}

// row returns the traits of a row before the profile's switches apply.
func (t Table) row(row Row) *Traits {
	if t.Overlay != nil {
		if row > RowUnknownRetry && t.Taxonomy.Code(row) == nil {
			row = RowUnknown
		}
		if traits := t.Overlay.traits(row); traits != nil {
			return traits
		}
	}
	return t.Taxonomy.Traits(row)
}

func (t Table) uncategorized() *Reaction {
	if t.Overlay != nil && t.Overlay.Uncategorized != nil {
		return t.Overlay.Uncategorized
	}
	if t.Taxonomy.Uncategorized != nil {
		return t.Taxonomy.Uncategorized
	}
	return Predeclared(Abort)
}

// Profile returns the table with the named profile. The empty name is the profile `default` if the
// taxonomy declares it, otherwise no profile. For an undeclared name, the error lists the declared
// ones.
func (t Table) Profile(name ProfileName) (Table, error) {
	wanted := string(name)
	if wanted == "" {
		wanted = defaultProfile
	}
	for i := range t.Taxonomy.Profiles {
		if p := &t.Taxonomy.Profiles[i]; p.Name == wanted {
			t.Overlay = t.Taxonomy.complete(p)
			return t, nil
		}
	}
	if name == "" {
		t.Overlay = nil
		return t, nil
	}
	known := strings.Join(t.ProfileNames(), ", ")
	if known == "" {
		known = "none"
	}
	return Table{}, fmt.Errorf("%s: no profile %q; there are %s", t.Taxonomy.Package, name, known)
}

// SearchesText reports whether classification searches texts. Without a profile it does.
func (t Table) SearchesText() bool { return t.Overlay == nil || t.Overlay.Detection.Text }

// ReportsStack reports whether reports contain the stacks of errors. Without a profile they do.
func (t Table) ReportsStack() bool {
	return t.Overlay == nil || t.Overlay.Reporting.Stack || t.Overlay.Reporting.stackUnset
}

// ReportsContext reports whether reports and logs contain the contexts of errors. Without a profile
// they do not.
func (t Table) ReportsContext() bool { return t.Overlay != nil && t.Overlay.Reporting.Context }

// ProfileNames returns the names of the profiles, in the order of the taxonomy.
func (t Table) ProfileNames() []string {
	names := make([]string, len(t.Taxonomy.Profiles))
	for i := range names {
		names[i] = t.Taxonomy.Profiles[i].Name
	}
	return names
}

// Policy returns a policy as the taxonomy declares it, without changes of the profile. For an
// undeclared name it is the zero Policy, which makes one call.
func (t Table) Policy(name Declared[PolicyName]) Policy {
	for _, p := range t.Taxonomy.Policies {
		if p.Name == name.String() {
			return *p
		}
	}
	return Policy{}
}

// Code returns the description of the code with the given wire value or alias. It must not be
// changed.
func (t Table) Code(value string) (*Code, bool) {
	row, ok := t.Taxonomy.Find(value)
	return t.Taxonomy.Code(row), ok
}

// Classify converts err to an error of the taxonomy, with the rules that the profile uses. A table
// without a classifier returns err.
func (t Table) Classify(err error) error {
	if t.Classifier == nil || err == nil {
		return err
	}
	return t.Classifier.ClassifyFor(t, err)
}

// Trace returns err with the stack of the caller if the taxonomy or the profile records the stacks
// of all errors, otherwise err.
func (t Table) Trace(err error) error {
	always := t.Taxonomy != nil && t.Taxonomy.Stack == StackAlways || t.Overlay != nil && t.Overlay.Reporting.Stack
	if err == nil || !always {
		return err
	}
	return withStack(err)
}
