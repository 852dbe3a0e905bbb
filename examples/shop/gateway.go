package main

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"

	"github.com/errgen/errgen/runtime/detect"
	"shop.example.com/shop/client"
	"shop.example.com/shop/errs"
)

// gateway is a client of the payment gateway.
type gateway struct {
	url, key string
	http     *http.Client
}

func (g *gateway) pay(ctx context.Context, o client.Order) error {
	body, err := json.Marshal(map[string]any{"order": o.ID, "cents": o.AmountCents, "card": o.Card})
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, g.url+"/payments", bytes.NewReader(body))
	if err != nil {
		return err
	}
	req.Header.Set("Authorization", "Bearer "+g.key)
	resp, err := g.http.Do(req)
	if err != nil {
		return errs.Classify(err, detect.WithSource(errs.SourceGateway))
	}
	defer resp.Body.Close()
	if resp.StatusCode >= http.StatusBadRequest {
		return errs.Classify(resp, detect.WithSource(errs.SourceGateway))
	}
	return nil
}
