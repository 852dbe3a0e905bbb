package problem_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/errgen/errgen/runtime/internal/orders"
	"github.com/errgen/errgen/runtime/problem"
)

// discard is a ResponseWriter without a connection.
type discard struct{ header http.Header }

func (d *discard) Header() http.Header         { return d.header }
func (d *discard) Write(b []byte) (int, error) { return len(b), nil }
func (d *discard) WriteHeader(int)             {}

// BenchmarkWrite compares Write with a handler that encodes the same document by hand.
func BenchmarkWrite(b *testing.B) {
	r := httptest.NewRequest(http.MethodGet, "/orders/7", nil)
	r.Header.Set("Accept", "application/json")
	err := orders.NewOrderNotFound().WithID("7").WithShard("s3")
	b.Run("Write", func(b *testing.B) {
		w := &discard{http.Header{}}
		for b.Loop() {
			clear(w.header)
			problem.Write(w, r, err)
		}
	})
	b.Run("by hand", func(b *testing.B) {
		type byHand struct {
			Type      string `json:"type"`
			Title     string `json:"title"`
			Status    int    `json:"status"`
			Detail    string `json:"detail"`
			Instance  string `json:"instance"`
			Domain    string `json:"domain"`
			Code      string `json:"code"`
			Retryable bool   `json:"retryable"`
			Context   struct {
				ID string `json:"id"`
			} `json:"context"`
		}
		w := &discard{http.Header{}}
		for b.Loop() {
			clear(w.header)
			doc := byHand{Type: help + "ORDER_NOT_FOUND", Title: "There is no such order", Status: 404,
				Detail: "no order " + err.ID.Or(""), Instance: r.URL.Path, Domain: "orders.example",
				Code: "ORDER_NOT_FOUND"}
			doc.Context.ID = err.ID.Or("")
			body, _ := json.Marshal(doc)
			w.Header().Set("Content-Type", problem.ContentType)
			w.Header().Set("X-Content-Type-Options", "nosniff")
			w.Header().Add("Vary", "Accept")
			w.WriteHeader(doc.Status)
			_, _ = w.Write(body)
		}
	})
}
