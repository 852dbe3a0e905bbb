package taxonomy

import (
	"strings"

	"github.com/errgen/errgen/runtime/internal/redact"
)

// Redact returns s with likely secrets masked: known kinds of keys and tokens, private keys,
// credentials in headers and URLs, and the values of keys such as password or api_key. It is for
// text of unknown origin that goes to a person or a log. It leaves prose readable, so it does not
// find every secret; SECURITY.md lists the limits. Redacting twice changes nothing. The time is
// linear.
func Redact(s string) string { return redact.Scrub(s) }

// IsSecretName reports whether the value of an attribute, a header or a field is a secret because
// of its name, such as "password", "X-Api-Key", "clientSecret", "smtp_pass", "Set-Cookie" or "dsn".
// The last word of the name counts, without a number at its end. A word begins after a byte that is
// no letter and no digit, and at a capital after a small letter.
func IsSecretName(name string) bool {
	return redact.IsSecretKey(strings.TrimRight(name[max(0, len(name)-maxWord):], "-_. 0123456789"))
}
