package detect_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/errgen/errgen/runtime/detect"
	"github.com/errgen/errgen/runtime/taxonomy"
)

type said string

type numbered int

func (n numbered) String() string { return fmt.Sprintf("number %d", int(n)) }

type mumbling struct{}

func (*mumbling) String() string { panic("broken") }

type marshaling []int

func (marshaling) MarshalJSON() ([]byte, error) { panic("broken") }

func TestOfValues(t *testing.T) {
	var nothing *taxonomy.Evidence
	var noResponse *http.Response
	var noStringer *mumbling
	self := map[string]any{"message": "loops"}
	self["self"] = self
	for _, c := range []struct {
		raw  any
		want taxonomy.Evidence
	}{
		{nil, taxonomy.Evidence{}},
		{nothing, taxonomy.Evidence{}},
		{noResponse, taxonomy.Evidence{}},
		{noStringer, taxonomy.Evidence{}},
		{map[string]any(nil), taxonomy.Evidence{}},
		{map[string]any{}, taxonomy.Evidence{}},
		{json.RawMessage(nil), taxonomy.Evidence{}},
		{(func())(nil), taxonomy.Evidence{}},
		{(*int)(nil), taxonomy.Evidence{}},
		{taxonomy.Evidence{Source: "git", Text: "retry after 30"},
			taxonomy.Evidence{Source: "git", Text: "retry after 30"}},
		{&taxonomy.Evidence{Source: "git"}, taxonomy.Evidence{Source: "git"}},
		{"said", taxonomy.Evidence{Text: "said"}},
		{`{"message": "said"}`, taxonomy.Evidence{Text: `{"message": "said"}`}},
		{said("said"), taxonomy.Evidence{Text: "said"}},
		{[]byte("said"), taxonomy.Evidence{Text: "said"}},
		{numbered(3), taxonomy.Evidence{Text: "number 3"}},
		{&mumbling{}, taxonomy.Evidence{Text: "(*detect_test.mumbling panics when asked for its text)"}},
		{3, taxonomy.Evidence{Text: "3"}},
		{1.5, taxonomy.Evidence{Text: "1.5"}},
		{true, taxonomy.Evidence{Text: "true"}},
		{func() {}, taxonomy.Evidence{Text: "func()"}},
		{make(chan int), taxonomy.Evidence{Text: "chan int"}},
		{marshaling{1}, taxonomy.Evidence{Text: "detect_test.marshaling"}},
		{[]string{"a"}, taxonomy.Evidence{Text: `["a"]`}},
		{struct{ A int }{1}, taxonomy.Evidence{Text: `{"A":1}`}},
		{struct {
			Message string `json:"message"`
			Status  int    `json:"status"`
		}{"gone", 404}, taxonomy.Evidence{Status: 404, Text: "gone"}},
		{map[string]any{"message": "gone", "code": "E1", "status": 404, "type": "missing"},
			taxonomy.Evidence{Text: "gone", Code: "E1", Status: 404, Type: "missing"}},
		{map[string]any{"error": errors.New("gone")}, taxonomy.Evidence{Text: "gone"}},
		{map[string]any{"f": func() {}, "message": "gone", "n": json.Number("x")}, taxonomy.Evidence{Text: "gone"}},
		{self, taxonomy.Evidence{Text: "loops"}},
		{map[string]any{"a": 1}, taxonomy.Evidence{Text: `{"a":1}`}},
		{json.RawMessage(`{"error": {"message": "gone", "type": "missing"}}`),
			taxonomy.Evidence{Text: "gone", Type: "missing", CodeDerived: true}},
		{http.Header{"Retry-After": {"3"}},
			taxonomy.Evidence{RetryAfter: taxonomy.Some(3 * time.Second), Attributes: attributes("retry-after", "3")}},
		{"please retry after 30", taxonomy.Evidence{Text: "please retry after 30"}},
	} {
		assert.Equal(t, c.want, detect.Of(c.raw), "of %T", c.raw)
	}
}

func TestOfBoundsWhatItCopies(t *testing.T) {
	long := strings.Repeat("x", 3<<20) + "end"
	for _, raw := range []any{[]byte(long), json.RawMessage(long), map[string]any{"message": 1, "z": long}} {
		ev := detect.Of(raw)
		assert.LessOrEqual(t, len(ev.Text), 1<<20)
		assert.Contains(t, ev.Text[len(ev.Text)-5:], "end", "of %T", raw)
	}
}

func FuzzOfText(f *testing.F) {
	f.Add([]byte(`{"message": "try again in 5 minutes"}`))
	f.Add([]byte("\xff\x00retry after 1e9"))
	f.Fuzz(func(t *testing.T, in []byte) {
		assert.Equal(t, string(in), detect.Of(string(in)).Text)
		assert.Equal(t, string(in), detect.Of(in).Text)
		err := fmt.Errorf("wrapped: %w", errors.New(string(in)))
		assert.Equal(t, err.Error(), detect.Of(err).Text)
		detect.Of(json.RawMessage(in))
		var m map[string]any
		if json.Unmarshal(in, &m) == nil {
			detect.Of(m)
		}
	})
}
