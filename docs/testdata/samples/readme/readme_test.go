package errs_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"

	errs "example.com/shop/readme"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// The Go of README.md.
func Example() {
	cause := errors.New("dial tcp: connection refused")
	slog.SetDefault(slog.New(slog.NewTextHandler(os.Stdout, &slog.HandlerOptions{ReplaceAttr: withoutTime})))

	err := errs.NewStoreDown().WithCause(cause)     // one allocation; a missing field does not compile
	fmt.Println(errors.Is(err, errs.CodeStoreDown)) // true, also if err is wrapped
	fmt.Println(taxonomy.IsRetryable(err))          // true
	fmt.Println(errs.Table.Reaction(err).Action)    // retry
	b, _ := json.Marshal(err)                       // {"name":"ServerError","category":"server","code":"STORE_DOWN",…}
	back, _ := errs.UnmarshalError(b)               // the same type, code and context
	slog.Error("no item", "err", back)              // structured, secrets masked

	// Output:
	// true
	// true
	// retry
	// level=ERROR msg="no item" err.name=ServerError err.category=server err.code=STORE_DOWN err.message="database is down" err.retryable=true err.context="{}" err.cause.message="dial tcp: connection refused"
}

func withoutTime(_ []string, a slog.Attr) slog.Attr {
	if a.Key == slog.TimeKey {
		return slog.Attr{}
	}
	return a
}
