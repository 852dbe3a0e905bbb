package gentest

import (
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/internal/tabletext"
	"github.com/errgen/errgen/internal/template"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// Error is the interface of generated errors.
type Error interface {
	taxonomy.Error
	json.Marshaler
	json.Unmarshaler
	slog.LogValuer
	fmt.Formatter
}

// Case is an error with the expected results: the branch that its context selects (0: none), its
// message, and its context as JSON.
type Case struct {
	err              Error
	when             int
	message, context string
	hints, feedback  string
}

// NewCase returns a [Case].
func NewCase(err Error, when int, message, context string) Case {
	return Case{err: err, when: when, message: message, context: context}
}

// Hints adds the expected hints of the error.
func (c Case) Hints(text string) Case {
	c.hints = text
	return c
}

// Feedback adds the expected text for a provider about the error.
func (c Case) Feedback(text string) Case {
	c.feedback = text
	return c
}

// Branch is an error and the branch that its context selects (0: none).
type Branch struct {
	err  Error
	when int
}

// NewBranch returns a [Branch].
func NewBranch(err Error, when int) Branch { return Branch{err, when} }

// wire is the JSON of an error.
type wire struct {
	Domain    string          `json:"domain,omitempty"`
	Name      string          `json:"name,omitempty"`
	Category  string          `json:"category"`
	Code      string          `json:"code"`
	Message   string          `json:"message"`
	Retryable bool            `json:"retryable"`
	Context   json.RawMessage `json:"context,omitempty"`
	Constants json.RawMessage `json:"constants,omitempty"`
	Cause     json.RawMessage `json:"cause,omitempty"`
}

// wireOf returns the JSON of an error with the context.
func wireOf(category, code, context string) []byte {
	b, err := json.Marshal(wire{Category: category, Code: code, Context: json.RawMessage(context)})
	if err != nil {
		panic(err)
	}
	return b
}

// checkCase checks how an error is matched, printed and encoded.
func (k *category) checkCase(t *testing.T, code, other taxonomy.Coded, x Case) {
	e := x.err
	assert.Same(t, k.Table.Taxonomy, e.Taxonomy())
	tree := errors.Join(Cause, fmt.Errorf("wrapped: %w", e))
	as, method := k.code(tree)
	assert.Equal(t, code, as, "%+v", e)
	assert.Equal(t, code, method, "%+v", e)
	assert.ErrorIs(t, tree, code)
	assert.Equal(t, isBelow(code, other), errors.Is(e, other), "%+v is %s", e, other)
	assert.NotErrorIs(t, e, k.none)
	assert.NotErrorAs(t, e, new(*taxonomy.Unknown))
	assert.Equal(t, k.name, k.CategoryOf(tree))
	k.checkText(t, e, taxonomy.CodeOf(code), x.message)
	k.checkJSON(t, e, taxonomy.CodeOf(code), x)
	k.checkPublic(t, e, code, x)
	if x.hints != "" {
		assert.Equal(t, x.hints, tabletext.Hints(taxonomy.HintsOf(e)), "hints of %+v", e)
	}
	if x.feedback != "" {
		assert.Equal(t, x.feedback, taxonomy.FeedbackOf(e), "feedback of %+v", e)
	}
	if e.Unwrap() == nil {
		caused := with(e, "WithCause", reflect.ValueOf(Cause))
		assert.Equal(t, Cause, caused.Unwrap())
		assert.Equal(t, x.context, string(caused.AppendContext(nil)))
		back, err := k.Unmarshal(caused.AppendJSON(nil))
		require.NoError(t, err)
		assert.EqualError(t, back.Unwrap(), Cause.Error())
		require.NoError(t, e.Unwrap(), "WithCause returns a copy")
	}
}

// isBelow reports whether a code is the other one, or below it.
func isBelow(code, other taxonomy.Coded) bool {
	row := code.Row()
	for row != other.Row() {
		parent := code.Taxonomy().Code(row).Parent
		if parent == 0 {
			return false
		}
		row = taxonomy.At(row.Category(), parent)
	}
	return true
}

// checkText checks the texts of an error.
func (k *category) checkText(t *testing.T, e Error, code, message string) {
	assert.Equal(t, message, e.Error())
	assert.Equal(t, "before "+message, string(e.AppendMessage([]byte("before "))))
	assert.Equal(t, fmt.Sprintf("%s %q", message, message), fmt.Sprintf("%v %q", e, e))
	detail := fmt.Sprintf("%+v", e)
	assert.True(t, strings.HasPrefix(detail, message), detail)
	assert.Contains(t, detail, code)
	assert.Contains(t, detail, k.name)

	assert.Contains(t, e.LogValue().String(), message)
}

// messagePattern returns the pattern of the messages that a template makes: its texts, with any
// text for a placeholder, and with or without each part in brackets.
func messagePattern(text string) *regexp.Regexp {
	parts, _ := template.Parse[struct{}](text)
	return regexp.MustCompile("^" + partsPattern(parts) + "$")
}

func partsPattern(parts []template.Part[struct{}]) (pattern string) {
	for _, p := range parts {
		switch {
		case p.Group != nil:
			pattern += "(?:" + partsPattern(p.Group) + ")?"
		case p.Name != "":
			pattern += "(?s:.*)"
		default:
			pattern += regexp.QuoteMeta(p.Text)
		}
	}
	return pattern
}

// checkJSON checks the JSON of an error, and that it is decoded as the same error.
func (k *category) checkJSON(t *testing.T, e Error, code string, x Case) {
	assert.Equal(t, x.context, string(e.AppendContext(nil)), "%+v", e)
	written, err := e.MarshalJSON()
	require.NoError(t, err)
	assert.Equal(t, string(e.AppendJSON(nil)), string(written))
	var got wire
	require.NoError(t, json.Unmarshal(written, &got))
	want := wire{
		Domain: k.Table.Taxonomy.Domain, Name: k.typ, Category: k.name, Code: code, Message: x.message,
		Retryable: taxonomy.IsRetryable(e), Context: json.RawMessage(x.context), Constants: got.Constants,
	}
	if e.Unwrap() != nil {
		want.Cause = json.RawMessage(`{"message":"some cause"}`)
	}
	assert.Equal(t, want, got)

	back, err := k.Unmarshal(written)
	require.NoError(t, err)
	require.IsType(t, e, back)
	assert.Equal(t, e.Row(), back.Row(), "%s", written)
	blank := reflect.New(reflect.TypeOf(e).Elem()).Interface().(Error)
	require.NoError(t, blank.UnmarshalJSON(written))
	assert.Equal(t, x.context, string(blank.AppendContext(nil)))
	if e.Unwrap() != nil {
		assert.EqualError(t, back.Unwrap(), Cause.Error())
	}
}

// checkPublic checks the public view of an error. An error of an internal code appears as the
// fallback without context.
func (k *category) checkPublic(t *testing.T, e Error, code taxonomy.Coded, x Case) {
	view := taxonomy.Public(fmt.Errorf("wrapped: %w", e))
	got := []string{view.Code(), string(view.AppendContext(nil))}
	if !taxonomy.Describe(code).Public {
		assert.Equal(t, []string{k.Table.Taxonomy.PublicFallback, "{}"}, got)
		return
	}
	context := publicContext(k.fields, x.context)
	assert.Equal(t, []string{taxonomy.CodeOf(code), context}, got)
	assert.Equal(t, x.message, view.Message())
	assert.Equal(t, context, string(k.checkSent(t, e).AppendContext(nil)))
}

// checkSent checks that a client, which does not receive the internal fields, gets the same
// reaction as the sender. It returns the view of the client.
func (k *category) checkSent(t *testing.T, e Error) taxonomy.PublicView {
	written := taxonomy.AppendPublicJSON(nil, e)
	back, err := k.Unmarshal(written)
	require.NoError(t, err)
	assert.Equal(t, taxonomy.IsRetryable(e), taxonomy.IsRetryable(back), "%s", written)
	assert.Equal(t, k.Table.Reaction(e), k.Table.Reaction(back), "%s", written)
	return taxonomy.Public(back)
}

// publicContext returns the public fields of a context.
func publicContext(fields []taxonomy.Field, context string) string {
	var all map[string]json.RawMessage
	if err := json.Unmarshal([]byte(context), &all); err != nil {
		panic(err)
	}
	var parts []string
	for _, f := range fields {
		if value, ok := all[f.Name]; ok && f.Public {
			parts = append(parts, strconv.Quote(f.Name)+":"+string(value))
		}
	}
	return "{" + strings.Join(parts, ",") + "}"
}

// checkBlank checks the zero error.
func (k *category) checkBlank(t *testing.T, blank Error) {
	message := k.name + " error without a code"
	assert.Equal(t, k.Unknown, k.row(blank))
	k.checkPredicates(t, blank, "")
	k.checkText(t, blank, "", message)
	assert.NotErrorIs(t, blank, k.none)
	as, _ := k.code(blank)
	assert.Equal(t, k.none, as)
	written, err := blank.MarshalJSON()
	require.NoError(t, err)
	assert.Equal(t, string(blank.AppendJSON(nil)), string(written))
	if k.typ == k.base {
		require.NoError(t, blank.UnmarshalJSON(written))
	}
	assert.Contains(t, string(written), `"name":"`+k.base+`","category":`+strconv.Quote(k.name)+`,"code":"",`)
}

// checkCopies checks that every With method returns a copy.
func (k *category) checkCopies(t *testing.T, e Error) {
	before := fmt.Sprintf("%+v", e)
	typ := reflect.TypeOf(e)
	for i := range typ.NumMethod() {
		if m := typ.Method(i); strings.HasPrefix(m.Name, "With") {
			changed := with(e, m.Name, reflect.Zero(m.Type.In(1)))
			assert.NotSame(t, e, changed, m.Name)
		}
	}
	assert.Equal(t, before, fmt.Sprintf("%+v", e))
}

// with calls a With method.
func with(e Error, name string, value reflect.Value) Error {
	m := reflect.ValueOf(e).MethodByName(name)
	call := m.Call
	if m.Type().IsVariadic() {
		call = m.CallSlice
	}
	return call([]reflect.Value{value})[0].Interface().(Error)
}
