package taxonomy

import (
	"strings"

	"github.com/errgen/errgen/runtime/taxonomy/internal/redact"
)

// NamesSecret reports whether the value of an attribute, a header or a field is a secret because of
// its name, such as "password", "X-Api-Key", "clientSecret", "smtp_pass", "Set-Cookie" or "dsn". The
// last word of the name counts, without a number at its end. A word begins after a byte that is no
// letter and no digit, and at a capital after a small letter.
func NamesSecret(name string) bool {
	return redact.IsSecretKey(strings.TrimRight(name[max(0, len(name)-maxWord):], "-_. 0123456789"))
}
