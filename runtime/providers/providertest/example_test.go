package providertest_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/errgen/errgen/runtime/providers/providertest"
)

// A server plays real failures, one for each request.
func Example() {
	server := providertest.NewServer(
		providertest.Fixture("anthropic/overloaded"),
		providertest.Fixture("anthropic/rate_limit").With("Retry-After", "5"),
	)
	defer server.Close()
	for range 2 {
		resp, err := http.Post(server.URL, "application/json", strings.NewReader("{}"))
		if err != nil {
			fmt.Println(err)
			return
		}
		body, _ := io.ReadAll(resp.Body)
		resp.Body.Close()
		fmt.Println(resp.StatusCode, resp.Header.Get("Retry-After"), strings.Contains(string(body), "overloaded_error"))
	}
	// Output:
	// 529  true
	// 429 5 false
}
