// Package httpcall calls HTTP APIs. A failure of any kind is an error of a taxonomy, and calls are
// repeated as the reaction of the error specifies.
//
//	c := httpcall.New(errs.Table, errs.SourceCalendar)
//	event, err := httpcall.JSON[Event](ctx, c, "GET", url, nil)
package httpcall

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"time"

	"github.com/errgen/errgen/runtime/internal/edge"
	"github.com/errgen/errgen/runtime/problem"
	"github.com/errgen/errgen/runtime/retry"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// KeyHeader is the header of an idempotency key. A server that supports it carries out requests with
// the same key only once.
const KeyHeader = "Idempotency-Key"

const (
	// defaultTimeout limits a try if no option does.
	defaultTimeout = 30 * time.Second
	// maxJSON limits the bodies that JSON decodes, and maxDrained the rest of a body that is read so
	// that the connection can be used again.
	maxJSON    = 64 << 20
	maxDrained = 64 << 10
)

// Client calls one API. It is safe for concurrent use.
type Client struct {
	table   taxonomy.Table
	source  string
	http    *http.Client
	timeout time.Duration
	servers []taxonomy.Table
	retry   []retry.Option
}

// Option configures [New].
type Option func(*Client)

// WithHTTP sets the client that sends the requests. The default is [http.DefaultClient].
func WithHTTP(h *http.Client) Option { return func(c *Client) { c.http = h } }

// TryTimeout limits each try, from its connection to the end of its body. The default is 30 seconds,
// and 0 is no limit. The context of a request limits all tries together.
func TryTimeout(d time.Duration) Option { return func(c *Client) { c.timeout = d } }

// WithRetry passes options to [retry.Do], such as [retry.WithBreaker] and [retry.WithNotify].
func WithRetry(opts ...retry.Option) Option {
	return func(c *Client) { c.retry = append(c.retry, opts...) }
}

// Servers sets the tables of the services behind the API. Their errors are decoded from problem
// documents. An error of another table is then classified by the rules of the client's table.
func Servers(tables ...taxonomy.Table) Option {
	return func(c *Client) { c.servers = append(c.servers, tables...) }
}

// New returns a client whose failures have the source, and are classified by the table.
func New(t taxonomy.Table, source taxonomy.Declared[taxonomy.SourceName], opts ...Option) *Client {
	c := &Client{table: t, source: source.String(), http: http.DefaultClient, timeout: defaultTimeout}
	for _, option := range opts {
		option(c)
	}
	return c
}

// Do sends a request, and repeats it as the table specifies. Err is nil if the status is below 400;
// then the caller closes the body of the response. Otherwise the response is nil, and err wraps the
// error of the table; see [retry.Error].
//
// A POST, a PATCH and a request of an unknown method without [KeyHeader] are not idempotent, unless
// [WithRetry] has [retry.Idempotent]. They are repeated only if the request was not sent, or if the
// code of the failure declares the effect none; see [retry.NotIdempotent]. A body is sent again
// through GetBody; a request with a body but without GetBody is sent once.
func (c *Client) Do(req *http.Request) (*http.Response, error) {
	var answer *http.Response
	err := c.do(req, func(resp *http.Response) (kept bool, err error) {
		answer = resp
		return true, nil
	})
	return answer, err
}

// JSON sends in as JSON, and returns the response decoded from JSON. If in is nil, the request has no
// body. If the response has no body, the result is the zero T. A body that is cut or malformed is a
// failure of the try: evidence of the type "network" or "malformed". The functions of edit change the
// request, for example its headers. If in cannot be encoded or the URL is invalid, err has no code.
func JSON[T any](ctx context.Context, c *Client, method, url string, in any,
	edit ...func(*http.Request)) (out T, err error) {
	var body io.Reader
	if in != nil {
		b, err := json.Marshal(in)
		if err != nil {
			return out, fmt.Errorf("encode request: %w", err)
		}
		body = bytes.NewReader(b)
	}
	req, err := http.NewRequestWithContext(ctx, method, url, body)
	if err != nil {
		return out, fmt.Errorf("make request: %w", err)
	}
	req.Header.Set("Accept", "application/json, application/problem+json")
	if in != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	for _, change := range edit {
		change(req)
	}
	err = c.do(req, func(resp *http.Response) (bool, error) {
		ctx := resp.Request.Context() // of the try
		b, err := io.ReadAll(io.LimitReader(resp.Body, maxJSON+1))
		switch {
		case err != nil:
			return false, c.broken(ctx, "network", err)
		case len(b) > maxJSON:
			return false, c.broken(ctx, "malformed", fmt.Errorf("body exceeds %d bytes", maxJSON))
		case len(b) == 0:
			return false, nil
		}
		var decoded T
		if err := json.Unmarshal(b, &decoded); err != nil {
			return false, c.broken(ctx, "malformed", fmt.Errorf("decode response: %w", err))
		}
		out = decoded
		return false, nil
	})
	return out, err
}

// Key sets the idempotency key of a request of [JSON].
func Key(key string) func(*http.Request) {
	return func(r *http.Request) { r.Header.Set(KeyHeader, key) }
}

// ended adds the end of ctx to an error that is its cause, which net/http returns in its place.
func ended(ctx context.Context, err error) error {
	if ctx.Err() != nil && errors.Is(err, context.Cause(ctx)) && !errors.Is(err, ctx.Err()) {
		return fmt.Errorf("%w: %w", ctx.Err(), err)
	}
	return err
}

// broken returns the failure of a response that cannot be read.
func (c *Client) broken(ctx context.Context, kind string, err error) error {
	err = ended(ctx, err)
	if timeout, ok := errors.AsType[net.Error](err); ok && timeout.Timeout() {
		kind = "timeout"
	}
	if errors.Is(err, context.Canceled) {
		return err
	}
	return edge.Classify(c.table, c.source, &taxonomy.Evidence{Source: c.source, Type: kind, Err: err})
}

// do makes the tries of a request. handle receives a response below 400, and reports whether it
// keeps the body.
func (c *Client) do(req *http.Request, handle func(resp *http.Response) (kept bool, err error)) error {
	replayable := req.Body == nil || req.Body == http.NoBody || req.GetBody != nil
	tries := 0
	idempotence := retry.ForMethod(req.Method, req.Header.Get(KeyHeader))
	err := retry.Do(req.Context(), func(ctx context.Context) error {
		tries++
		err := c.try(ctx, req, tries, handle)
		if !replayable {
			return retry.Permanent(err)
		}
		return err
	}, append([]retry.Option{retry.ByTable(c.table), idempotence}, c.retry...)...)
	if tries == 0 && req.Body != nil {
		_ = req.Body.Close() // as net/http does for each request
	}
	return err
}

// try sends the request once.
func (c *Client) try(ctx context.Context, req *http.Request, n int,
	handle func(resp *http.Response) (kept bool, err error)) error {
	cancel := context.CancelFunc(func() {})
	if c.timeout > 0 {
		ctx, cancel = context.WithTimeout(ctx, c.timeout)
	}
	kept := false
	defer func() {
		if !kept {
			cancel()
		}
	}()
	sent := req.WithContext(ctx)
	if n > 1 && req.GetBody != nil {
		body, err := req.GetBody()
		if err != nil {
			return fmt.Errorf("send the body again: %w", err)
		}
		sent.Body = body
	}
	resp, err := c.http.Do(sent)
	if err != nil {
		return edge.Classify(c.table, c.source, ended(ctx, err))
	}
	if resp.StatusCode >= http.StatusBadRequest {
		err := c.failure(resp)
		drain(resp.Body)
		return err
	}
	body := resp.Body
	resp.Body = &cancelling{body, cancel}
	if kept, err = handle(resp); !kept {
		drain(body)
	}
	return err
}

// failure returns the error of a response.
func (c *Client) failure(resp *http.Response) error {
	return edge.Classify(c.table, c.source, problem.Read(resp, c.servers...))
}

// drain reads a small rest of a body, so that its connection can be used again.
func drain(body io.ReadCloser) {
	_, _ = io.CopyN(io.Discard, body, maxDrained)
	_ = body.Close()
}

// cancelling is the body of a response that ends the try when it is closed.
type cancelling struct {
	io.ReadCloser
	cancel context.CancelFunc
}

func (c *cancelling) Close() error {
	defer c.cancel()
	return c.ReadCloser.Close()
}
