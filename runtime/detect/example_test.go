package detect_test

import (
	"encoding/json"
	"fmt"
	"net"
	"os"
	"syscall"

	"github.com/errgen/errgen/gen/errs"
	"github.com/errgen/errgen/runtime/detect"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// A generated package classifies a failure by its evidence, and explains the result.
func Example() {
	refused := os.NewSyscallError("connect", syscall.ECONNREFUSED)
	ev := detect.Of(fmt.Errorf("save: %w", &net.OpError{Op: "dial", Net: "tcp", Err: refused}))
	fmt.Println(ev.Type, ev.Errno, ev.Attribute("operation"))

	ev = detect.Of(json.RawMessage(`{"error": {"type": "overloaded_error", "message": "Overloaded"}}`))
	ev.Source, ev.Op, ev.Status = "anthropic-api", "call", 529
	fmt.Println(taxonomy.CodeOf(errs.Classify(ev)))
	fmt.Println(errs.Explain(ev).Outcome)
	// Output:
	// network ECONNREFUSED dial
	// PROVIDER_API_ERROR
	// matched
}
