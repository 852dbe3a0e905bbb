package payerr_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"

	payerr "example.com/shop/classification"
	"github.com/errgen/errgen/runtime/detect"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// The Go of docs/classification.md.
func Example() {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Retry-After", "30")
		w.WriteHeader(http.StatusTooManyRequests)
	}))
	defer server.Close()
	fmt.Println(charge(context.Background(), server.Client(), server.URL, strings.NewReader("{}")))

	fmt.Println(booked(errors.New("exit status 1"), "ledger: rate limit exceeded"))

	fmt.Print(strings.SplitAfterN(explain(io.EOF), "\n", 2)[0])

	dir, err := os.MkdirTemp("", "")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	classify, err := openClassifier(filepath.Join(dir, "unmatched.jsonl"))
	if err != nil {
		panic(err)
	}
	fmt.Println(taxonomy.CodeOf(classify(io.EOF)))
	// Output:
	// too many payments, retry after 30s
	// too many payments
	// PAYMENT_FAILED (payment): payment failed: EOF
	// PAYMENT_FAILED
}

func charge(ctx context.Context, client *http.Client, url string, body io.Reader) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url, body)
	if err != nil {
		return err
	}
	resp, err := client.Do(req)
	if err != nil {
		return payerr.Classify(err, detect.WithSource(payerr.SourceStripe))
	}
	defer resp.Body.Close()
	if resp.StatusCode >= 400 {
		return payerr.Classify(resp, detect.WithSource(payerr.SourceStripe))
	}
	return nil
}

func booked(err error, stderr string) error {
	ev := detect.Of(err) // the exit code or the signal
	ev.Source, ev.Text = "ledger", stderr
	return payerr.ClassifyEvidence(&ev)
}

func explain(err error) string {
	return payerr.Explain(err, detect.WithSource(payerr.SourceStripe)).String()
}

func openClassifier(path string) (func(error) error, error) {
	record, err := detect.OpenRecord(path, detect.RecordOptions{})
	if err != nil {
		return nil, err
	}
	return func(err error) error {
		return payerr.Classify(err, detect.WithSource(payerr.SourceStripe), detect.OnUnmatched(record))
	}, nil
}
