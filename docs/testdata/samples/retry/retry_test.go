package payerr_test

import (
	"context"
	"errors"
	"fmt"
	"io"

	payerr "example.com/shop/retry"
	"github.com/errgen/errgen/runtime/retry"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// The Go of docs/retry.md.
func Example() {
	calls := 0
	busy := func(context.Context) error {
		calls++
		return &taxonomy.Evidence{Status: 429}
	}
	fmt.Println(pay(context.Background(), busy), calls)
	fmt.Println(pay(context.Background(), func(context.Context) error { return payerr.NewCardDeclined() }))
	fmt.Println(payOnce(context.Background(), func(context.Context) error { return io.ErrUnexpectedEOF }))
	// Output:
	// parked after 4 calls: 4 calls, stopped by max_attempts: the gateway is busy 4
	// the card was declined
	// unexpected EOF
}

func payOnce(ctx context.Context, call func(context.Context) error) error {
	err := retry.Do(ctx, call, retry.ByTable(payerr.Table), retry.NotIdempotent())
	if errors.Is(err, taxonomy.AlreadyDone) {
		return nil
	}
	return err
}

func pay(ctx context.Context, call func(context.Context) error) error {
	err := retry.Do(ctx, call, retry.ByTable(payerr.Table))
	if failed, ok := errors.AsType[*retry.Error](err); ok && failed.Reaction.Action == taxonomy.Block {
		return fmt.Errorf("parked after %d calls: %w", failed.Calls, err)
	}
	return err
}
