package mcperr_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/internal/booking"
	"github.com/errgen/errgen/runtime/internal/orders"
	"github.com/errgen/errgen/runtime/mcperr"
	"github.com/errgen/errgen/runtime/taxonomy"
	"github.com/errgen/errgen/runtime/taxonomy/gen"
)

const secret = "hunter2"

type input struct {
	Name string `json:"name"`
}

type output struct {
	Booked bool `json:"booked"`
}

// wire records the messages between a client and a server.
type wire struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (w *wire) Write(b []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.b.Write(b)
}

func (w *wire) take() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	defer w.b.Reset()
	return w.b.String()
}

// connect serves tools that fail with what fail returns, and returns a client's session.
func connect(t *testing.T, table taxonomy.Table, fail func() error, client []mcp.Middleware, opts ...mcperr.Option) (
	*mcp.ClientSession, *wire) {
	t.Helper()
	s := mcp.NewServer(&mcp.Implementation{Name: "rooms", Version: "1"}, nil)
	s.AddReceivingMiddleware(mcperr.Server(table, opts...))
	mcp.AddTool(s, &mcp.Tool{Name: "book"},
		func(context.Context, *mcp.CallToolRequest, input) (*mcp.CallToolResult, output, error) {
			return nil, output{Booked: true}, fail()
		})
	s.AddTool(&mcp.Tool{Name: "raw", InputSchema: map[string]any{"type": "object"}},
		func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) { return nil, fail() })
	s.AddTool(&mcp.Tool{Name: "own", InputSchema: map[string]any{"type": "object"}},
		func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return &mcp.CallToolResult{IsError: true, Content: []mcp.Content{&mcp.TextContent{Text: "no room"}}}, nil
		})
	s.AddResource(&mcp.Resource{URI: "rooms://all", Name: "rooms"},
		func(context.Context, *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) { return nil, fail() })
	here, there := mcp.NewInMemoryTransports()
	served, err := s.Connect(t.Context(), there, nil)
	require.NoError(t, err)
	c := mcp.NewClient(&mcp.Implementation{Name: "agent", Version: "1"}, nil)
	c.AddSendingMiddleware(client...)
	w := &wire{}
	session, err := c.Connect(t.Context(), &mcp.LoggingTransport{Transport: here, Writer: w}, nil)
	require.NoError(t, err)
	t.Cleanup(func() { _, _ = session.Close(), served.Wait() })
	return session, w
}

var book = &mcp.CallToolParams{Name: "book", Arguments: input{Name: "r"}}

// filled returns an error of a row whose fields have values. Texts of internal fields are secret.
func filled(t *testing.T, table taxonomy.Table, row taxonomy.Row) taxonomy.Error {
	t.Helper()
	fields := map[string]any{}
	for _, f := range table.Taxonomy.Fields(row) {
		fields[f.Name] = sample(f)
	}
	b, err := json.Marshal(map[string]any{
		"code": table.Taxonomy.Code(row).Value, "message": "", "retryable": false, "context": fields})
	require.NoError(t, err)
	e, err := gen.Unmarshal(b, table.Taxonomy)
	require.NoError(t, err, "%s", b)
	return e
}

func sample(f taxonomy.Field) any {
	switch f.Type {
	case "int":
		return 7
	case "int64":
		return int64(1<<62 + 1)
	case "uint64":
		return uint64(1<<63 + 1)
	case "float64":
		return 0.25
	case "bool":
		return true
	case "duration":
		return "1m30s"
	case "time":
		return time.Date(2026, 1, 2, 3, 4, 5, 6, time.UTC)
	case "enum":
		return f.Enum[0]
	case "strings":
		return []string{"a", "b"}
	case "json":
		return map[string]any{"x": []int{1}}
	case "violations":
		return []map[string]any{{"field": "items[0]", "description": "is unknown"}}
	case "object", "objects":
		object := map[string]any{}
		for _, part := range f.Fields {
			object[part.Name] = sample(part)
		}
		if f.Type == "objects" {
			return []any{object}
		}
		return object
	}
	if !f.Public {
		return secret
	}
	return "seven"
}

// Each public code arrives as its type with its public context, and each internal code as the public
// fallback. Nothing internal is sent.
func TestRoundTrip(t *testing.T) {
	for _, table := range []taxonomy.Table{orders.Table, booking.Table} {
		var sent error
		quiet := mcperr.OnError(func(context.Context, string, error) {})
		session, w := connect(t, table, func() error { return sent }, nil, quiet)
		public := 0
		for row := range table.Taxonomy.Codes() {
			for _, e := range []taxonomy.Error{filled(t, table, row), table.Taxonomy.New(row, nil)} {
				code := table.Taxonomy.Code(row)
				t.Run(code.Value, func(t *testing.T) {
					sent = fmt.Errorf("book: %w", e)
					w.take()
					result, err := session.CallTool(t.Context(), book)
					require.NoError(t, err)
					bytes := w.take()
					assert.NotContains(t, bytes, secret)
					assert.NotContains(t, bytes, "structuredContent")
					assert.True(t, result.IsError)
					got, ok := mcperr.From(result, table).(taxonomy.Error)
					require.True(t, ok)
					require.NotNil(t, got.Row(), "decoded")
					if !code.Public {
						assert.Equal(t, table.Taxonomy.PublicFallback, taxonomy.CodeOf(got))
						assert.NotContains(t, bytes, code.Value)
						return
					}
					public++
					assert.IsType(t, e, got)
					want, have := taxonomy.Public(e), taxonomy.Public(got)
					assert.Equal(t, string(want.AppendContext(nil)), string(have.AppendContext(nil)))
					assert.Equal(t, want.Code(), have.Code())
					assert.Equal(t, want.Retryable(), have.Retryable())
					assert.Equal(t, want.Effect(), have.Effect())
					assert.Equal(t, want.Message(), result.Content[0].(*mcp.TextContent).Text)
				})
			}
		}
		assert.Greater(t, public, 6)
	}
}

// Errors of other packages, panics and resources become codes, too.
func TestFailures(t *testing.T) {
	for _, tt := range []struct {
		name string
		fail func() error
		want error
		seen error // by OnError
	}{
		{"error of no taxonomy", func() error { return errors.New(secret) },
			booking.CodeInternal, booking.CodeUnexpected},
		{"panic", func() error { panic(secret) }, booking.CodeInternal, booking.CodeUnexpected},
		{"public code", func() error { return booking.NewRoomTaken() }, booking.CodeRoomTaken, booking.CodeRoomTaken},
		{"wrapped error of JSON-RPC", func() error {
			return booking.NewStoreFailed().WithCause(&jsonrpc.Error{Code: 1, Message: secret})
		}, booking.CodeInternal, booking.CodeStoreFailed},
		{"error that wraps an error of JSON-RPC", func() error {
			return fmt.Errorf("password=%s: %w", secret, &jsonrpc.Error{Code: 1, Message: "no room"})
		}, booking.CodeInternal, booking.CodeUnexpected},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var reported []error
			var operations []string
			session, w := connect(t, booking.Table, tt.fail,
				[]mcp.Middleware{mcperr.Client(taxonomy.Table{}, booking.SourceCalendar,
					mcperr.Servers(booking.Table))},
				mcperr.OnError(func(_ context.Context, operation string, err error) {
					operations, reported = append(operations, operation), append(reported, err)
				}))
			_, book := session.CallTool(t.Context(), book)
			_, raw := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "raw"})
			_, read := session.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: "rooms://all"})
			assert.NotContains(t, w.take(), secret)
			for _, err := range []error{book, raw, read} {
				assert.ErrorIs(t, err, tt.want)
			}
			assert.Equal(t, []string{"book", "raw", "resources/read"}, operations)
			for _, err := range reported {
				assert.ErrorIs(t, err, tt.seen)
			}
			if tt.name == "panic" {
				p, ok := errors.AsType[*taxonomy.Panic](reported[0])
				require.True(t, ok)
				assert.Contains(t, string(p.Stack), "TestFailures")
			}
		})
	}
}

// A client's table classifies results of servers without errgen, and failures of the protocol.
func TestClientClassifies(t *testing.T) {
	session, _ := connect(t, booking.Table, func() error { return nil },
		[]mcp.Middleware{mcperr.Client(booking.Table, booking.SourceCalendar)})
	result, err := session.CallTool(t.Context(), book)
	require.NoError(t, err)
	assert.Equal(t, map[string]any{"booked": true}, result.StructuredContent)
	for _, name := range []string{"own", "unknown"} {
		_, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: name})
		assert.ErrorIs(t, err, booking.CodeCalendarRefused, name)
	}
	require.NoError(t, session.Close())
	_, err = session.CallTool(t.Context(), book)
	assert.ErrorIs(t, err, booking.CodeCalendarRefused)
}

// Arguments that do not match the schema keep the text of the SDK for the model, with a code if a
// rule has one.
func TestInvalidArguments(t *testing.T) {
	for _, tt := range []struct {
		table taxonomy.Table
		code  any
	}{{booking.Table, "INVALID"}, {orders.Table, nil}} {
		session, _ := connect(t, tt.table, func() error { t.Error("called"); return nil }, nil)
		result, err := session.CallTool(t.Context(),
			&mcp.CallToolParams{Name: "book", Arguments: map[string]int{"name": 7}})
		require.NoError(t, err)
		assert.True(t, result.IsError)
		assert.Contains(t, result.Content[0].(*mcp.TextContent).Text, "/properties/name")
		assert.Equal(t, tt.code, result.Meta["code"])
	}
}

func TestFrom(t *testing.T) {
	assert.NoError(t, mcperr.From(nil))
	assert.NoError(t, mcperr.From(&mcp.CallToolResult{}))
	other := &mcp.CallToolResult{IsError: true, Content: []mcp.Content{&mcp.TextContent{Text: "no room"}},
		Meta: mcp.Meta{"code": "GONE", "domain": "another.example"}}
	ev, ok := errors.AsType[*taxonomy.Evidence](mcperr.From(other, booking.Table))
	require.True(t, ok)
	assert.Equal(t, &taxonomy.Evidence{Type: "tool", Code: "GONE", Text: "no room"}, ev)
	other.Meta["domain"] = booking.Table.Taxonomy.Domain
	_, ok = errors.AsType[*taxonomy.Unknown](mcperr.From(other, booking.Table))
	assert.True(t, ok, "a code of a later release")
}

// Without OnError, internal errors are logged.
func TestDefaultLog(t *testing.T) {
	var log bytes.Buffer
	before := slog.Default()
	slog.SetDefault(slog.New(slog.NewJSONHandler(&log, nil)))
	defer slog.SetDefault(before)
	failing := func() error { return booking.NewRoomTaken() }
	session, _ := connect(t, booking.Table, func() error { return failing() }, nil)
	_, err := session.CallTool(t.Context(), book)
	require.NoError(t, err)
	assert.Empty(t, log.String())
	failing = func() error { return booking.NewStoreFailed() }
	_, err = session.CallTool(t.Context(), book)
	require.NoError(t, err)
	assert.Contains(t, log.String(), `"op":"book"`)
	assert.Contains(t, log.String(), "STORE_FAILED")
	failing = func() error { panic("lost") }
	_, err = session.CallTool(t.Context(), book)
	require.NoError(t, err)
	assert.Contains(t, log.String(), `"stack":"goroutine`)

	log.Reset()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	read := mcperr.Server(booking.Table)(
		func(ctx context.Context, _ string, _ mcp.Request) (mcp.Result, error) { return nil, ctx.Err() })
	_, err = read(ctx, "resources/read", &mcp.ReadResourceRequest{Params: &mcp.ReadResourceParams{}})
	require.Error(t, err)
	assert.Empty(t, log.String(), "the client cancelled the request")
}
