package shop

import "testing"

func TestTotal(t *testing.T) {
	if got := (Order{Prices: []int{150, 250}}).Total(); got != 400 {
		t.Errorf("the total is %d, not 400", got)
	}
}
