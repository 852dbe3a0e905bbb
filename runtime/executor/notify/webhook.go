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

	"github.com/errgen/errgen/runtime/detect"
	"github.com/errgen/errgen/runtime/internal/text"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// WebhookConfig is where messages are posted. The path and query of the URL and the values of the
// header are secrets: errors do not contain them.
type WebhookConfig struct {
	// Name names the channel; the default is "webhook".
	Name string
	// URL is where to post, http or https.
	URL string
	// Header is sent with each message, for example an Authorization.
	Header http.Header
	// Body returns the body of the request, for services with another format. A nil Body posts the
	// message as JSON.
	Body func(Message) ([]byte, error)
}

// maxResponse bounds how much of a response is read, in bytes.
const maxResponse = 64 << 10

// NewWebhook returns a channel that posts each message. A status other than 2xx is an error;
// redirects are not followed.
func NewWebhook(c WebhookConfig) (Channel, error) {
	c.Name = cmp.Or(c.Name, "webhook")
	u, err := url.Parse(c.URL)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return Channel{}, &taxonomy.Evidence{
			Source: "notify", Op: "notify", Type: "invalid",
			Text:       "the address of the webhook is not an http or https URL",
			Attributes: map[string]string{"resource": c.Name},
		}
	}
	if c.Body == nil {
		c.Body = func(m Message) ([]byte, error) { return json.Marshal(m) }
	}
	header := http.Header{"Content-Type": {"application/json"}}
	for name, values := range c.Header {
		header[http.CanonicalHeaderKey(name)] = values
	}
	w := &webhook{body: c.Body, url: c.URL, header: header, hide: hider(u, header)}
	w.client = &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error {
		return http.ErrUseLastResponse
	}}
	return Channel{c.Name, w.send}, nil
}

type webhook struct {
	client *http.Client
	body   func(Message) ([]byte, error)
	url    string
	header http.Header
	hide   *strings.Replacer // of secrets
}

func (w *webhook) send(ctx context.Context, m Message) error {
	body, err := w.body(m)
	if err != nil {
		return fmt.Errorf("make the webhook's body: %w", err)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, w.url, bytes.NewReader(body))
	if err != nil {
		return w.unsent(err)
	}
	req.Header = w.header.Clone()
	req.Close = true // messages are rare
	resp, err := w.client.Do(req)
	if err != nil {
		return w.unsent(err)
	}
	defer resp.Body.Close()
	if resp.StatusCode/100 == 2 {
		return nil
	}
	answer, _ := io.ReadAll(io.LimitReader(resp.Body, maxResponse))
	ev := &taxonomy.Evidence{Status: resp.StatusCode}
	detect.Header(ev, resp.Header)
	detect.Body(ev, []byte(w.hide.Replace(string(answer))))
	ev.Text = text.OneLine(ev.Text, maxText)
	for name, value := range ev.Attributes {
		ev.Attributes[name] = w.hide.Replace(value)
	}
	return ev
}

// unsent returns evidence of a request without a response. The outer net/http error contains the
// URL, so only the wrapped error is used.
func (w *webhook) unsent(err error) error {
	if outer, ok := errors.AsType[*url.Error](err); ok {
		err = outer.Err
	}
	ev := detect.Of(err)
	ev.Text = w.hide.Replace(ev.Text)
	if w.hide.Replace(err.Error()) != err.Error() {
		ev.Err = nil
	}
	return &ev
}

// hider replaces the path, the query and the password of a URL, and the values of a header. Shorter
// texts than six bytes, which may be words, are kept.
func hider(u *url.URL, header http.Header) *strings.Replacer {
	secrets := append(strings.Split(u.Path, "/"), u.RequestURI(), u.Path, u.RawQuery, u.User.Username())
	password, _ := u.User.Password()
	secrets = append(secrets, password)
	for _, values := range u.Query() {
		secrets = append(secrets, values...)
	}
	for name, values := range header {
		for _, value := range values {
			if name != "Content-Type" {
				_, credential, _ := strings.Cut(value, " ") // after "Bearer"
				secrets = append(secrets, value, credential)
			}
		}
	}
	var pairs []string
	for _, s := range secrets {
		if len(s) >= 6 {
			pairs = append(pairs, s, taxonomy.Redacted)
		}
	}
	return strings.NewReplacer(pairs...)
}
