package wire

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestCheckAddress(t *testing.T) {
	for address, want := range map[string]string{
		"https://host/v1":             "",
		"http://127.0.0.1:80":         "",
		"localhost:1":                 "must begin with https:// or http:// and name a host",
		"https://":                    "must begin with https:// or http:// and name a host",
		"ftp://host":                  "must begin with https:// or http:// and name a host",
		"https://user:secret@host/v1": "must have neither user, query nor fragment",
		"https://host/v1?key=secret":  "must have neither user, query nor fragment",
		"https://host/v1#secret":      "must have neither user, query nor fragment",
		"https://ho st:secret":        "cannot be read",
	} {
		err := CheckAddress(address)
		if want == "" {
			assert.NoError(t, err, address)
			continue
		}
		assert.EqualError(t, err, want, address)
	}
}

func TestCheckKey(t *testing.T) {
	for _, key := range []string{"", "sk-0123", "ollama"} {
		assert.NoError(t, CheckKey(key), "%q", key)
	}
	for _, key := range []string{"sk\n", "a b", "kéy", "\x7f"} {
		assert.EqualError(t, CheckKey(key), "the key has characters that no key has", "%q", key)
	}
}

func TestClientDoesNotFollowRedirects(t *testing.T) {
	like := &http.Client{Timeout: time.Minute}
	for given, timeout := range map[*http.Client]time.Duration{nil: 0, like: time.Minute} {
		client := Client(given)
		assert.Equal(t, timeout, client.Timeout)
		require.NotNil(t, client.CheckRedirect)
		assert.ErrorIs(t, client.CheckRedirect(nil, nil), http.ErrUseLastResponse)
	}
	assert.Nil(t, like.CheckRedirect, "that of the caller is not changed")
}
