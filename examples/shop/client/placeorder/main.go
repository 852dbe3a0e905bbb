// Placeorder places an order, with the packages for clients alone: no internal code, rule or text
// of the service is in the program.
package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"

	"github.com/errgen/errgen/runtime/retry"
	"shop.example.com/shop/client"
	"shop.example.com/shop/client/errs"
)

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: placeorder URL NUMBER")
		os.Exit(2)
	}
	c := &client.Client{URL: os.Args[1], HTTP: http.DefaultClient}
	order := client.Order{ID: os.Args[2], Items: []string{"tea"}, AmountCents: 450, Card: "4242424242424242"}
	place := func(ctx context.Context) error { return c.Ensure(ctx, order) }
	err := retry.Do(context.Background(), place, retry.ByTable(errs.Table))
	switch {
	case errors.Is(err, errs.CodePaymentDeclined):
		fmt.Fprintln(os.Stderr, "pay with another card:", err)
	case err != nil:
		fmt.Fprintln(os.Stderr, err)
	}
	if err != nil {
		os.Exit(1)
	}
}
