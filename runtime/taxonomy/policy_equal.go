package taxonomy

// Equal reports whether two policies say the same, in all that they point to as well.
func (p *Policy) Equal(q *Policy) bool {
	a, b := *p, *q
	a.Adapt, a.Budget, b.Adapt, b.Budget = nil, nil, nil, nil
	return a == b && equal(p.Adapt, q.Adapt) && p.Budget.equal(q.Budget)
}

func (b *Budget) equal(c *Budget) bool {
	if b == nil || c == nil {
		return b == c
	}
	x, y := *b, *c
	x.Breaker, y.Breaker = nil, nil
	return x == y && equal(b.Breaker, c.Breaker)
}

// equal compares what two pointers point to.
func equal[T comparable](a, b *T) bool {
	if a == nil || b == nil {
		return a == b
	}
	return *a == *b
}
