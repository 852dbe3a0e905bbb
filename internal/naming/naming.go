package naming

import (
	"go/token"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Exported returns the exported Go identifier for a name: statusCode becomes StatusCode, id becomes
// ID. ok is false when the name cannot become one: it is empty, begins with a digit or a letter
// that has no capital, or holds characters that no identifier may.
func Exported(name string) (ident string, ok bool) {
	ident, ok = Suffix(name)
	first, _ := utf8.DecodeRuneInString(ident)
	return ident, ok && unicode.IsUpper(first)
}

// Suffix is Exported for a name that will stand behind a prefix (Code, New, the type of an enum):
// it may begin with a digit, or with a letter that has no capital.
func Suffix(name string) (ident string, ok bool) {
	words, ok := split(name)
	if !ok {
		return "", false
	}
	return pascal(words), true
}

// Unexported returns the name in lowerCamel: StatusCode becomes statusCode, APIKey becomes apiKey.
// It may be a reserved word; see [Param]. ok is false when the name cannot become an identifier.
func Unexported(name string) (ident string, ok bool) {
	words, ok := split(name)
	if !ok {
		return "", false
	}
	ident = strings.ToLower(words[0]) + pascal(words[1:])
	return ident, token.IsIdentifier(ident) || token.IsKeyword(ident)
}

// Param returns the name as a parameter of a generated function. It is never a keyword, a
// predeclared identifier, or a name that the body of such a function uses. ok is false when the
// name cannot become an identifier.
func Param(name string) (ident string, ok bool) {
	ident, ok = Unexported(name)
	if ok && Reserved(ident) {
		ident += "Value"
	}
	return ident, ok
}

// Snake returns the name in snake_case, as part of a file's name; ok is false when the name has no
// words.
func Snake(name string) (snake string, ok bool) {
	words, ok := split(name)
	return strings.ToLower(strings.Join(words, "_")), ok
}

// IsExported reports whether text is, as it stands, an exported Go identifier.
func IsExported(text string) bool {
	return token.IsIdentifier(text) && token.IsExported(text)
}

func pascal(words []string) string {
	var b strings.Builder
	for _, w := range words {
		b.WriteString(title(w))
	}
	return b.String()
}
