// Package gentest contains the checks of generated tests. A generated test specifies a package as
// text: each code, reaction, rule and error once. This package compares the texts with the printed
// values of the package, and checks the behaviour of its functions.
//
// Only generated tests use it. It changes together with the generator.
package gentest

import (
	"encoding"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/internal/tabletext"
	"github.com/errgen/errgen/runtime/detect"
	values "github.com/errgen/errgen/runtime/internal/fields"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// Cause is the cause of the errors that have one. It belongs to no taxonomy.
const Cause plainError = "some cause"

type plainError string

func (e plainError) Error() string { return string(e) }

// Package is a generated package under test.
type Package struct {
	Table      taxonomy.Table
	Unmarshal  func([]byte) (taxonomy.Error, error)
	CategoryOf func(error) string
	// Categories and Groups are the predicates, in the order of the table.
	Categories, Groups []func(error) bool
	// Reactions and Policies are the declared ones, and those that a profile changes: "@strict
	// again …".
	Reactions, Policies []string
	// Unknown is the row of an error without a code. UnknownPermanent is the row of an unknown
	// error that must not be retried.
	Unknown, UnknownPermanent string
	// Uncategorized is the row of an error that is not of the taxonomy.
	Uncategorized string

	// These are nil if the package has neither rules nor a fallback.
	Rules            func() *detect.Rules
	Classify         func(any, ...detect.Option) error
	ClassifyEvidence func(*taxonomy.Evidence, ...detect.Option) error
	Explain          func(any, ...detect.Option) detect.Explanation
	Examples         func() []taxonomy.Example

	printer *tabletext.Printer
	names   []string         // of the profiles
	tables  []taxonomy.Table // under the profiles
	rules   map[string]bool  // by name
	// overwrite changes the lists that errors were made with.
	overwrite []func()
}

// Strings returns a list for a factory or a With method. The list changes before the error is
// checked, because an error must have a copy.
func (p *Package) Strings(items ...string) []string {
	return Objects(p, items...)
}

// JSON is [Package.Strings] for a JSON text.
func (p *Package) JSON(text string) json.RawMessage {
	raw := json.RawMessage(text)
	p.overwrite = append(p.overwrite, func() { copy(raw, strings.Repeat("!", len(raw))) })
	return raw
}

// Objects is [Package.Strings] for a list of objects.
func Objects[T any](p *Package, items ...T) []T {
	p.overwrite = append(p.overwrite, func() { clear(items) })
	return items
}

// Read returns the error of a code with the context, for a context that no factory makes.
func (p *Package) Read(code taxonomy.Coded, context string) Error {
	back, err := p.Unmarshal(wireOf(p.CategoryOf(code), taxonomy.CodeOf(code), context))
	if err != nil {
		panic(err)
	}
	return back.(Error)
}

// begin prepares p for checking, and overwrites the lists that errors were made with.
func (p *Package) begin() {
	for _, overwrite := range p.overwrite {
		overwrite()
	}
	p.overwrite = nil
	if p.printer != nil {
		return
	}
	p.printer = tabletext.NewPrinter()
	for _, text := range append(p.Policies, p.Reactions...) {
		profile, declared, ok := strings.Cut(strings.TrimPrefix(text, "@"), " ")
		if !ok || !strings.HasPrefix(text, "@") {
			profile, declared = "", text
		}
		label, _, _ := strings.Cut(declared, " ")
		if profile != "" {
			label += "@" + profile
		}
		p.printer.Label(label, declared)
	}
	for _, name := range p.Table.ProfileNames() {
		table, err := p.Table.Profile(taxonomy.ProfileName(name))
		if err == nil {
			p.names, p.tables = append(p.names, name), append(p.tables, table)
		}
	}
	if p.Rules != nil {
		p.rules = make(map[string]bool)
		for _, r := range p.Rules().Rules {
			p.rules[r.Name] = true
		}
	}
}

// row prints the row of an error or a code.
func (p *Package) row(err error) string {
	return p.printer.Row(p.Table.Traits(err), p.names, func(i int) taxonomy.Traits { return p.tables[i].Traits(err) })
}

// Coder is the interface of codes.
type Coder interface {
	~uint16
	taxonomy.Coded
	fmt.Formatter
	fmt.Stringer
	slog.LogValuer
	encoding.TextMarshaler
	Reaction() taxonomy.Reaction
}

// Code is a code and everything that a test specifies about it.
type Code struct {
	Code taxonomy.Coded
	// Entry is the code, its number and its row: "PROVIDER_CRASH 101: again retryable; strict:
	// block".
	Entry   string
	Aliases []string
	// Parent is the code above this one, or nil.
	Parent taxonomy.Coded
	// Fields are the fields of the code, if its errors have a separate type.
	Fields []string
	// When are the rows of its `when` branches.
	When     []string
	Rules    []string
	Cases    []Case
	Branches []Branch
	Examples []Example
	// Not are examples that must not be classified as this code.
	Not []Example
}

// category is a category under test.
type category struct {
	*Package
	name      string
	typ, base string // the type of the errors under test, and of errors without a code
	fields    []taxonomy.Field
	// code returns the code of err, once by errors.As and once by its method.
	code func(err error) (as, method taxonomy.Coded)
	none taxonomy.Coded // the zero code
}

// Category checks a category, which must have exactly the given name with type and description, the
// fields and the codes. Blank is its zero error.
func Category[C Coder](t *testing.T, p *Package, blank Error, name string, fields []string, codes []Code) {
	t.Helper()
	p.begin()
	k := category{Package: p, none: C(0), code: func(err error) (as, method taxonomy.Coded) {
		found, _ := errors.AsType[C](err)
		e, _ := errors.AsType[interface {
			error
			Code() C
		}](err)
		return found, e.Code()
	}}
	k.describe(t, name)
	k.checkFields(t, blank, fields)
	var some error // an error with a code
	for i, code := range codes {
		t.Run(taxonomy.CodeOf(code.Code), func(t *testing.T) {
			checkConstant(t, code.Code.(C), C(i+1))
			if other := codes[(i+1)%len(codes)].Code; code.Fields == nil {
				k.check(t, code, other)
			} else {
				k.checkOwn(t, code, other)
			}
		})
		if some == nil && code.Cases != nil {
			some = code.Cases[0].err
		}
	}
	for _, none := range []C{0, C(len(codes) + 1), C(len(codes) + 600), 65535} {
		assert.Equal(t, "no code", none.Error(), "code %d", uint16(none))
		assert.Equal(t, "no code", none.String(), "code %d", uint16(none))
		assert.Equal(t, p.Unknown, p.row(none), "code %d", uint16(none))
		_, err := none.MarshalText()
		assert.Error(t, err, "code %d", uint16(none))
	}
	k.checkBlank(t, blank)
	if some != nil {
		k.checkPredicates(t, some, k.name)
		k.checkFilling(t, codes[0].Code.Row().Category())
	}
	k.checkCopies(t, blank)
}

// checkOwn checks a code with fields, and the type of its errors.
func (k category) checkOwn(t *testing.T, code Code, other taxonomy.Coded) {
	own := taxonomy.Describe(code.Code).Own
	require.NotNil(t, own)
	inherited := make([]string, len(k.fields))
	for i, f := range k.fields {
		inherited[i] = tabletext.Field(f)
	}
	k.typ, k.fields = own.Name, k.Table.Taxonomy.Fields(code.Code.Row())
	k.check(t, code, other)
	e := code.Cases[0].err
	assert.Equal(t, "*"+k.Table.Taxonomy.Package+"."+k.typ, fmt.Sprintf("%T", e))
	typ := reflect.TypeOf(e).Elem()
	blank := reflect.New(typ).Interface().(Error)
	k.checkFields(t, blank, append(inherited, code.Fields...))
	k.checkBlank(t, blank)
	k.checkCopies(t, e)
}

// checkConstant checks the methods of a code.
func checkConstant[C Coder](t *testing.T, code, want C) {
	assert.Equal(t, want, code)
	d := taxonomy.Describe(code)
	assert.Equal(t, d.Value, code.String())
	message := d.Value
	if d.Message != "" && !strings.ContainsAny(d.Message, "{}[]") {
		message = d.Message
	}
	assert.Equal(t, message, code.Error())
	assert.Equal(t, message, fmt.Sprint(code))
	assert.Contains(t, fmt.Sprintf("%+v", code), d.Value)
	assert.Contains(t, code.LogValue().String(), d.Value)
	text, err := code.MarshalText()
	require.NoError(t, err)
	assert.Equal(t, d.Value, string(text))
	var back C
	unmarshaler := any(&back).(encoding.TextUnmarshaler)
	require.NoError(t, unmarshaler.UnmarshalText(text))
	assert.Equal(t, code, back)
	require.Error(t, unmarshaler.UnmarshalText([]byte("no such code")))
	assert.Equal(t, code, back)
}

// describe finds the category in the table.
func (k *category) describe(t *testing.T, name string) {
	t.Helper()
	for _, c := range k.Table.Taxonomy.Categories {
		if tabletext.Category(c) == name {
			k.name, k.typ, k.base, k.fields = c.Name, c.Type, c.Type, c.Fields
		}
	}
	require.NotEmpty(t, k.name, "no category %s", name)
}

// checkFields checks the table's description of the fields of a type of errors.
func (k *category) checkFields(t *testing.T, blank taxonomy.Error, fields []string) {
	t.Helper()
	require.Len(t, values.Pointers(blank), len(k.fields), "the fields of %s", k.typ)
	var got []string
	for _, f := range k.fields {
		got = append(got, tabletext.Field(f))
	}
	assert.Equal(t, fields, got, "the fields of %s", k.typ)
}

// check checks a code: its description, and its errors.
func (k *category) check(t *testing.T, code Code, other taxonomy.Coded) {
	d := taxonomy.Describe(code.Code)
	require.NotNil(t, d)
	row := k.row(code.Code)
	assert.Equal(t, code.Entry, k.printer.Code(d, k.groups(t, code.Code))+": "+row)
	assert.Same(t, k.Table.Taxonomy, code.Code.Taxonomy())
	assert.Equal(t, k.Table.Reaction(code.Code), code.Code.(interface{ Reaction() taxonomy.Reaction }).Reaction())
	assert.Equal(t, k.name, k.CategoryOf(code.Code))
	for _, value := range slices.Concat(code.Aliases, d.Extras().Names, []string{taxonomy.CodeOf(code.Code)}) {
		found, _ := k.Table.Code(value)
		assert.Same(t, d, found, value)
		back, err := k.Unmarshal(wireOf(k.name, value, "{}"))
		require.NoError(t, err, value)
		if d.Abstract {
			assert.IsType(t, (*taxonomy.Unknown)(nil), back, value)
			continue
		}
		assert.ErrorIs(t, back, code.Code, value)
		if code.Parent != nil {
			assert.ErrorIs(t, back, code.Parent, value)
		}
	}
	if code.Parent != nil {
		assert.Equal(t, code.Parent.Row().Code(), int(d.Parent))
		assert.ErrorIs(t, code.Code, code.Parent)
		assert.NotErrorIs(t, code.Parent, code.Code)
	} else {
		assert.Zero(t, d.Parent)
	}
	branches := branches{texts: append([]string{row}, code.When...), rows: make([]taxonomy.Row, len(code.When)+1)}
	branches.rows[0] = code.Code.Row()
	message := messagePattern(d.Message)
	for _, x := range code.Cases {
		k.checkCase(t, code.Code, other, x)
		assert.Regexp(t, message, x.err.Error(), "the template %s", d.Message)
		branches.check(t, k, x.err, x.when)
	}
	for _, x := range code.Branches {
		branches.check(t, k, x.err, x.when)
		back, err := k.Unmarshal(x.err.AppendJSON(nil))
		require.NoError(t, err)
		branches.check(t, k, back, x.when)
		if d.Public {
			k.checkSent(t, x.err)
		}
	}
	if k.Rules != nil {
		k.checkRules(t, code.Rules)
		k.checkExamples(t, d.Value, code.Examples)
		for _, x := range code.Examples {
			e := k.checkExample(t, x)
			assert.ErrorIs(t, e, code.Code, "%s", x)
			branches.check(t, k, e, x.when)
		}
		for _, x := range code.Not {
			assert.NotErrorIs(t, k.checkExample(t, x), code.Code, "%s", x)
		}
	}
}

// branches are the rows of a code, its own first.
type branches struct {
	texts []string
	rows  []taxonomy.Row // zero if not known yet
}

// check checks that the context of err selects the branch; 0 means no branch.
func (b *branches) check(t *testing.T, k *category, err taxonomy.Error, branch int) {
	assert.Equal(t, b.texts[branch], k.row(fmt.Errorf("wrapped: %w", err)), "branch %d of %+v", branch, err)
	for i, row := range b.rows {
		if i == branch && row == 0 {
			b.rows[i] = err.Row()
		} else if row != 0 {
			assert.Equal(t, i == branch, err.Row() == row, "%+v has the row of branch %d, wanted %d", err, i, branch)
		}
	}
}

// groups returns the names of the groups of a code. The predicates must agree with the table.
func (p *Package) groups(t *testing.T, err error) []string {
	var names []string
	groups := p.Table.Taxonomy.Groups
	require.Len(t, p.Groups, len(groups))
	for i, is := range p.Groups {
		assert.False(t, is(Cause), groups[i].Name)
		if is(fmt.Errorf("wrapped: %w", err)) {
			names = append(names, groups[i].Name)
		}
	}
	return names
}

// checkPredicates checks that err, wrapped, is of the named category only.
func (p *Package) checkPredicates(t *testing.T, err error, name string) {
	err = fmt.Errorf("wrapped: %w", err)
	assert.Equal(t, name, p.CategoryOf(err))
	for i, c := range p.Table.Taxonomy.Categories {
		assert.Equal(t, c.Name == name, p.Categories[i](err), "%s is %s", err, c.Name)
	}
}
