package mcperr_test

import (
	"context"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/errgen/errgen/runtime/internal/booking"
	"github.com/errgen/errgen/runtime/mcperr"
)

// BenchmarkServer is the cost of the middleware for a tool that succeeds, without the protocol.
func BenchmarkServer(b *testing.B) {
	result := &mcp.CallToolResult{}
	call := mcperr.Server(booking.Table)(func(context.Context, string, mcp.Request) (mcp.Result, error) {
		return result, nil
	})
	b.ReportAllocs()
	for b.Loop() {
		if _, err := call(b.Context(), "tools/call", nil); err != nil {
			b.Fatal(err)
		}
	}
}
