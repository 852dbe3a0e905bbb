package gen_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/taxonomy"
	"github.com/errgen/errgen/runtime/taxonomy/gen"
	"github.com/errgen/errgen/runtime/taxonomy/internal/sample"
)

const head = `{"domain":"aidf","name":"KindsError","category":"kinds","code":"KINDS","message":"m",` +
	`"retryable":false,"context":`

func TestUnmarshalRefuses(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{``, "unexpected end of JSON input"},
		{`{"code":`, "unexpected end of JSON input"},
		{`{} x`, "invalid character 'x' after top-level value"},
		{`null`, "not an object"},
		{` [1]`, "not an object"},
		{`{}`, `no "code"`},
		{`{"code":1}`, "code: not a value of type string"},
		{`{"code":"KINDS","domain":[]}`, "domain: not a value of type string"},
		{`{"code":"KINDS","message":{}}`, "message: not a value of type string"},
		{`{"code":"KINDS","retryable":"true"}`, "retryable: not a value of type bool"},
		{`{"code":"KINDS","context":[]}`, "context: not an object"},
		{head + `{"str":1}}`, "context.str: not a value of type string"},
		{head + `{"num":"x"}}`, "context.num: not a value of type int"},
		{head + `{"num":1.5}}`, "context.num: not a value of type int"},
		{head + `{"num":true}}`, "context.num: not a value of type int"},
		{head + `{"big":9223372036854775808}}`, "context.big: not a value of type int64"},
		{head + `{"size":-1}}`, "context.size: not a value of type uint64"},
		{head + `{"size":{}}}`, "context.size: not a value of type uint64"},
		{head + `{"ratio":"x"}}`, "context.ratio: not a value of type float64"},
		{head + `{"ratio":[]}}`, "context.ratio: not a value of type float64"},
		{head + `{"flag":"true"}}`, "context.flag: not a value of type bool"},
		{head + `{"took":"1"}}`, "context.took: not a value of type duration"},
		{head + `{"took":1}}`, "context.took: not a value of type duration"},
		{head + `{"at":"yesterday"}}`, "context.at: not a value of type time"},
		{head + `{"at":[]}}`, "context.at: not a value of type time"},
		{head + `{"mood":"X","num":"x"}}`, "context.num: not a value of type int"},
		{head + `{"mood":1}}`, "context.mood: not a value of type enum"},
		{head + `{"list":"a"}}`, "context.list: not a value of type strings"},
		{head + `{"list":["a",1]}}`, "context.list: not a value of type strings"},
		{head + `{"run":1}}`, "context.run: not an object"},
		{head + `{"run":{"mode":1},"num":"x"}}`, "context.run.mode: not a value of type string"},
		{head + `{"optRun":{"step":[]}}}`, "context.optRun.step: not a value of type string"},
		{head + `{"optStr":1,"optNum":"x"}}`, "context.optStr: not a value of type string"},
	} {
		e, err := sample.UnmarshalError([]byte(c.in))
		require.Error(t, err, c.in)
		assert.Regexp(t, "^sample: unmarshal error: .*"+c.want+"$", err.Error(), c.in)
		assert.Nil(t, e, c.in)
	}
}

func TestUnmarshalIsLenient(t *testing.T) {
	e, err := sample.UnmarshalError([]byte(` { "extra" : [ { "a" : "]}\"" } ] , "code" : "KINDS" , "c\u006fntext" : {
		"str" : "\u00e9\ud83d\ude00\ud83dx\/\b\f\n\r\t\"\\\uD83D\uDE0a", "num" : "-5" , "big" : "9007199254740993", "size":"18446744073709551615", "ratio": "1e3",
		"new" : { "x" : [ "}" , null , -1.5e+3 ] } , "flag" : null , "took" : null, "at" : "2024-02-03T04:05:06+01:00", "mood" : null, "list" : [ ],
		"data" : { "k" : 1 }, "run" : null, "pin" : null, "optStr" : null, "optMood": "", "optPin": "x", "optRun": {}, "optList": null, "list": ["z"] } ,
		"domain" : null , "retryable" : null , "cause" : null }`))
	require.NoError(t, err)
	k := e.(*sample.KindsError)
	assert.Equal(t, "é😀\ufffdx/\b\f\n\r\t\"\\😊", k.Str)
	assert.Equal(t, -5, k.Num)
	assert.Equal(t, int64(9007199254740993), k.Big)
	assert.Equal(t, uint64(18446744073709551615), k.Size)
	assert.Equal(t, 1000.0, k.Ratio)
	assert.Equal(t, time.Date(2024, 2, 3, 3, 5, 6, 0, time.UTC), k.At)
	assert.Equal(t, []string{"z"}, k.List)
	assert.JSONEq(t, `{"k":1}`, string(k.Data))
	assert.True(t, k.Pin.IsZero())
	assert.True(t, k.OptStr.IsZero())
	assert.True(t, k.OptMood.IsZero())
	assert.False(t, k.OptPin.IsZero())
	assert.Equal(t, taxonomy.Some(sample.KindsOptRun{}), k.OptRun)
	assert.Nil(t, k.OptList)
	assert.NoError(t, e.Unwrap())
}

// A decoded error does not keep the members in memory that it ignores.
func TestUnmarshalKeepsLittleMemory(t *testing.T) {
	const size = 1 << 20
	ignored := `"ignored":"` + strings.Repeat("x", size) + `"`
	for _, tt := range []struct{ name, cause, context string }{
		{"beside the context", `"a"`, `"provider":"p"},` + ignored + `,"x":{`},
		{"in the context", `"a"`, `"provider":"p",` + ignored},
		{"beside the text of a cause", `{"message":"a",` + ignored + `}`, `"provider":"p"`},
		{"beside joined causes", `{"message":"a","causes":["b",{"message":"c",` + ignored + `}]}`, `"provider":"p"`},
		{"beside an unknown cause", `{"category":"x","code":"X","message":"a"},` + ignored, `"provider":"p"`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			text := []byte(`{"code":"PROVIDER_CRASH","cause":` + tt.cause + `,"context":{` + tt.context + `}}`)
			errs := make([]taxonomy.Error, 20)
			before := heapSize()
			for i := range errs {
				var err error
				errs[i], err = sample.UnmarshalError(text)
				require.NoError(t, err)
			}
			assert.Less(t, heapSize()-before, int64(len(errs)*size/4))
			runtime.KeepAlive(text)
			assert.EqualError(t, errs[0], "provider p crashed")
		})
	}
}

// heapSize returns the size of the objects that are in use.
func heapSize() int64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

func TestUnmarshalWithoutCode(t *testing.T) {
	e, err := sample.UnmarshalError((&sample.ProviderError{Provider: "p"}).AppendJSON(nil))
	require.NoError(t, err)
	assert.Equal(t, &sample.ProviderError{Provider: "p"}, e)
	e, err = sample.UnmarshalError([]byte(`{"code":"PROVIDER_THROTTLED"}`))
	require.NoError(t, err)
	assert.Equal(t, sample.NewProviderRateLimit(""), e)
}

func TestUnmarshalUnknown(t *testing.T) {
	for _, c := range []struct {
		in        string
		code      string
		retryable bool
	}{
		{`{"domain":"aidf","category":"provider","code":"NEW","message":"new \"thing\"","retryable":true,` +
			`"context":{"a":1},"cause":{"message":"x"}}`, "NEW", true},
		{`{"domain":"aidf","category":"provider","code":"NEW","message":"m","retryable":false}`, "NEW", false},
		{`{"domain":"other","category":"provider","code":"PROVIDER_CRASH","message":"m","retryable":true}`,
			"PROVIDER_CRASH", true},
		{`{"domain":"aidf","category":"none","code":"","message":"m","retryable":true}`, "", true},
	} {
		e, err := sample.UnmarshalError([]byte(c.in))
		require.NoError(t, err)
		u, ok := e.(*taxonomy.Unknown)
		require.True(t, ok, c.in)
		assert.Equal(t, c.code, taxonomy.CodeOf(u))
		assert.Equal(t, c.retryable, taxonomy.IsRetryable(u))
		b, err := json.Marshal(e)
		require.NoError(t, err)
		assert.Equal(t, c.in, string(b))
		assert.Equal(t, c.in, string(e.AppendJSON(nil)))
	}
	e, err := sample.UnmarshalError(
		[]byte(`{"category":"provider","code":"NEW","message":"new \"thing\"","context":{"a":1},` +
			`"cause":{"message":"x"}}`))
	require.NoError(t, err)
	assert.EqualError(t, e, `new "thing"`)
	assert.EqualError(t, e.Unwrap(), "x")
	assert.JSONEq(t, `{"a":1}`, string(e.AppendContext(nil)))
	assert.True(t, sample.IsProvider(e))
	assert.False(t, sample.IsWork(e))
	assert.False(t, sample.InNetwork(e))
	assert.Equal(t, sample.CategoryProvider, sample.CategoryOf(e))
}

// A code that is abstract here has errors in the sender's version of the taxonomy.
func TestUnmarshalAbstractCode(t *testing.T) {
	abstract := &taxonomy.Taxonomy{Package: "p", Categories: []*taxonomy.Category{{Name: "c", Codes: []taxonomy.Code{
		{}, {Value: "A", Abstract: true, Traits: taxonomy.Traits{HTTP: 409}},
	}}}}
	for _, tt := range []struct{ in, text string }{
		{`{"code":"A"}`, "A"},
		{`{"code":"A","message":"the limit is 3"}`, "the limit is 3"},
	} {
		e, err := gen.Unmarshal([]byte(tt.in), abstract)
		require.NoError(t, err)
		u, ok := e.(*taxonomy.Unknown)
		require.True(t, ok, tt.in)
		assert.EqualError(t, u, tt.text)
		assert.EqualError(t, u.Reason(), "the code is abstract")
		assert.Equal(t, "A", u.Known().Value)
		assert.Equal(t, 409, taxonomy.HTTPStatus(u))
		assert.False(t, taxonomy.IsRetryable(u))
	}
}

// TestUnmarshalWholeNumbers reads integers in the form of writers that have only floating point.
func TestUnmarshalWholeNumbers(t *testing.T) {
	const refused = math.MinInt64
	for _, c := range []struct {
		in   string
		want int64
	}{
		{"7.0", 7}, {"1e2", 100}, {"-1.50E+1", -15}, {`"7.00"`, 7}, {"-0.0", 0}, {"123456789012345.0", 123456789012345},
		{"1.5", refused}, {"1e-1", refused}, {"1e16", refused}, {"1e999", refused}, {"0e5", 0},
		{`"inf"`, refused}, {`"1.0 "`, refused}, {`""`, refused}, {`"."`, refused},
	} {
		e, err := sample.UnmarshalError(
			[]byte(head + `{"big":` + c.in + `,"size":` + strings.Replace(c.in, "-", "", 1) + `}}`))
		if c.want == refused {
			assert.ErrorContains(t, err, "context.big: not a value of type int64", c.in)
			continue
		}
		require.NoError(t, err, c.in)
		assert.Equal(t, c.want, e.(*sample.KindsError).Big, c.in)
		assert.Equal(t, uint64(max(c.want, -c.want)), e.(*sample.KindsError).Size, c.in)
	}
	_, err := sample.UnmarshalError([]byte(head + `{"size":-7.0}}`))
	assert.ErrorContains(t, err, "context.size: not a value of type uint64")
}

// TestUnmarshalUnknownWord reads the error of a newer program with an additional word in an enum,
// and loses no part of it.
func TestUnmarshalUnknownWord(t *testing.T) {
	in := `{"domain":"aidf","name":"KindsError","category":"kinds","code":"KINDS","message":"m","retryable":true,` +
		`"context":{"str":"s","mood":"NEW","optMood":"password=hunter22"},"cause":{"message":"x"}}`
	out := strings.Replace(in, "hunter22", taxonomy.Redacted, 1)
	const reason = `context.mood: unknown value "NEW"`
	e, err := sample.UnmarshalError([]byte(in))
	require.NoError(t, err)
	u, ok := e.(*taxonomy.Unknown)
	require.True(t, ok)
	require.EqualError(t, u.Reason(), reason)
	assert.EqualError(t, u, "m")
	assert.EqualError(t, u.Unwrap(), "x")
	assert.Equal(t, out, string(u.AppendJSON(nil)))
	assert.Contains(t, fmt.Sprintf("%+v", u), reason)
	assert.Contains(t, u.LogValue().String(), "reason="+reason)

	wrapped := fmt.Errorf("call: %w", u)
	assert.ErrorIs(t, wrapped, sample.CodeKinds)
	assert.NotErrorIs(t, wrapped, sample.CodeProviderCrash)
	assert.NotErrorIs(t, wrapped, sample.KindsCode(0))
	assert.NotErrorIs(t, wrapped, io.EOF)
	assert.True(t, taxonomy.IsRetryable(wrapped))
	assert.Equal(t, "KINDS", taxonomy.CodeOf(wrapped))
	assert.Equal(t, sample.CategoryKinds, sample.CategoryOf(wrapped))
	assert.True(t, sample.IsKinds(wrapped))
	assert.False(t, sample.IsProvider(wrapped))
	assert.Equal(t, "KINDS", taxonomy.Describe(wrapped).Value)

	var typed sample.KindsError
	require.EqualError(t, json.Unmarshal([]byte(in), &typed), `sample: unmarshal error: code "KINDS": `+reason)
	assert.Zero(t, typed)

	caused, err := sample.UnmarshalError(
		[]byte(`{"code":"PROVIDER_CRASH","context":{"provider":"p"},"cause":` + in + `}`))
	require.NoError(t, err)
	below, ok := errors.AsType[*taxonomy.Unknown](caused)
	require.True(t, ok)
	assert.EqualError(t, below.Reason(), reason)
	assert.ErrorIs(t, caused, sample.CodeKinds)

	bare, err := sample.UnmarshalError([]byte(`{"code":"KINDS","context":{"mood":"NEW"}}`))
	require.NoError(t, err)
	assert.EqualError(t, bare, "KINDS")
	assert.False(t, taxonomy.IsRetryable(bare))
	assert.True(t, sample.IsKinds(bare), "without a category")
}

func TestCauses(t *testing.T) {
	crash := sample.NewProviderCrash("p")
	const crashJSON = `{"domain":"aidf","name":"ProviderError","category":"provider","code":"PROVIDER_CRASH",` +
		`"message":"provider p crashed","retryable":true,"context":{"provider":"p"}}`
	for _, c := range []struct {
		name  string
		cause error
		want  string
	}{
		{"plain", io.EOF, `{"message":"EOF"}`},
		{"plain with a secret", errors.New("token=abcdef"), `{"message":"token=[REDACTED]"}`},
		{"wrapped plain", fmt.Errorf("read: %w", io.EOF), `{"message":"read: EOF"}`},
		{"own", crash, crashJSON},
		{"wrapped own", fmt.Errorf("b: %w", fmt.Errorf("a: %w", crash)),
			`{"message":"b: a: provider p crashed","cause":` + crashJSON + `}`},
		{"traced own", taxonomy.WithStack(crash), crashJSON},
		{"joined", errors.Join(io.EOF, crash), `{"message":"EOF\nprovider p crashed","causes":[{"message":"EOF"},` +
			crashJSON + `]}`},
		{"wrapped joined", fmt.Errorf("c: %w", errors.Join(io.EOF, io.EOF)),
			`{"message":"c: EOF\nEOF","cause":{"message":"EOF\nEOF","causes":[{"message":"EOF"},{"message":"EOF"}]}}`},
		{"wrapped traced own", fmt.Errorf("a: %w", taxonomy.WithStack(crash)),
			`{"message":"a: provider p crashed","cause":` + crashJSON + `}`},
		{"code", sample.CodeProviderCrash,
			strings.Replace(strings.Replace(crashJSON, "provider p crashed", "PROVIDER_CRASH", 1), `{"provider":"p"}`,
				`{}`, 1)},
		{"joined with nil", joined{io.EOF, nil, io.EOF},
			`{"message":"joined","causes":[{"message":"EOF"},{"message":"EOF"}]}`},
		{"wrapping nil", wrapping{}, `{"message":"wrapping"}`},
		{"long", errors.New(strings.Repeat("x", 5000)), `{"message":"` + strings.Repeat("x", 4093) + `…"}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			sent := sample.NewProviderRateLimit("q").WithCause(c.cause)
			text := string(sent.AppendJSON(nil))
			_, cause, _ := strings.Cut(text, `"cause":`)
			assert.Equal(t, c.want, strings.TrimSuffix(cause, "}"))
			back, err := sample.UnmarshalError([]byte(text))
			require.NoError(t, err)
			if c.name != "code" { // a bare code comes back as an error of that code
				assert.Equal(t, text, string(back.AppendJSON(nil)))
			}
			assert.Equal(t, errors.Is(c.cause, crash.Code()), errors.Is(back, crash.Code()))
		})
	}
}

type joined []error

func (joined) Error() string     { return "joined" }
func (j joined) Unwrap() []error { return j }

type wrapping struct{ err error }

func (wrapping) Error() string   { return "wrapping" }
func (w wrapping) Unwrap() error { return w.err }

// TestDeepTypedCauses cuts a chain at 32 causes and keeps the codes above the cut.
func TestDeepTypedCauses(t *testing.T) {
	var err error = sample.NewGitCommit()
	for range 100 {
		err = sample.NewGitCommit().WithCause(err)
	}
	top := sample.NewProviderCrash("p").WithCause(err)
	text := string(top.AppendJSON(nil))
	assert.Equal(t, 32, strings.Count(text, `"cause":{`))
	assert.Equal(t, 32, strings.Count(text, `"code":"COMMIT_FAILED"`))
	assert.Less(t, len(text), 32*1000)
	back, uerr := sample.UnmarshalError([]byte(text))
	require.NoError(t, uerr)
	assert.ErrorIs(t, back, sample.CodeGitCommit)
	second := string(back.AppendJSON(nil)) // only messages about cut causes have changed
	assert.Equal(t, 32, strings.Count(second, `"code":"COMMIT_FAILED"`))
	back, uerr = sample.UnmarshalError([]byte(second))
	require.NoError(t, uerr)
	assert.True(t, second == string(back.AppendJSON(nil)))
}

// TestCauseOfItself prints an error that is its own cause and whose message contains its cause.
func TestCauseOfItself(t *testing.T) {
	for name, wrap := range map[string]func(error) error{
		"directly":    func(err error) error { return err },
		"in a join":   func(err error) error { return errors.Join(io.EOF, err) },
		"with a word": func(err error) error { return fmt.Errorf("again: %w", err) },
	} {
		t.Run(name, func(t *testing.T) {
			e := sample.NewGitCommit()
			*e = *e.WithCause(wrap(e))
			assert.Contains(t, e.Error(), "commit failed: ")
			assert.True(t, json.Valid(e.AppendJSON(nil)))
			assert.NotEmpty(t, fmt.Sprintf("%+v", e))
			assert.NotEmpty(t, e.LogValue().String())
			assert.Equal(t, "COMMIT_FAILED", taxonomy.CodeOf(e))
		})
	}
}

func TestTimeOutsideRFC3339(t *testing.T) {
	_, err := sample.UnmarshalError(
		[]byte(`{"category":"kinds","code":"KINDS","context":{"at":"9999-12-31T23:59:59-12:00"}}`))
	assert.ErrorContains(t, err, "context.at: not a value of type time")
}

func TestForeignDomainIsOfNoCategory(t *testing.T) {
	e, err := sample.UnmarshalError(
		[]byte(`{"domain":"other","category":"provider","code":"PROVIDER_CRASH","message":"m"}`))
	require.NoError(t, err)
	assert.False(t, sample.IsProvider(e))
	assert.Empty(t, sample.CategoryOf(e))
	assert.Equal(t, "provider", taxonomy.CategoryOf(e))
}

type cycle struct{ err error }

func (*cycle) Error() string   { return "cycle" }
func (c *cycle) Unwrap() error { return c.err }

func TestCyclesEnd(t *testing.T) {
	c := &cycle{}
	e := sample.NewProviderRateLimit("q").WithCause(c)
	c.err = e
	tree := error(io.EOF)
	for range 40 {
		tree = errors.Join(tree, tree)
		if len(tree.Error()) > 1<<12 {
			tree = joined{tree, tree}
		}
	}
	assert.Empty(t, taxonomy.CodeOf(joined{tree, sample.NewProviderCrash("p")}), "the bound is met before the error")
	for _, err := range []*sample.ProviderError{e, e.WithCause(tree)} {
		b, merr := json.Marshal(err)
		require.NoError(t, merr)
		assert.True(t, json.Valid(b))
		assert.Less(t, len(b), 1<<20)
		assert.NotEmpty(t, fmt.Sprintf("%+v", err))
		assert.NotEmpty(t, err.LogValue().String())
	}
}

func TestOddCausesDecode(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{`"text"`, "text"},
		{`5`, "5"},
		{`[1]`, "[1]"},
		{`{}`, ""},
		{`{"message":1}`, `{"message":1}`},
		{`{"code":"KINDS","category":"kinds","message":"m","context":{"num":"x"}}`, "m"},
		{`{"code":"OTHER","domain":"d","category":"c","message":"m"}`, "m"},
		{`{"message":"m","causes":[null,{"message":"n"}]}`, "m"},
		{`{"message":"m","causes":1}`, "m"},
	} {
		e, err := sample.UnmarshalError([]byte(`{"code":"KINDS","cause":` + c.in + `}`))
		require.NoError(t, err, c.in)
		assert.EqualError(t, e.Unwrap(), c.want, c.in)
	}
	deep := strings.Repeat(`{"message":"m","cause":`, 200) + `null` + strings.Repeat(`}`, 200)
	e, err := sample.UnmarshalError([]byte(`{"code":"KINDS","cause":` + deep + `}`))
	require.NoError(t, err)
	n := 0
	for c := e.Unwrap(); c != nil; c = errors.Unwrap(c) {
		n++
	}
	assert.Equal(t, 33, n)
	wide := `{"code":"KINDS","cause":{"message":"m","causes":[` + strings.Repeat(`{"message":"n"},`, 500) + `null]}}`
	e, err = sample.UnmarshalError([]byte(wide))
	require.NoError(t, err)
	assert.Len(t, e.Unwrap().(interface{ Unwrap() []error }).Unwrap(), 128)
}

func FuzzUnmarshal(f *testing.F) {
	f.Add([]byte(head + `{"str":"a","num":1,"list":["a"],"run":{"mode":"x"},"optMood":"BLOCK"}}`))
	f.Add(sample.NewProviderAPIError("p", "sk-abcdefghij1234567890").
		WithCause(errors.Join(io.EOF, sample.NewGitCommit())).AppendJSON(nil))
	f.Add([]byte(`{"code":"NEW","category":"c","cause":{"message":"x","cause":{"code":"KINDS","category":"kinds"}}}`))
	f.Add([]byte(`{"code":"KINDS","context":{"took":"1h","at":"2024-02-03T04:05:06Z","data":[1, "<"]},"cause":"x"}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		e, err := sample.UnmarshalError(b)
		if err != nil {
			return
		}
		first := e.AppendJSON(nil)
		if !json.Valid(first) {
			t.Fatalf("%q: %q", b, first)
		}
		again, err := sample.UnmarshalError(first)
		if err != nil {
			t.Fatalf("%q: %s: %v", b, first, err)
		}
		if second := again.AppendJSON(nil); string(second) != string(first) {
			t.Fatalf("%q: %s, then %s", b, first, second)
		}
	})
}
