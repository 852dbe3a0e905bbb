package taxonomy_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/errgen/errgen/gen/errs"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// ReplaceAttr logs the typed error in a wrapped one, and keeps the text of the whole error.
func ExampleReplaceAttr() {
	var log bytes.Buffer
	handler := slog.NewJSONHandler(&log, &slog.HandlerOptions{ReplaceAttr: taxonomy.ReplaceAttr})
	record := slog.NewRecord(time.Time{}, slog.LevelError, "failed", 0) // without a time
	record.Add("err", fmt.Errorf("step 3: %w", errs.NewOperationTimeout(90_000)))
	if err := handler.Handle(context.Background(), record); err != nil {
		panic(err)
	}
	text, rest, _ := strings.Cut(log.String(), `,"domain":`)
	_, code, _ := strings.Cut(rest, `"code":`)
	code, _, _ = strings.Cut(code, ",")
	fmt.Printf("%s\n%s\n", text, code)
	// Output:
	// {"level":"ERROR","msg":"failed","err":{"text":"step 3: operation exceeded the limit of 1m30s"
	// "OPERATION_TIMEOUT"
}
