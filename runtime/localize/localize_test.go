package localize

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/internal/orders"
	"github.com/errgen/errgen/runtime/taxonomy"
	"github.com/errgen/errgen/runtime/taxonomy/gen"
)

var (
	german = Format{Decimal: ",", Group: ".", Minus: "-", Primary: 3, Secondary: 3, Plurals: "xxox"}
	hindi  = Format{Decimal: ".", Group: ",", Minus: "-", Primary: 3, Secondary: 2, Plurals: "xoox"}
	arabic = Format{Decimal: "٫", Group: "٬", Minus: "\u061c-", Primary: 3, Secondary: 3, Digits: '٠' - '0',
		Plurals: "xzot" + strings.Repeat("f", 8) + strings.Repeat("m", 89) + "xxx" + strings.Repeat("f", 8) + "m"}
)

func TestValues(t *testing.T) {
	const context = `{"text":"a\u202eb","lines":"one\ntwo","empty":"","int":1234567,"minus":-1234.5,"big":1e30,
		"one":1,"list":["a","b"],"none":[],"null":null,"bool":true,"wait":"1m0.4s","millis":90000,
		"at":"2026-01-02T03:04:05Z","json":{"a":1}}`
	var values map[string]json.RawMessage
	require.NoError(t, json.Unmarshal([]byte(context), &values))
	files := []Form{{"one", "Datei"}, {"other", "Dateien"}}
	for _, c := range []struct {
		format Format
		part   Part
		want   string
	}{
		{german, Part{Field: "text"}, `a\u202eb`},
		{german, Part{Field: "lines", Show: FirstLine}, "one"},
		{german, Part{Field: "lines", Show: Quoted}, `"one\ntwo"`},
		{german, Part{Field: "empty"}, ""},
		{german, Part{Field: "absent"}, ""},
		{german, Part{Field: "null", Show: Number}, ""},
		{german, Part{Field: "int", Show: Number}, "1.234.567"},
		{hindi, Part{Field: "int", Show: Number}, "12,34,567"},
		{arabic, Part{Field: "int", Show: Number}, "١٬٢٣٤٬٥٦٧"},
		{german, Part{Field: "minus", Show: Number}, "-1.234,5"},
		{arabic, Part{Field: "minus", Show: Number}, "\u061c-١٬٢٣٤٫٥"},
		{german, Part{Field: "big", Show: Number}, "1e30"},
		{german, Part{Field: "one", Show: Plural, Forms: files}, "Datei"},
		{german, Part{Field: "int", Show: Plural, Forms: files}, "Dateien"},
		{german, Part{Field: "list", Show: Plural, Forms: files}, "Dateien"},
		{german, Part{Field: "none", Show: Plural, Forms: files}, "Dateien"},
		{german, Part{Field: "absent", Show: Plural, Forms: files}, ""},
		{german, Part{Field: "minus", Show: Plural, Forms: files}, "Dateien"},
		{german, Part{Field: "list", Show: Count}, "2"},
		{arabic, Part{Field: "list", Show: Count}, "٢"},
		{german, Part{Field: "none", Show: Count}, "0"},
		{arabic, Part{Field: "none", Show: Count}, "٠"},
		{german, Part{Field: "absent", Show: Count}, "0"},
		{german, Part{Field: "list", Show: List}, "a, b"},
		{german, Part{Field: "bool"}, "true"},
		{german, Part{Field: "wait", Show: Duration}, "1m"},
		{german, Part{Field: "wait", Show: Seconds}, "60,4"},
		{german, Part{Field: "millis", Show: Duration}, "1m30s"},
		{german, Part{Field: "at"}, "2026-01-02T03:04:05Z"},
		{german, Part{Field: "json"}, `{"a":1}`},
		{german, Part{Group: []Part{{Text: " in "}, {Field: "bool"}}}, " in true"},
		{german, Part{Group: []Part{{Text: " in "}, {Field: "absent"}}}, ""},
		{german, Part{Group: []Part{{Text: " in "}, {Field: "none", Show: Count}}}, ""},
	} {
		got := c.format.append(gen.Message(nil), []Part{c.part}, values).Bytes()
		assert.Equal(t, c.want, string(got), "%+v", c.part)
	}
}

func TestPlural(t *testing.T) {
	for n, want := range map[uint64]string{0: "zero", 1: "one", 2: "two", 3: "few", 11: "many", 100: "other",
		103: "few",
		211: "many", 1000000: "other", 1000003: "few"} {
		assert.Equal(t, want, arabic.Plural(n), "%d", n)
	}
}

func TestMessage(t *testing.T) {
	texts := Texts{Language: "de", Domain: orders.Table.Taxonomy.Domain, Format: german, Codes: []Text{
		{Code: "ORDER_NOT_FOUND", Message: []Part{{Text: "Bestellung "}, {Field: "id"}, {Text: " fehlt"}},
			Resolution: "Prüfen Sie die Nummer."},
	}}
	notFound := orders.Table.Public(orders.NewOrderNotFound().WithID("o-2"))
	message, ok := texts.Message(notFound)
	assert.True(t, ok)
	assert.Equal(t, "Bestellung o-2 fehlt", message)
	assert.Equal(t, "Prüfen Sie die Nummer.", texts.Resolution(notFound))

	for _, v := range []taxonomy.PublicView{{}, orders.Table.Public(orders.NewTooMany())} {
		_, ok = texts.Message(v)
		assert.False(t, ok)
		assert.Empty(t, texts.Resolution(v))
	}
	texts.Domain = "other.example.com"
	_, ok = texts.Message(notFound)
	assert.False(t, ok, "a code of another taxonomy")
}
