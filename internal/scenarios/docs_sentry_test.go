package scenarios_test

import (
	"bufio"
	"cmp"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/getsentry/sentry-go"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/gen/errs"
	"github.com/errgen/errgen/runtime/report"
)

// sentrySink sends errors to Sentry, which groups them by code. docs/reports.md shows it.
type sentrySink struct{ hub *sentry.Hub }

func (s sentrySink) Report(o *report.Occurrence) {
	event := sentry.NewEvent()
	event.Level, event.Message = sentry.LevelError, o.Message
	event.Fingerprint = []string{o.Domain, o.Code}
	event.Tags["error.type"] = cmp.Or(o.Code, "_OTHER")
	s.hub.CaptureEvent(event)
}

func (sentrySink) Update(*report.Occurrence) {}
func (sentrySink) Retried(report.Retry)      {}

// An error reaches Sentry's protocol with its code as fingerprint and error.type, without secrets.
func TestSentry(t *testing.T) {
	type event struct {
		Message     string
		Fingerprint []string
		Tags        map[string]string
	}
	events := make(chan event, 2)
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		lines := bufio.NewScanner(r.Body) // an envelope: its header, the header of the event, the event
		for n := 0; lines.Scan(); n++ {
			if n == 2 {
				var e event
				assert.NoError(t, json.Unmarshal(lines.Bytes(), &e))
				events <- e
			}
		}
	}))
	defer server.Close()
	client, err := sentry.NewClient(sentry.ClientOptions{
		Dsn: strings.Replace(server.URL, "http://", "http://key@", 1) + "/1", Transport: sentry.NewHTTPSyncTransport()})
	require.NoError(t, err)
	defer client.Close()
	sink := sentrySink{sentry.NewHub(client, sentry.NewScope())}

	for _, reply := range []string{"busy", "api_key=" + strings.Repeat("a1b2", 8)} {
		err := errs.NewProviderAPIError("anthropic", reply)
		sink.Report(report.New(err, report.Options{Table: errs.Table}))
	}
	require.True(t, client.Flush(time.Minute))
	for range 2 {
		e := <-events
		assert.Equal(t, []string{errs.Table.Taxonomy.Domain, "PROVIDER_API_ERROR"}, e.Fingerprint)
		assert.Equal(t, "PROVIDER_API_ERROR", e.Tags["error.type"])
		assert.Contains(t, e.Message, "anthropic")
		assert.NotContains(t, e.Message, "a1b2a1b2")
	}
}
