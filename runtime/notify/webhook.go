package notify

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/errgen/errgen/runtime/detect"
	"github.com/errgen/errgen/runtime/internal/text"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// WebhookConfig says where messages are posted. The URL and the values of the header are treated as
// secrets: no error shows them.
type WebhookConfig struct {
	// Name names the channel; "webhook" unless set.
	Name string
	// URL is where to post, http or https.
	URL string
	// Header is sent with each message, for example an Authorization.
	Header http.Header
	// Limit is how long one message may take; 0 leaves it to the notifier.
	Limit time.Duration
	// Body makes what is posted, for services with a form of their own; nil posts the message as
	// JSON.
	Body func(Message) ([]byte, error)
	// Transport sends the requests; nil is one like net/http's default that keeps no connection
	// open.
	Transport http.RoundTripper
}

// webhook posts messages.
type webhook struct {
	config  WebhookConfig
	client  *http.Client
	secrets []string
}

// maxResponse bounds what is read of a response, in bytes.
const maxResponse = 64 << 10

// NewWebhook returns a channel that posts each message. An answer other than 2xx is an error. A
// redirect is followed only to the same scheme and host, and only if the message is sent along (307
// and 308).
func NewWebhook(c WebhookConfig) (Channel, error) {
	c.Name = cmp.Or(c.Name, "webhook")
	u, err := url.Parse(c.URL)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, &taxonomy.Evidence{
			Source: "notify", Op: "notify", Type: "invalid",
			Text:       "the address of the webhook is not an http or https URL",
			Attributes: map[string]string{"resource": c.Name},
		}
	}
	c.Header = c.Header.Clone()
	if c.Transport == nil {
		t := http.DefaultTransport.(*http.Transport).Clone()
		t.DisableKeepAlives = true
		c.Transport = t
	}
	return &webhook{
		config:  c,
		client:  &http.Client{Transport: c.Transport, CheckRedirect: sameHost},
		secrets: secretsOf(u, c.Header),
	}, nil
}

var errRedirect = errors.New("the webhook redirects to where the message must not go")

// sameHost refuses redirects that would give the header to somebody else, or drop the message.
func sameHost(next *http.Request, via []*http.Request) error {
	first := via[0]
	if len(via) > 3 || next.URL.Host != first.URL.Host || next.URL.Scheme != first.URL.Scheme ||
		next.Method != first.Method {
		return errRedirect
	}
	return nil
}

// Name returns the configured name.
func (w *webhook) Name() string { return w.config.Name }

// Send posts the message.
func (w *webhook) Send(ctx context.Context, m Message) error {
	if w.config.Limit > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, w.config.Limit)
		defer cancel()
	}
	body, err := w.body(m)
	if err != nil {
		return fmt.Errorf("make the webhook's body: %w", err)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, w.config.URL, bytes.NewReader(body))
	if err != nil {
		return w.unsent(err)
	}
	for name, values := range w.config.Header {
		req.Header[name] = values
	}
	if req.Header.Get("Content-Type") == "" {
		req.Header.Set("Content-Type", "application/json")
	}
	resp, err := w.client.Do(req)
	if err != nil {
		return w.unsent(err)
	}
	defer resp.Body.Close()
	return w.answered(resp)
}

func (w *webhook) body(m Message) ([]byte, error) {
	if w.config.Body != nil {
		return w.config.Body(m)
	}
	return json.Marshal(m)
}

// unsent is the evidence of a request without an answer. The error of net/http names the URL, the
// one in it does not.
func (w *webhook) unsent(err error) error {
	var request *url.Error
	if errors.As(err, &request) {
		err = request.Err
	}
	ev := detect.Of(err)
	ev.Text = w.hide(ev.Text)
	if ev.Text != "" && w.hide(err.Error()) != err.Error() {
		ev.Err = nil
	}
	return &ev
}

// answered returns nil for an answer that says that the message was taken.
func (w *webhook) answered(resp *http.Response) error {
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxResponse))
	if resp.StatusCode/100 == 2 {
		return nil
	}
	ev := &taxonomy.Evidence{Status: resp.StatusCode}
	detect.Header(ev, resp.Header)
	if err == nil {
		detect.Body(ev, []byte(w.hide(string(body))))
	}
	ev.Text = text.OneLine(ev.Text, maxText)
	for name, value := range ev.Attributes {
		ev.Attributes[name] = w.hide(value)
	}
	return ev
}

// hide masks the webhook's secrets in a text that may repeat them.
func (w *webhook) hide(text string) string {
	for _, secret := range w.secrets {
		text = strings.ReplaceAll(text, secret, taxonomy.Redacted)
	}
	return text
}

// secretsOf returns what must not be shown: all of a URL but its host, and the values of a header.
func secretsOf(u *url.URL, header http.Header) []string {
	password, _ := u.User.Password()
	secrets := []string{u.String(), u.RequestURI(), strings.Trim(u.Path, "/"), u.RawQuery, password, u.User.Username()}
	for part := range strings.SplitSeq(u.Path, "/") {
		if len(part) >= 16 { // longer than words are
			secrets = append(secrets, part)
		}
	}
	for _, values := range u.Query() {
		secrets = append(secrets, values...)
	}
	for _, values := range header {
		for _, value := range values {
			_, credential, _ := strings.Cut(value, " ") // after "Bearer"
			secrets = append(secrets, value, credential)
		}
	}
	// What is as short as a word would be found in any text, and is no secret.
	const least = 6
	out := secrets[:0]
	for _, s := range secrets {
		if len(s) >= least {
			out = append(out, s)
		}
	}
	return out
}
