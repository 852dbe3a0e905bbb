// Package mcperr sends and reads errors over the Model Context Protocol. A server and a client each
// add one middleware:
//
//	server.AddReceivingMiddleware(mcperr.Server(errs.Table))
//	client.AddSendingMiddleware(mcperr.Client(errs.Table, errs.SourceTools, mcperr.Servers(tools.Table)))
//
// A tool that fails has a result with isError. Its content is the public message, for the model.
// Its _meta has the public JSON of the error, for programs: code, message, retryable, context and
// so on. The generated parseError of TypeScript reads it. structuredContent is absent, because
// clients compare it with the schema of successful results.
package mcperr

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/errgen/errgen/runtime/internal/wire"
	"github.com/errgen/errgen/runtime/taxonomy"
)

const callTool = "tools/call"

type options struct {
	onError func(ctx context.Context, operation string, err error)
	servers []taxonomy.Table
}

// Option configures [Server] and [Client].
type Option func(*options)

// OnError sets the function that receives each error of a server, classified and with all its
// causes. operation is the name of the tool, otherwise the method. The function report.Log returns
// such a function. By default, slog.Default logs internal errors, but not those of requests that
// the client cancelled.
func OnError(f func(ctx context.Context, operation string, err error)) Option {
	return func(o *options) { o.onError = f }
}

func optionsOf(opts []Option) *options {
	o := new(options)
	for _, option := range opts {
		option(o)
	}
	return o
}

// Server returns a receiving middleware that answers with the public view of the errors and panics
// of all tools. The table classifies errors of other taxonomies; an error that no rule matches gets
// the fallback's code. Resources and prompts have no results that are errors: they answer with
// JSON-RPC errors that have the public message, and the JSON in data.
//
// These are sent unchanged: a *jsonrpc.Error that no error wraps, and a result for which a tool
// itself set IsError.
// Arguments that do not match the schema of a tool keep the SDK's text in the content. They are
// evidence of the source "mcp" with the type "invalid_arguments"; if no rule gives it a public
// code, _meta is absent.
func Server(t taxonomy.Table, opts ...Option) mcp.Middleware {
	o := optionsOf(opts)
	return func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
			result, err := callNext(ctx, next, method, req)
			toolResult, _ := result.(*mcp.CallToolResult) // nil for other methods
			if err == nil && toolResult != nil {
				err = toolResult.GetError()
			}
			if wire.IsNil(err) {
				return result, nil
			}
			if _, typed := taxonomy.First(err, nil); !typed {
				if _, sent := err.(*jsonrpc.Error); sent { //nolint:errorlint // a wrapper has internal text
					return result, err
				}
			}
			return o.answer(ctx, t, method, req, toolResult, err)
		}
	}
}

func callNext(ctx context.Context, next mcp.MethodHandler, method string, req mcp.Request) (r mcp.Result, err error) {
	defer func() {
		if v := recover(); v != nil {
			r, err = nil, taxonomy.PanicEvidence(v)
		}
	}()
	return next(ctx, method, req)
}

// invalidArguments is the beginning of the SDK's error for arguments that do not match the schema.
const invalidArguments = `validating "arguments": `

// answer reports err, and returns the answer to a request that failed with it. toolResult is nil
// unless the SDK called a tool.
func (o *options) answer(ctx context.Context, t taxonomy.Table, method string, req mcp.Request,
	toolResult *mcp.CallToolResult, err error) (mcp.Result, error) {
	operation := method
	if p, ok := req.GetParams().(*mcp.CallToolParamsRaw); ok {
		operation = p.Name
	}
	var content []mcp.Content
	if toolResult != nil && strings.HasPrefix(err.Error(), invalidArguments) && errors.Unwrap(err) == nil {
		ev := &taxonomy.Evidence{Source: "mcp", Type: "invalid_arguments", Text: err.Error()}
		classified := t.Classify(ev)
		if !isPublic(t, classified) {
			return toolResult, nil
		}
		content, err = toolResult.Content, classified
	}
	view, err := wire.PublicView(ctx, t, err)
	switch {
	case o.onError != nil:
		o.onError(ctx, operation, err)
	case errors.Is(err, context.Canceled) && ctx.Err() != nil: // by the client
	case !isPublic(t, err):
		wire.LogFailed(ctx, "call failed", err, slog.String("op", operation))
	}
	if method != callTool {
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: view.Message(), Data: view.AppendJSON(nil)}
	}
	if content == nil {
		content = []mcp.Content{&mcp.TextContent{Text: view.Message()}}
	}
	return &mcp.CallToolResult{IsError: true, Content: content, Meta: meta(view)}, nil
}

// isPublic reports whether the public view of an error has the code of the error.
func isPublic(t taxonomy.Table, err error) bool {
	return taxonomy.CodeOf(err) != "" && t.Public(err).Code() == taxonomy.CodeOf(err)
}

// meta returns the public JSON of an error. Fields of 64 bits are texts of digits, because clients
// decode _meta to floating-point numbers. The decoders of Go and TypeScript read them.
func meta(v taxonomy.PublicView) mcp.Meta {
	m := make(mcp.Meta)
	d := json.NewDecoder(bytes.NewReader(v.AppendJSON(nil)))
	d.UseNumber()
	if d.Decode(&m) != nil {
		return nil
	}
	delete(m, "cause")
	if context, ok := m["context"].(map[string]any); ok && v.Err() != nil {
		quoteWide(context, v.Err().Taxonomy().Fields(v.Row()))
	}
	return m
}

// quoteWide replaces the 64-bit numbers of an object by texts of their digits.
func quoteWide(object map[string]any, fields []taxonomy.Field) {
	for _, f := range fields {
		switch value := object[f.Name].(type) {
		case json.Number:
			if f.Type == "int64" || f.Type == "uint64" {
				object[f.Name] = value.String()
			}
		case map[string]any:
			quoteWide(value, f.Fields)
		case []any:
			for _, element := range value {
				if o, ok := element.(map[string]any); ok {
					quoteWide(o, f.Fields)
				}
			}
		}
	}
}
