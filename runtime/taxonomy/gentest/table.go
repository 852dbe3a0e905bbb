package gentest

import (
	"context"
	"encoding"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/taxonomy"
)

// Taxonomy checks the parts of the table that do not belong to a category: its lines, reactions,
// policies and profiles. It also checks how unknown errors are decoded and evidence is classified.
func Taxonomy(t *testing.T, p *Package, lines ...string) {
	t.Helper()
	p.begin()
	var categories []string
	for _, c := range p.Table.Taxonomy.Categories {
		categories = append(categories, c.Name)
	}
	assert.Equal(t, lines, p.printer.Taxonomy(p.Table.Taxonomy, categories))
	assert.Nil(t, p.Table.Overlay)
	checkDeclared(t, p, p.Reactions, p.Table.Taxonomy.Reactions)
	checkDeclared(t, p, p.Policies, p.Table.Taxonomy.Policies)
	assert.Empty(t, p.CategoryOf(Cause))
	assert.Equal(t, p.Uncategorized, p.row(Cause))
	p.checkUnknown(t)
	if p.Rules != nil {
		t.Run("classify", p.checkClassifying)
	}
}

// checkDeclared checks the declared reactions or policies.
func checkDeclared[T any](t *testing.T, p *Package, want []string, table []*T) {
	var got []string
	for _, v := range table {
		got = append(got, p.printer.Text(*v))
	}
	for _, text := range want {
		if strings.HasPrefix(text, "@") {
			got = append(got, text) // checked with the codes that use it
		}
	}
	assert.ElementsMatch(t, want, got)
}

// checkUnknown checks how errors of other taxonomies and of unknown codes are decoded.
func (p *Package) checkUnknown(t *testing.T) {
	tx := p.Table.Taxonomy
	_, err := p.Unmarshal([]byte("{"))
	assert.Error(t, err)
	category := tx.Categories[0].Name
	for _, w := range []wire{
		{Domain: tx.Domain, Category: category, Code: "no such code", Retryable: true},
		{Domain: tx.Domain, Category: category, Code: "no such code"},
		{Domain: tx.Domain, Category: "no such category", Code: "no such code", Retryable: true},
		{Domain: "another domain", Category: category, Code: "no such code"},
	} {
		w.Message, w.Context = "some message", []byte(`{"a":1}`)
		written := encode(w)
		back, err := p.Unmarshal([]byte(written))
		require.NoError(t, err, written)
		require.IsType(t, &taxonomy.Unknown{}, back, written)
		assert.JSONEq(t, written, string(back.AppendJSON(nil)))
		if w.Retryable {
			assert.Equal(t, taxonomy.RowUnknownRetry, back.Row(), written)
		} else {
			assert.Equal(t, p.UnknownPermanent, p.row(back), written)
		}
	}
	assert.Equal(t, p.Unknown, p.row(rowError{tx, taxonomy.RowUnknown}))
}

// Constant checks the function that returns the constant with an index.
func Constant[T any](t *testing.T, p *Package, index int, constant func(error) (T, bool)) {
	t.Helper()
	for row, c := range p.Table.Taxonomy.Codes() {
		want, given := *new(T), false
		if index < len(c.Extras().Constants) && c.Extras().Constants[index] != nil {
			want, given = c.Extras().Constants[index].(T), true
		}
		value, ok := constant(fmt.Errorf("wrapped: %w", rowError{p.Table.Taxonomy, row}))
		assert.Equal(t, given, ok, c.Value)
		assert.Equal(t, want, value, c.Value)
	}
	_, ok := constant(Cause)
	assert.False(t, ok)
}

// rowError is an error of a row.
type rowError struct {
	taxonomy *taxonomy.Taxonomy
	row      taxonomy.Row
}

func (e rowError) Error() string                { return "" }
func (e rowError) Taxonomy() *taxonomy.Taxonomy { return e.taxonomy }
func (e rowError) Row() taxonomy.Row            { return e.row }

// Names checks the values of constants.
func Names[T ~string](t *testing.T, want string, constants ...T) {
	t.Helper()
	assert.Equal(t, want, strings.Trim(fmt.Sprint(constants), "[]"))
}

// Enum checks the values of an enum, which are numbered from 1 in the order of the words.
func Enum[T interface {
	~uint8
	fmt.Stringer
	encoding.TextMarshaler
}](t *testing.T, words []string, values ...T) {
	t.Helper()
	name := fmt.Sprintf("%T", T(0))
	name = name[strings.LastIndexByte(name, '.')+1:] + ":"
	require.Len(t, values, len(words))
	for i, word := range words {
		v := values[i]
		assert.Equal(t, T(i+1), v)
		assert.Equal(t, word, v.String())
		text, err := v.MarshalText()
		require.NoError(t, err)
		assert.Equal(t, word, string(text))
		back := T(0)
		unmarshaler := any(&back).(encoding.TextUnmarshaler)
		require.NoError(t, unmarshaler.UnmarshalText(text))
		assert.Equal(t, v, back)
		assert.ErrorContains(t, unmarshaler.UnmarshalText([]byte("no such word")), name)
	}
	_, err := T(len(words) + 1).MarshalText()
	assert.ErrorContains(t, err, name)
}

// Recorder records which method of an interface was called.
type Recorder struct {
	name string
	ctx  context.Context
}

// Called records a call of the method for name, and returns [Cause].
func (r *Recorder) Called(ctx context.Context, name string) error {
	r.name, r.ctx = name, ctx
	return Cause
}

// Dispatch checks that run calls the method for each of the names, and no method for other names.
func Dispatch(t *testing.T, run func(ctx context.Context, name string) (Recorder, error), names ...string) {
	t.Helper()
	for _, name := range names {
		r, err := run(t.Context(), name)
		assert.Equal(t, Cause, err, name)
		assert.Equal(t, Recorder{name, t.Context()}, r)
	}
	for _, name := range []string{"", "no such name"} {
		r, err := run(t.Context(), name)
		assert.Error(t, err, name)
		assert.Zero(t, r, name)
	}
}
