package wire

import (
	"errors"
	"net/http"
	"net/url"
	"strings"
)

// CheckAddress returns what is wrong with the address of a server. The error goes on after the
// words for whose it is, and has nothing of the address, which can hold a secret.
func CheckAddress(address string) error {
	u, err := url.Parse(address)
	switch {
	case err != nil:
		return errors.New("cannot be read")
	case u.Scheme != "http" && u.Scheme != "https" || u.Host == "":
		return errors.New("must begin with https:// or http:// and name a host")
	case u.User != nil || u.RawQuery != "" || u.Fragment != "":
		return errors.New("must have neither user, query nor fragment")
	}
	return nil
}

// CheckKey returns what is wrong with an API key, without saying anything of it. An empty one is
// not wrong.
func CheckKey(key string) error {
	if strings.ContainsFunc(key, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return errors.New("the key has characters that no key has")
	}
	return nil
}

// Client returns a client like the given one, nil being the zero one, that does not follow
// redirects: they would take the key with them.
func Client(like *http.Client) *http.Client {
	client := http.Client{}
	if like != nil {
		client = *like
	}
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &client
}
