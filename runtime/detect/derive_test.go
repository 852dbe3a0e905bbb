package detect_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/errgen/errgen/runtime/detect"
)

func TestStatusInText(t *testing.T) {
	for _, c := range []struct {
		text string
		want int
	}{
		{"404 Not Found", 404},
		{"404 not found: /repos/x", 404},
		{"  503 Service Unavailable\nretry", 503},
		{"429: slow down", 429},
		{"502 {\"error\":1}", 502},
		{"529", 529},
		{"529\n", 529},
		{"500\r\nx", 500},
		{"503 Service Temporarily Unavailable", 503},
		{"422 Unprocessable Content", 422},
		{"HTTP 503", 503},
		{"HTTP/1.1 503 whatever", 503},
		{"HTTP/2 429", 429},
		{"http: 418", 418},
		{"status 502", 502},
		{"Status: 502 from upstream", 502},
		{"request failed with status code 429", 429},
		{"request failed (status code: 429)", 429},
		{"got statusCode=500, giving up", 500},
		{"the server answered (status 502)", 502},
		{"HTTP error 503", 503},
		{"HTTP status code: 404", 404},
		{"HTTP error code 404", 404},
		{`{"status": 403, "message": "no"}`, 403},
		{"line 120, then HTTP 404", 404},

		{"", 0},
		{"4", 0},
		{"429 tests passed", 0},
		{"404 files changed", 0},
		{"404 Not Foundation", 0},
		{"404 Service Unavailable", 0},
		{"line 404", 0},
		{"error on line 500: oops", 0},
		{"took 503 ms", 0},
		{"status code", 0},
		{"exit status 404", 0},
		{"exit status: 500", 0},
		{"status 4040", 0},
		{"status 200", 0},
		{"status 399", 0},
		{"HTTP 600", 0},
		{"status 500,000", 0},
		{"status 500.5", 0},
		{"status 450ms", 0},
		{"status404", 0},
		{"HTTPS 404", 0},
		{"https://host:404/x", 0},
		{"http/x 404", 0},
		{"error 404", 0},
		{"code 404", 0},
		{"error code 404", 0},
		{"a404", 0},
		{"1404 Not Found", 0},
		{"-404", 0},
		{"1.404", 0},
		{"404é", 0},
		{"404-beta", 0},
		{"127.0.0.1:503 refused", 0},
		{"12:04:04.500 all is well", 0},
		{"not here\n404 Not Found", 0},
		{"not here\nHTTP 503", 0},
		{strings.Repeat(" x", 140) + " HTTP 503", 0},
	} {
		assert.Equal(t, c.want, detect.DerivedStatus(c.text), c.text)
	}
}
