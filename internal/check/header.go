package check

import (
	"net/url"
	"regexp"
	"strings"
)

var domainForm = regexp.MustCompile(`^[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?$`)

func badDomain(p *pass) {
	if d := p.t.Domain; d.Set && !domainForm.MatchString(d.V) {
		p.report(d.Span, "%q cannot be a domain", d.V).hint(
			"use letters, digits, dots and hyphens, as in errors.example.org")
	}
}

// badHelpURL checks the address with the place of the code filled.
func badHelpURL(p *pass) {
	u := p.t.HelpURL
	if !u.Set {
		return
	}
	rest := strings.ReplaceAll(u.V, "{code}", "CODE")
	if i := strings.IndexAny(rest, "{}"); i >= 0 {
		p.report(u.Span, "help_url knows no placeholder but {code}")
		return
	}
	parsed, err := url.Parse(rest)
	if err != nil || parsed.Scheme == "" || parsed.Host == "" && parsed.Opaque == "" && parsed.Path == "" ||
		strings.ContainsAny(rest, " \t\n") {
		p.report(u.Span, "%q is no address", u.V).hint("write it whole, as in https://example.org/errors/{code}")
	}
}
