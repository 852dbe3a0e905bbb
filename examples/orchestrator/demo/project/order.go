// Package shop is a small shop.
package shop

// Order is what a customer wants to buy.
type Order struct {
	// Prices are those of its items, in cents.
	Prices []int
}

// Total returns what the order costs, in cents.
func (o Order) Total() int {
	total := 0
	for _, price := range o.Prices {
		total += price
	}
	return total
}
