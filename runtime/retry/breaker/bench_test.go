package breaker_test

import (
	"context"
	"testing"
	"time"

	"github.com/errgen/errgen/runtime/retry"
	"github.com/errgen/errgen/runtime/retry/breaker"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// BenchmarkGate compares a Do that succeeds at once without a gate, and with one whose lane no
// policy, or one, bounds.
func BenchmarkGate(b *testing.B) {
	op := func(context.Context) error { return nil }
	p := taxonomy.Policy{Name: "p", Budget: &taxonomy.Budget{
		Retries: 0.2, Reserve: 3, Window: 10 * s,
		Breaker: &taxonomy.Breaker{Failures: 5, Of: 10, Probe: 5 * s, Successes: 1},
	}}
	gates := breaker.New(breaker.Options{})
	gates.Leave("bounded", "me", retry.CallEnd{Failed: true, Policy: &p})
	ctx := b.Context()
	for _, c := range []struct {
		name string
		f    func()
	}{
		{"do", func() { _ = retry.Do(ctx, p, op) }},
		{"do_at_gate", func() { _ = retry.Do(ctx, p, op, retry.WithGate(gates, "free", "me")) }},
		{"do_at_bounded_gate", func() { _ = retry.Do(ctx, p, op, retry.WithGate(gates, "bounded", "me")) }},
		{"enter_and_leave", func() {
			_, _ = gates.Enter(ctx, "bounded", "me", time.Now())
			gates.Leave("bounded", "me", retry.CallEnd{})
		}},
		{"retry", func() { gates.Retry("bounded", &p) }},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				c.f()
			}
		})
	}
}

func TestGateAllocatesNothing(t *testing.T) {
	op := func(context.Context) error { return nil }
	p := policy("p", taxonomy.Breaker{Failures: 5})
	gates := breaker.New(breaker.Options{})
	gates.Leave("lane", "me", bad(p))
	ctx := t.Context()
	if n := testing.AllocsPerRun(
		100, func() { _ = retry.Do(ctx, *p, op, retry.WithGate(gates, "lane", "me")) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
