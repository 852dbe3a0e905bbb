package state

import (
	"strings"
	"unicode/utf8"
)

// keeper keeps so many bytes of a text that comes piece by piece.
type keeper struct {
	kept  []byte
	limit int
	atEnd bool // whether the end is kept, and not the beginning
}

func fromBeginning(limit int) *keeper { return &keeper{limit: limit} }
func fromEnd(limit int) *keeper       { return &keeper{limit: limit, atEnd: true} }

func (k *keeper) rune(c rune) {
	var b [utf8.UTFMax]byte
	for _, b := range b[:utf8.EncodeRune(b[:], c)] {
		k.byte(b)
	}
}

func (k *keeper) byte(b byte) {
	if !k.atEnd && len(k.kept) >= k.limit {
		return
	}
	k.kept = append(k.kept, b)
	if k.atEnd && len(k.kept) >= 2*k.limit { // only now and then, so that it takes little time
		k.kept = k.kept[:copy(k.kept, k.kept[len(k.kept)-k.limit:])]
	}
}

func (k *keeper) String() string { return strings.ToValidUTF8(string(k.kept), "\uFFFD") }
