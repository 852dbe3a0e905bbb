package naming

import "strings"

import "go/token"

var predeclared = setOf(`
	any bool byte comparable complex64 complex128 error float32 float64 int int8 int16 int32 int64 rune
	string uint uint8 uint16 uint32 uint64 uintptr true false iota nil append cap clear close complex copy
	delete imag len make max min new panic print println real recover`)

// used are the names that generated functions use: imported packages, receivers and locals.
var used = setOf(`
	taxonomy gen detect time json slog fmt context errors slices maps strconv strings bytes testing assert
	require a b c d e f i j k m n o p r s t v w ok err dst buf ctx definition base init main
	ev detection leads ruleIs fromEvidence cmp code cause list`)

// Fixed are the exported names that a generated package may have, now or with a later errgen.
var Fixed = strings.Fields(`
	Attach Categories Category CategoryOf Check Checks Classify ClassifyEvidence Explain Recover Strategies Table
	UnmarshalError`)

// Reserved reports whether ident must not name a parameter: a keyword, a predeclared identifier, or
// a name that generated functions use themselves.
func Reserved(ident string) bool {
	return token.IsKeyword(ident) || predeclared[ident] || used[ident] || ident == "_"
}

// Predeclared reports whether ident is predeclared by Go.
func Predeclared(ident string) bool { return predeclared[ident] }
