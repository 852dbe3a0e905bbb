package redact

// A class is a set of bytes, one or more bits of [classes].
type class uint32

const (
	digit class = 1 << iota
	small
	capital
	hyphen
	underscore
	dot
	plus // also the slash
	equals
	pathMark
	blank
	tab
	lineBreak
	quote
	backslash
	parameter // of a color code, beside the digits
	delimiter // of unquoted values, beside white space, quotes and backslashes
	endStart  // may begin an end of a value, see [ends]
)

const (
	letter     = small | capital
	alnum      = letter | digit
	upperDigit = capital | digit
	base64std  = alnum | plus
	base64url  = alnum | hyphen | underscore
	dotted     = base64url | dot
	urlPath    = dotted | plus | equals | pathMark
	pemLine    = base64std | equals | lineBreak | backslash
	space      = blank | tab
	// Control characters do not end a value, because the rest of a secret would stay in clear.
	terminator = space | lineBreak | quote | backslash | delimiter
)

// classes holds the classes of each byte.
var classes [256]class

func init() {
	for class, bytes := range map[class]string{
		digit: "0123456789", small: "abcdefghijklmnopqrstuvwxyz", capital: "ABCDEFGHIJKLMNOPQRSTUVWXYZ",
		hyphen: "-", underscore: "_", dot: ".", plus: "+/", equals: "=", pathMark: "@%~",
		blank: " ", tab: "\t", lineBreak: "\n\r", quote: "\"'`", backslash: `\`, parameter: ";:",
		delimiter: "\v\f\x1b,;&()]{}<>|",
		endStart:  Mask[:1] + Ellipsis[:1] + pemBegin[:1],
	} {
		for _, c := range []byte(bytes) {
			classes[c] |= class
		}
	}
}

func (k class) has(c byte) bool { return classes[c]&k != 0 }

// skipWhile returns the index of the first byte at or after i that is not in the class.
func skipWhile(s string, i int, k class) int {
	for i < len(s) && classes[s[i]]&k != 0 {
		i++
	}
	return i
}
