package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/errgen/errgen/gen/errs"
	"github.com/errgen/errgen/runtime/detect"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// incidents causes real failures and classifies each of them. The only hints are the source and the
// operation.
func (s *story) incidents() {
	s.title("What fails outside is classified, and says why")
	api, err := serveFailures()
	if !s.check(err) {
		return
	}
	s.answer("the API is asked too often", api.url+"/limited")
	s.answer("the API has too much to do", api.url+"/overloaded")
	s.answer("the account is empty", api.url+"/unpaid")
	s.check(api.server.Close())
	s.incident("a process says nothing and exits", run("exit 3"), detect.WithSource(errs.SourceClaudeCLI),
		detect.WithOp(taxonomy.OpName("call")))
	s.incident("a process has reached its limit", run("echo 'Claude usage limit reached' >&2; exit 1"),
		detect.WithSource(errs.SourceClaudeCLI), detect.WithOp(taxonomy.OpName("call")))
	s.incident("a process only talks about limits", run("echo 'wrote the chapter on rate limits' >&2; exit 1"),
		detect.WithSource(errs.SourceClaudeCLI), detect.WithOp(taxonomy.OpName("call")))
	_, err = os.ReadFile("no/such/aidf.yml")
	s.incident("the configuration is not there", err, detect.WithSource(errs.SourceConfig),
		detect.WithOp(taxonomy.OpName("load_config")))
	s.line("a cancelled call stays what it is: %v", errs.Classify(fmt.Errorf("call: %w", context.Canceled)))
}

// answer asks for url and classifies what comes back.
func (s *story) answer(what, url string) {
	client := http.Client{Timeout: time.Minute}
	resp, err := client.Get(url)
	if !s.check(err) {
		return
	}
	s.incident(what, resp, detect.WithSource(errs.SourceAnthropicAPI), detect.WithOp(taxonomy.OpName("call")))
	s.check(resp.Body.Close())
}

// incident prints the code of a failure, its reaction, and the rules that matched.
func (s *story) incident(what string, raw any, opts ...detect.Option) {
	err := errs.Classify(raw, opts...)
	s.line("%s:", what)
	s.line("  %s, %s", taxonomy.CodeOf(err), describe(errs.Table.Reaction(err)))
	s.line("  %v", err)
	if wait, ok := taxonomy.HintsOf(err).RetryAfter.Get(); ok {
		s.line("  to wait: %s", wait)
	}
	why := errs.Explain(raw, opts...)
	if why.Rule == nil {
		s.line("  because no rule matched")
		return
	}
	s.line("  because of %s {%s}", why.Rule.Name, why.Rule.Doc)
	var others []string
	for _, r := range why.RunnersUp {
		others = append(others, r.Name)
	}
	if others != nil {
		s.line("  and not %s", strings.Join(others, ", "))
	}
}

// run runs a script of the shell, and returns how it failed.
func run(script string) error {
	_, err := exec.Command("sh", "-c", script).Output()
	return err
}

// failingAPI is a server of this machine's own.
type failingAPI struct {
	server *http.Server
	url    string
}

// serveFailures starts an API that answers with errors only, in the forms that real ones have.
func serveFailures() (*failingAPI, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("serve failures: %w", err)
	}
	mux := http.NewServeMux()
	mux.HandleFunc("/limited", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Retry-After", "30")
		refuse(w, http.StatusTooManyRequests,
			`{"type":"error","error":{"type":"rate_limit_error","message":"This request would exceed your rate `+
				`limit."}}`)
	})
	mux.HandleFunc("/overloaded", func(w http.ResponseWriter, _ *http.Request) {
		refuse(w, 529, `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`)
	})
	mux.HandleFunc("/unpaid", func(w http.ResponseWriter, _ *http.Request) {
		refuse(w, http.StatusTooManyRequests,
			`{"error":{"type":"insufficient_quota","code":"insufficient_quota","message":"You exceeded your current `+
				`quota."}}`)
	})
	api := &failingAPI{server: &http.Server{Handler: mux, ReadHeaderTimeout: time.Minute},
		url: "http://" + listener.Addr().String()}
	go func() {
		if err := api.server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			fmt.Fprintln(os.Stderr, "serve failures:", err)
		}
	}()
	return api, nil
}

func refuse(w http.ResponseWriter, status int, body string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = io.WriteString(w, body) // the client may have disconnected
}
