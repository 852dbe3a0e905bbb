package detect

import (
	"math/bits"
	"slices"
)

// common is made of words that stand in most logs; what is in it is a bad sign to recognise a
// literal by.
const common = " error errors failed failure failing with from this that the for and not was are has been have " +
	"while could when file files " +
	"line status code message request response connection connect server client timeout timed out after before " +
	"test tests running " +
	"info warn warning debug trace level time date start started stop invalid unable cannot found exception " +
	"expected unexpected " +
	"process command exit build package module import type value string number object field function method return " +
	"null " +
	"https://www. .com .org .go: .js: .ts: .py: 2024- 2025- 2026- 00:00 0.0. ... --- === ___ >>> 127.0.0.1 " +
	"localhost: \": \"\",\" = "

// byFrequency are the bytes of such texts, the most common one first, with the bit set that tells
// cases apart.
const byFrequency = " etaoinsrlcdupmfghb/.:y-w,v_0k12=(3\"x)4567'89jqz"

// What it costs a gram to stand in common, and that another literal has it.
const (
	commonCost = 200
	sharedCost = 20
)

// chooser chooses the grams of literals.
type chooser struct {
	size    int // of a gram, in bytes
	step    int
	weights [256]uint8
	common  map[uint32]bool
	uses    map[uint32]int
}

func newChooser(size, step int) *chooser {
	c := &chooser{size: size, step: step, common: make(map[uint32]bool, len(common)), uses: map[uint32]int{}}
	for i := range len(byFrequency) {
		c.weights[byFrequency[i]] = uint8(len(byFrequency) - i)
	}
	for i := range len(common) - size + 1 {
		c.common[c.gram(common, i)] = true
	}
	return c
}

const (
	// twoGrams is how long a literal must be to have two neighbouring grams of four bytes.
	twoGrams = 5
	// maxShort is up to how many shorter literals the scanner of every second place finds, too:
	// each takes a place in its table for every value of the bytes beside it.
	maxShort = 12
)

// newScanners returns scanners that together find the literals: one that looks at every second
// place of a text, and if there are many short literals another one for them.
func newScanners(literals []literal) []*scanner {
	var long, short []uint32
	for i := range literals {
		if len(literals[i].text) >= twoGrams {
			long = append(long, uint32(i))
		} else {
			short = append(short, uint32(i))
		}
	}
	var out []*scanner
	if len(short) <= maxShort {
		long, short = append(long, short...), nil
	}
	if len(long) > 0 {
		out = append(out, newScanner(literals, long, newChooser(4, 2)))
	}
	if len(short) > 0 {
		out = append(out, newScanner(literals, short, newChooser(shortest(literals, short), 1)))
	}
	return out
}

func shortest(literals []literal, ids []uint32) int {
	n := 4
	for _, id := range ids {
		n = min(n, len(literals[id].text))
	}
	return n
}

// drafted are the grams of a scanner to be, in their order, and where they stand.
type drafted struct {
	grams []uint32
	sites map[uint32][]site
}

func (d *drafted) add(gram uint32, at site) {
	sites, known := d.sites[gram]
	if !known {
		d.grams = append(d.grams, gram)
	}
	if !slices.Contains(sites, at) {
		d.sites[gram] = append(sites, at)
	}
}

func newScanner(literals []literal, ids []uint32, c *chooser) *scanner {
	s := &scanner{step: c.step, mask: 1<<(8*c.size) - 1}
	d := drafted{sites: map[uint32][]site{}}
	for _, id := range ids {
		text := literals[id].text
		if c.step == 2 && len(text) < twoGrams {
			c.short(id, text, &d)
			continue
		}
		first := c.choose(text)
		for o := first; o < first+c.step; o++ {
			g := c.gram(text, o)
			c.uses[g]++
			d.add(g, site{id, int32(o)})
		}
	}
	s.lay(&d)
	return s
}

// short drafts the grams of a literal of three or four bytes, with every byte that may stand before
// or after it.
func (c *chooser) short(id uint32, text string, d *drafted) {
	for b := range 256 {
		if b&0x20 == 0 {
			continue
		}
		beside := string([]byte{byte(b)})
		d.add(c.gram(text+beside, 0), site{id, 0})
		d.add(c.gram(beside+text, 0), site{id, -1})
	}
}

// gram returns the gram at o.
func (c *chooser) gram(text string, o int) uint32 {
	var g uint32
	for i := range c.size {
		g |= uint32(text[o+i]|0x20) << (8 * i)
	}
	return g
}

// choose returns where the grams of a literal are to be taken: where they are likely to be rarest
// in texts and in other literals.
func (c *chooser) choose(text string) int {
	best, least := 0, -1
	for o := range len(text) - c.size - c.step + 2 {
		if cost := c.cost(text, o); least < 0 || cost < least {
			best, least = o, cost
		}
	}
	return best
}

func (c *chooser) cost(text string, o int) int {
	cost := 0
	for i := o; i < o+c.step; i++ {
		g := c.gram(text, i)
		for b := g; b != 0; b >>= 8 {
			cost += int(c.weights[byte(b)])
		}
		if c.common[g] {
			cost += commonCost
		}
		cost += sharedCost * c.uses[g]
	}
	return cost
}

// lay fills filter and table.
func (s *scanner) lay(d *drafted) {
	// With 64 bits for each gram the filter lets few other places pass.
	words := 1 << bits.Len(uint(max(len(d.grams), 16)-1))
	s.words = uint32(min(words, len(s.filter)) - 1)
	size := bits.Len(uint(4 * len(d.grams)))
	s.slots = make([]gramSlot, 1<<size)
	s.shift = uint8(32 - size)
	for _, g := range d.grams {
		s.let(g)
		from := uint32(len(s.sites))
		s.sites = append(s.sites, d.sites[g]...)
		mask := uint32(len(s.slots) - 1)
		i := g * gramMul >> s.shift
		for s.slots[i&mask].to != 0 {
			i++
		}
		s.slots[i&mask] = gramSlot{gram: g, from: from, to: uint32(len(s.sites))}
	}
}
