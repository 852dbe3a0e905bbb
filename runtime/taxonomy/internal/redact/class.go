package redact

// Classes of bytes, as bits.
const (
	Short    = 1 << iota // ASCII that a JSON string escapes by a backslash and a letter; must be 1
	Long                 // other ASCII that encoding/json escapes in a string
	NonASCII             // part of a longer rune, or no UTF-8
	Trigger              // may give a secret away
)

// Class holds the classes of each byte.
var Class = [256]uint8{
	2, 2, 2, 2, 2, 2, 2, 2, 1, 1, 1, 2, 1, 1, 2, 2,
	2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2,
	0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 8, 8, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 8, 0, 2, 8, 2, 0,
	0, 0, 8, 0, 0, 0, 0, 0, 0, 8, 8, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 8,
	0, 0, 8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4,
	4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4,
	4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4,
	4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4,
	4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4,
	4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4,
	4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4,
	4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4,
}

// block is how many bytes are looked at together.
const block = 8

// ClassOf returns all the classes of the first 8 bytes of s, which must have as many.
func ClassOf[T string | []byte](s T) uint8 {
	w := s[:block]
	return Class[w[0]] | Class[w[1]] | Class[w[2]] | Class[w[3]] | Class[w[4]] | Class[w[5]] | Class[w[6]] | Class[w[7]]
}

// Has reports whether s has a byte of one of the classes.
func Has[T string | []byte](s T, classes uint8) bool {
	if len(s) < block {
		any := uint8(0)
		for i := range len(s) {
			any |= Class[s[i]]
		}
		return any&classes != 0
	}
	for i := 0; len(s)-i > block; i += block {
		if ClassOf(s[i:])&classes != 0 {
			return true
		}
	}
	return ClassOf(s[len(s)-block:])&classes != 0
}
