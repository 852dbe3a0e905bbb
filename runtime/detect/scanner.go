package detect

import (
	"math/bits"
	"slices"
)

// A gram is four neighbouring bytes of a text, with the bit set that distinguishes the cases of
// ASCII letters.
const (
	gramSize = 4
	caseBit  = 0x20
	caseBits = 0x2020202020202020
	highBits = 0x8080808080808080
	gramMul  = 0x9E3779B1
	// filterBits is the size of the filter as a power of two: 16 KiB, half of the nearest cache of
	// a processor.
	filterBits = 17
)

// scanner finds the places of a text where a literal may be. It looks up the gram at every second
// byte in a bitmap, so that nearly all places cost one look-up. Each literal therefore has two
// neighbouring grams. A literal of three or four bytes has a gram for every byte beside it.
type scanner struct {
	filter [1 << filterBits / 64]uint64
	// words masks the index of a word of the filter: with few literals the filter is small.
	words uint32
	sites map[uint32][]site // by gram
}

// site is the place of a gram in a literal.
type site struct {
	literal uint32
	offset  int32 // -1 if the gram begins before the literal
}

// has reports whether the filter passes a gram. It passes every gram of the table, and a few
// others. The mask is s.words, which the loop of scan keeps in a register.
func (s *scanner) has(gram, mask uint32) bool {
	h := gram * gramMul >> (32 - filterBits)
	return s.filter[h>>6&mask&(1<<filterBits/64-1)]>>(h&63)&1 != 0
}

// scan calls c.pass for each place of a text whose gram the filter passes. It reports whether the
// text is ASCII.
func (s *scanner) scan(text string, c *collector) (ascii bool) {
	i, words, all := 0, s.words, uint64(0)
	for ; len(text)-i >= 8; i += 6 {
		v := word64(text[i:i+8]) | caseBits
		all |= v
		if g := uint32(v); s.has(g, words) {
			c.pass(s, text, i, g)
		}
		if g := uint32(v >> 16); s.has(g, words) {
			c.pass(s, text, i+2, g)
		}
		if g := uint32(v >> 32); s.has(g, words) {
			c.pass(s, text, i+4, g)
		}
	}
	for ; i < len(text); i += 2 {
		g := lastGram(text[i:])
		all |= uint64(g)
		if s.has(g, words) {
			c.pass(s, text, i, g)
		}
	}
	return all&highBits == 0
}

// word64 returns the first eight bytes of s as a number. The compiler makes one load of it.
func word64(s string) uint64 {
	_ = s[7]
	return uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
		uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
}

// lastGram returns the gram that s begins with. Bytes after the end of s count as case bits.
func lastGram(s string) uint32 {
	var g uint32
	for i := range min(len(s), gramSize) {
		g |= uint32(s[i]) << (8 * i)
	}
	return g | caseBits&(1<<32-1)
}

// common has words of logs. Their grams are in many texts.
const common = " error errors failed failure failing with from this that the for and not was are has been have " +
	"while could when file files line status code message request response connection connect server " +
	"client timeout timed out after before test tests running info warn warning debug trace level time " +
	"date start started stop invalid unable cannot found exception expected unexpected process command " +
	"exit build package module import type value string number object field function method return null " +
	"https://www. .com .org .go: .js: .ts: .py: 127.0.0.1 localhost: "

// byFrequency has the bytes of logs, the most frequent one first, with the case bit set.
const byFrequency = " etaoinsrlcdupmfghb/.:y-w,v_0k12=(3\"x)4567'89jqz"

// scannerBuilder collects the grams of literals, in their order.
type scannerBuilder struct {
	weights [256]int
	uses    map[uint32]int
	grams   []uint32
	sites   map[uint32][]site
}

// newScanner returns a scanner that finds the literals.
func newScanner(literals []literal) *scanner {
	b := scannerBuilder{uses: map[uint32]int{}, sites: map[uint32][]site{}}
	for i := range len(byFrequency) {
		b.weights[byFrequency[i]] = len(byFrequency) - i
	}
	for i := range len(common) {
		b.uses[lastGram(common[i:])] = 10 // as if ten literals had the gram
	}
	for id := range literals {
		text := literals[id].text
		if len(text) > gramSize {
			first := b.rarest(text)
			b.add(text[first:], site{uint32(id), int32(first)})
			b.add(text[first+1:], site{uint32(id), int32(first + 1)})
			continue
		}
		for beside := range 256 {
			if beside&caseBit != 0 {
				b.add(text+string([]byte{byte(beside)}), site{uint32(id), 0})
				b.add(string([]byte{byte(beside)})+text, site{uint32(id), -1})
			}
		}
	}
	return b.scanner()
}

// rarest returns the place of the two neighbouring grams of a literal that are likely to be the
// rarest in texts and in other literals.
func (b *scannerBuilder) rarest(text string) int {
	const shared = 40 // weight of each other literal with the gram
	best, least := 0, -1
	for i := range len(text) - gramSize {
		weight := shared * (b.uses[lastGram(text[i:])] + b.uses[lastGram(text[i+1:])])
		for j := range gramSize + 1 {
			w := b.weights[text[i+j]|caseBit]
			if 0 < j && j < gramSize {
				w *= 2 // the byte is in both grams
			}
			weight += w
		}
		if least < 0 || weight < least {
			best, least = i, weight
		}
	}
	b.uses[lastGram(text[best:])]++
	b.uses[lastGram(text[best+1:])]++
	return best
}

// add adds the gram that text begins with.
func (b *scannerBuilder) add(text string, at site) {
	g := lastGram(text)
	sites, known := b.sites[g]
	if !known {
		b.grams = append(b.grams, g)
	}
	if !slices.Contains(sites, at) {
		b.sites[g] = append(sites, at)
	}
}

// scanner returns the filter and the table of the grams.
func (b *scannerBuilder) scanner() *scanner {
	// With 64 bits for each gram the filter passes few other places.
	words := min(1<<bits.Len(uint(max(len(b.grams), 16)-1)), 1<<filterBits/64)
	s := &scanner{words: uint32(words - 1), sites: b.sites}
	for _, g := range b.grams {
		h := g * gramMul >> (32 - filterBits)
		s.filter[h>>6&s.words] |= 1 << (h & 63)
	}
	return s
}
