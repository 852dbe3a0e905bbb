package mcperr

import (
	"context"
	"encoding/json"
	"errors"
	"strconv"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/errgen/errgen/runtime/internal/edge"
	"github.com/errgen/errgen/runtime/internal/wire"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// Servers sets the tables of the servers that a [Client] calls. Their errors are decoded to their
// types. An error of another table is then classified by the rules of the client's table.
func Servers(tables ...taxonomy.Table) Option {
	return func(o *options) { o.servers = append(o.servers, tables...) }
}

// Client returns a sending middleware that makes each failed call an error of the table: the results
// with IsError, errors of JSON-RPC, and failures of the connection. CallTool then returns no result
// but an error. A table without a classifier leaves the error of [Servers], or evidence.
func Client(t taxonomy.Table, source taxonomy.Declared[taxonomy.SourceName], opts ...Option) mcp.Middleware {
	o := optionsOf(opts)
	return func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
			result, err := next(ctx, method, req)
			if tool, ok := result.(*mcp.CallToolResult); ok && err == nil {
				err = From(tool, o.servers...)
			} else if err != nil {
				err = fromRPC(err, o.servers)
			}
			if err != nil {
				return nil, edge.Classify(t, source.String(), err)
			}
			return result, nil
		}
	}
}

// From returns the error of a result with IsError, and nil for any other: an error of the first table
// whose domain or code is in _meta, otherwise a *[taxonomy.Evidence] with the text of the content. If
// that table does not have the code, the error is a *[taxonomy.Unknown].
func From(r *mcp.CallToolResult, tables ...taxonomy.Table) error {
	if r == nil || !r.IsError {
		return nil
	}
	if raw, err := json.Marshal(r.Meta); err == nil {
		if typed := decode(raw, tables); typed != nil {
			return typed
		}
	}
	var text []string
	for _, c := range r.Content {
		if t, ok := c.(*mcp.TextContent); ok {
			text = append(text, t.Text)
		}
	}
	ev := &taxonomy.Evidence{Type: "tool", Text: strings.Join(text, "\n")}
	ev.Code, _ = r.Meta["code"].(string)
	return ev
}

// fromRPC returns the error of a JSON-RPC error, or err.
func fromRPC(err error, tables []taxonomy.Table) error {
	e, ok := errors.AsType[*jsonrpc.Error](err)
	if !ok {
		return err
	}
	if typed := decode(e.Data, tables); typed != nil {
		return typed
	}
	return &taxonomy.Evidence{Type: "jsonrpc", Code: strconv.FormatInt(e.Code, 10), Text: e.Message, Err: err}
}

// decode returns the error that the JSON of an error describes, or nil.
func decode(raw json.RawMessage, tables []taxonomy.Table) error {
	var parts wire.Parts
	if len(raw) == 0 || json.Unmarshal(raw, &parts) != nil {
		return nil
	}
	if t, ok := parts.Table(tables); ok {
		if e := parts.Error(t); e != nil {
			return e
		}
	}
	return nil
}
