package negotiate_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/errgen/errgen/runtime/internal/orders"
	"github.com/errgen/errgen/runtime/localize"
	"github.com/errgen/errgen/runtime/localize/negotiate"
)

// Errgen generates the texts, in the package messages below that of the errors.
func Example() {
	french := &localize.Texts{Language: "fr", Domain: orders.Table.Taxonomy.Domain, Codes: []localize.Text{
		{Code: "ORDER_NOT_FOUND", Message: []localize.Part{{Text: "commande inconnue"}}},
	}}
	languages := negotiate.New("en", french)
	v := orders.Table.Public(orders.NewOrderNotFound().WithID("o-2"))
	fmt.Println(languages.Message([]string{"fr-CH, de;q=0.8"}, v))
	fmt.Println(languages.Message([]string{"de"}, v))
	// Output:
	// fr commande inconnue
	// en no order o-2
}

func TestLanguageOfRequest(t *testing.T) {
	text := func(tag string) *localize.Texts {
		return &localize.Texts{Language: tag, Domain: orders.Table.Taxonomy.Domain, Codes: []localize.Text{
			{Code: "ORDER_NOT_FOUND", Message: []localize.Part{{Text: tag}}}}}
	}
	languages := negotiate.New("en", text("de"), text("fr"), text("nb"), text("pt-AO"))
	v := orders.Table.Public(orders.NewOrderNotFound().WithID("o-2"))
	for _, tt := range []struct{ accept, want string }{
		{"", "en"},
		{"*", "en"},
		{"de-AT", "de"},
		{"fr-CH, de;q=0.8", "fr"},
		{"de;q=0.8,fr-CH", "fr"},
		{"de;q=0, fr;q=0.1", "fr"},
		{"xx, de", "de"},
		{"de, zz;q=0.9", "de"},
		{"de, @@@", "de"},
		{"C, de", "de"},
		{"en-XA;q=x, de", "de"},
		{"no", "nb"},
		{"pt-AO", "pt-AO"},
		{"zh-Hant", "en"},
		{strings.Repeat("xx,", 400) + "de", "en"},
	} {
		tag, message := languages.Message([]string{tt.accept}, v)
		assert.Equal(t, tt.want, tag, tt.accept)
		if tag != "en" {
			assert.Equal(t, tag, message)
		}
	}
	tag, _ := languages.Message([]string{"xx", "de"}, v)
	assert.Equal(t, "de", tag, "several headers")
}
