// Package naming turns the names of a taxonomy into Go identifiers. Names come in every common
// spelling (snake_case, kebab-case, dotted, camelCase, UPPER_SNAKE) and leave as what a Go
// programmer would have written: PROVIDER_API_ERROR becomes ProviderAPIError, user_ids becomes
// UserIDs.
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

var predeclared = setOf(`
	any bool byte comparable complex64 complex128 error float32 float64 int int8 int16 int32 int64 rune
	string uint uint8 uint16 uint32 uint64 uintptr true false iota nil append cap clear close complex copy
	delete imag len make max min new panic print println real recover`)

// used are the names that generated functions use: imported packages, receivers and locals.
var used = setOf(`
	taxonomy gen detect time json slog fmt context errors slices maps strconv strings bytes testing assert
	require a b c d e f i j k m n o p r s t v w ok err dst buf ctx definition base errgenSummary init main
	ev detection leads ruleIs fromEvidence cmp code cause list`)

// Fixed are the exported names that a generated package may have, now or with a later errgen.
var Fixed = strings.Fields(`
	Attach Categories Category CategoryOf Check Checks Classify ClassifyEvidence Examples Explain Recover Strategies
	Table UnmarshalError`)

// Reserved reports whether ident must not name a parameter: a keyword, a predeclared identifier, or
// a name that generated functions use themselves.
func Reserved(ident string) bool {
	return token.IsKeyword(ident) || predeclared[ident] || used[ident] || ident == "_"
}

// Predeclared reports whether ident is predeclared by Go.
func Predeclared(ident string) bool { return predeclared[ident] }
