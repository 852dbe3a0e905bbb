package notify_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/executor/notify"
	"github.com/errgen/errgen/runtime/taxonomy"
)

const (
	hookPath = "/services/T0SECRETPATH99/x?token=query-secret"
	hookAuth = "Bearer header-secret"
)

// hook returns a webhook to a server, with secrets in path, query and header.
func hook(t *testing.T, base string) notify.Channel {
	t.Helper()
	c, err := notify.NewWebhook(notify.WebhookConfig{
		Name: "chat", URL: base + hookPath, Header: http.Header{"Authorization": {hookAuth}},
	})
	require.NoError(t, err)
	return c
}

// notified sends a message through the channel and returns its evidence, after looking for secrets
// in all its forms.
func notified(t *testing.T, c notify.Channel) *taxonomy.Evidence {
	t.Helper()
	r := ended(executor.EndFatal, "git", "GIT_REVERT_FAILED", "git revert failed")
	err := (&notify.Notifier{Routes: []notify.Route{{Channel: c}}}).Notify(t.Context(), r)
	if err == nil {
		return nil
	}
	ev := joined(t, err)[0]
	assert.Equal(t, "chat", ev.Attribute("resource"))
	cause := fmt.Sprintf("%v", ev.Err)
	b, jsonErr := json.Marshal(ev)
	require.NoError(t, jsonErr)
	for _, shown := range []string{err.Error(), cause, string(b), fmt.Sprintf("%+v", ev), ev.Text,
		fmt.Sprint(ev.Attributes)} {
		for _, secret := range []string{"T0SECRETPATH99", "query-secret", "header-secret"} {
			assert.NotContains(t, shown, secret)
		}
	}
	return ev
}

func TestWebhook(t *testing.T) {
	var got map[string]any
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		assert.Equal(t, http.MethodPost, r.Method)
		assert.Equal(t, hookPath, r.URL.RequestURI())
		assert.Equal(t, hookAuth, r.Header.Get("Authorization"))
		assert.Equal(t, "application/json", r.Header.Get("Content-Type"))
		assert.NoError(t, json.NewDecoder(r.Body).Decode(&got))
		w.WriteHeader(http.StatusNoContent)
	}))
	defer server.Close()
	assert.Nil(t, notified(t, hook(t, server.URL)))
	assert.Equal(t, "[GIT] Task failed: git revert failed", got["text"])
	assert.Equal(t, "git", got["category"])
	assert.Equal(t, "GIT_REVERT_FAILED", got["code"])
}

func TestWebhookRefuses(t *testing.T) {
	other := httptest.NewServer(
		http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("the other host was asked") }))
	defer other.Close()
	tests := []struct {
		name   string
		answer func(w http.ResponseWriter, r *http.Request)
		status int
		text   string
	}{
		{"unauthorized", func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Retry-After", "7")
			w.WriteHeader(http.StatusUnauthorized)
			_, _ = fmt.Fprintf(w, "%s with %s may not post to %s", r.Header.Get("Authorization"), "x", r.URL)
		}, 401, "may not post"},
		{"endless answer", func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusInternalServerError)
			for range 1 << 12 {
				if _, err := io.WriteString(w, strings.Repeat("x", 1<<10)); err != nil {
					return
				}
			}
		}, 500, "x"},
		{"redirect", func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, other.URL+r.URL.String(), http.StatusTemporaryRedirect)
		}, 307, "307"},
		{"no HTTP", func(w http.ResponseWriter, _ *http.Request) {
			conn, _, err := w.(http.Hijacker).Hijack()
			if assert.NoError(t, err) {
				_, _ = io.WriteString(conn, "hello query-secret header-secret\r\n")
				_ = conn.Close()
			}
		}, 0, "malformed"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			server := httptest.NewServer(http.HandlerFunc(tt.answer))
			defer server.Close()
			ev := notified(t, hook(t, server.URL))
			require.NotNil(t, ev)
			assert.Equal(t, tt.status, ev.Status)
			assert.Contains(t, ev.Error(), tt.text)
			assert.LessOrEqual(t, len(ev.Text), 1000)
		})
	}
}

func TestWebhookCannotBeReached(t *testing.T) {
	const unused = "127.0.0.1:1" // no port that anybody is given
	ev := notified(t, hook(t, "http://user:header-secret@"+unused))
	assert.Equal(t, "network", ev.Type)
}

// A server that does not answer: the limit of the notifier ends the request.
func TestWebhookTimeout(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // or the server does not see that the client left
		<-r.Context().Done()
	}))
	defer server.Close()
	n := &notify.Notifier{Limit: 50 * time.Millisecond, Routes: []notify.Route{{Channel: hook(t, server.URL)}}}
	ev := joined(t, n.Notify(t.Context(), ended(executor.EndFatal, "", "", "")))[0]
	assert.Equal(t, "timeout", ev.Type)
	assert.ErrorIs(t, ev, context.DeadlineExceeded)
}

func TestWebhookForms(t *testing.T) {
	var got, form string
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		got, form = string(b), r.Header.Get("Content-Type")
	}))
	defer server.Close()
	broken := errors.New("broken")
	var fails error
	c, err := notify.NewWebhook(notify.WebhookConfig{
		URL: server.URL, Header: http.Header{"Content-Type": {"text/plain"}},
		Body: func(m notify.Message) ([]byte, error) { return []byte("say " + m.Text), fails },
	})
	require.NoError(t, err)
	assert.Equal(t, "webhook", c.Name)
	require.NoError(t, c.Send(t.Context(), notify.Message{Text: "hello"}))
	assert.Equal(t, "say hello", got)
	assert.Equal(t, "text/plain", form)
	fails = broken
	assert.ErrorIs(t, c.Send(t.Context(), notify.Message{}), broken)
}

func TestWebhookAddresses(t *testing.T) {
	for _, address := range []string{"", "hooks.example.org/x-secret", "ftp://h/x-secret", "http:///x-secret",
		"http://h\n/x-secret", "file:///x-secret"} {
		_, err := notify.NewWebhook(notify.WebhookConfig{Name: "chat", URL: address})
		var ev *taxonomy.Evidence
		require.ErrorAs(t, err, &ev, address)
		assert.Equal(t, "chat", ev.Attribute("resource"))
		assert.NotContains(t, err.Error(), "secret")
	}
}
