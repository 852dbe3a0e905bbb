package recovery_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/errgen/errgen/gen/errs"
	"github.com/errgen/errgen/runtime/detect"
	"github.com/errgen/errgen/runtime/executor/recovery"
)

type instant struct{}

func (instant) Now() time.Time { return time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC) }

func (instant) Sleep(context.Context, time.Duration) error { return nil }

// The handler calls the operation again, as the reaction to its failure specifies.
func Example() {
	h, err := recovery.NewHandler(recovery.Config{
		Table: errs.Table, Classify: detect.Classifier(errs.Explain), Clock: instant{},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	calls := 0
	out := h.Handle(context.Background(), recovery.Op{
		Name: "list issues", Source: "github",
		Do: func(context.Context) error {
			if calls++; calls < 3 {
				return errors.New("HTTP 503 Service Unavailable")
			}
			return nil
		},
	})
	fmt.Println(out.Success(), out.Recovered, out.Calls)
	// Output: true true 3
}
