// Package shop is a small shop.
package shop

// Order is the order of a customer.
type Order struct {
	// Prices are the prices of its items, in cents.
	Prices []int
}

// Total returns the price of the order, in cents.
func (o Order) Total() int {
	total := 0
	for _, price := range o.Prices {
		total += price
	}
	return total
}
