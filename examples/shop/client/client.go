// Package client calls the shop's HTTP API.
package client

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"

	"github.com/errgen/errgen/runtime/problem"
	"shop.example.com/shop/client/errs"
)

// Order is an order.
type Order struct {
	ID          string   `json:"id"`
	Items       []string `json:"items"`
	AmountCents int64    `json:"amount_cents"`
	Card        string   `json:"card,omitempty"`
	State       string   `json:"state,omitempty"`
}

// Client calls the service at URL. Its errors are those of package errs.
type Client struct {
	URL  string
	HTTP *http.Client
}

// Place places an order.
func (c *Client) Place(ctx context.Context, o Order) error {
	body, err := json.Marshal(o)
	if err != nil {
		return err
	}
	return c.call(ctx, http.MethodPost, "/orders", bytes.NewReader(body), nil)
}

// Ensure places an order unless one with its number exists. So a call without an answer can be
// repeated.
func (c *Client) Ensure(ctx context.Context, o Order) error {
	if err := c.Place(ctx, o); !errors.Is(err, errs.CodeOrderExists) {
		return err
	}
	return nil
}

// Get returns an order.
func (c *Client) Get(ctx context.Context, id string) (o Order, err error) {
	err = c.call(ctx, http.MethodGet, "/orders/"+url.PathEscape(id), nil, &o)
	return o, err
}

func (c *Client) call(ctx context.Context, method, path string, body io.Reader, out any) error {
	req, err := http.NewRequestWithContext(ctx, method, c.URL+path, body)
	if err != nil {
		return err
	}
	resp, err := c.HTTP.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if err := problem.Read(resp, errs.Table); err != nil || out == nil {
		return err
	}
	return json.NewDecoder(resp.Body).Decode(out)
}
