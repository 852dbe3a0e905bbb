package negotiate_test

import (
	"fmt"

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
