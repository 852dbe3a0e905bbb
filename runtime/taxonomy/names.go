package taxonomy

import (
	"slices"
	"strings"

	"github.com/errgen/errgen/runtime/taxonomy/internal/redact"
)

// NamesSecret reports whether name, of an attribute, a header or a field, says that its value is a
// secret whatever it looks like: "password", "X-Api-Key", "clientSecret", "proxy-authorization",
// "Set-Cookie", "dsn". The last word counts. Words begin after what is no letter, and as a capital
// after a small letter; a number at the end is no word.
func NamesSecret(name string) bool {
	name = strings.TrimRight(name[max(0, len(name)-maxWord):], "-_. 0123456789")
	pair := `"` + name + `":"value"`
	return slices.Contains(secretNames, strings.ToLower(lastWord(name))) || redact.Scrub(pair) != pair
}

// secretNames are last words of names that [Scrub] does not take for those of a secret, because
// prose has them, too.
var secretNames = []string{
	"auth", "authorization", "bearer", "cookie", "cookies", "credential", "credentials", "dsn", "session", "signature",
}

// lastWord returns what is behind the last place in name where a word begins.
func lastWord(name string) string {
	for i := len(name) - 1; i >= 0; i-- {
		switch {
		case !isLetter(name[i]):
			return name[i+1:]
		case i > 0 && isCapital(name[i]) && !isCapital(name[i-1]):
			return name[i:]
		}
	}
	return name
}

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

func isCapital(c byte) bool { return 'A' <= c && c <= 'Z' }
