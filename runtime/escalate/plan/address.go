package plan

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"strconv"
	"strings"
	"unicode"

	"github.com/errgen/errgen/runtime/internal/text"
)

// HostPort returns what an [Address] is connected to as host:port: the port of an http or https URL
// without one is 80 or 443. The error says what to write instead, and shows nothing of the name,
// which may hold a password.
func (p Prerequisite) HostPort() (string, error) {
	name := p.Name
	if scheme, _, ok := strings.Cut(name, "://"); ok {
		u, err := url.Parse(name)
		if err != nil {
			return "", errors.New("the URL cannot be read: write it as https://host or https://host:port")
		}
		port := u.Port()
		switch {
		case port != "":
		case u.Scheme == "http":
			port = "80"
		case u.Scheme == "https":
			port = "443"
		}
		if u.Scheme != "http" && u.Scheme != "https" {
			return "", fmt.Errorf("it has the scheme %s: use http or https, or host:port", text.Quote(scheme, maxShown))
		}
		return joined(u.Hostname(), port)
	}
	host, port, err := net.SplitHostPort(name)
	if err != nil {
		return "", errors.New("it has no port: write it as host:port, [address]:port or an http or https URL")
	}
	return joined(host, port)
}

func joined(host, port string) (string, error) {
	if host == "" || len(host) > 255 || strings.ContainsFunc(host, notInHost) {
		return "", errors.New("it has no host that can be connected to: write it as host:port")
	}
	if n, err := strconv.ParseUint(port, 10, 16); err != nil || n == 0 {
		return "", errors.New("the port is none: use a number from 1 to 65535")
	}
	return net.JoinHostPort(host, port), nil
}

func notInHost(r rune) bool {
	return unicode.IsSpace(r) || !unicode.IsPrint(r) || strings.ContainsRune("/@?#\\", r)
}

// holdsPassword reports whether an address that can be used has one.
func holdsPassword(name string) bool {
	u, err := url.Parse(name)
	if err != nil || u.User == nil {
		return false
	}
	_, set := u.User.Password()
	return set
}
