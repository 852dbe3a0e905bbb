package usererr_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"

	usererr "example.com/shop/readme"
	"github.com/errgen/errgen/runtime/retry"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// The Go of README.md.
func Example() {
	ctx, cause := context.Background(), errors.New("no row")
	saves := 0
	save := func(context.Context) error {
		if saves++; saves == 1 {
			return usererr.NewUserLocked("u-17")
		}
		return nil
	}
	slog.SetDefault(slog.New(slog.NewTextHandler(os.Stdout, &slog.HandlerOptions{ReplaceAttr: withoutTime})))

	err := usererr.NewUserLocked("u-17").WithCause(cause) // one allocation; a missing field does not compile

	fmt.Println(errors.Is(err, usererr.CodeUserLocked))          // true, also if err is wrapped
	fmt.Println(taxonomy.IsRetryable(err))                       // true
	fmt.Println(usererr.Table.Reaction(err).Action)              // retry
	b, _ := json.Marshal(err)                                    // {"name":"UserError","category":"user","code":"USER_LOCKED",…}
	back, _ := usererr.UnmarshalError(b)                         // the same type, code and context
	slog.Error("save failed", "err", back)                       // structured, secrets masked
	saveErr := retry.Do(ctx, save, retry.ByTable(usererr.Table)) // calls save up to 3 times, with growing waits

	fmt.Println(saveErr, saves)
	// Output:
	// true
	// true
	// retry
	// level=ERROR msg="save failed" err.name=UserError err.category=user err.code=USER_LOCKED err.message="user u-17 is locked" err.retryable=true err.context.id=u-17 err.cause.message="no row"
	// <nil> 2
}

func withoutTime(_ []string, a slog.Attr) slog.Attr {
	if a.Key == slog.TimeKey {
		return slog.Attr{}
	}
	return a
}
