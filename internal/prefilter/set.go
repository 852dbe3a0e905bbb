package prefilter

import (
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/errgen/errgen/runtime/detect"
)

const (
	maxCross  = 8   // texts that a combination of two sets may come to, unless one of them is a single text
	maxUnion  = 256 // texts of alternatives
	maxRunes  = 24  // runes of a class that is expanded, before cases are folded
	maxExact  = 128 // bytes of a text that is still followed to its end
	maxCopies = 16  // copies of a repetition that are looked at
)

// lit is a text that folds ASCII or does not. One that folds is in lower case.
type lit struct {
	text string
	fold bool
}

// set is texts of which one is certain. An empty set is that of an expression which never matches.
type set []lit

// empty is the set of the empty text, which is certain everywhere.
var empty = set{{}}

func (l lit) join(m lit) lit {
	if l.fold == m.fold {
		return lit{l.text + m.text, l.fold}
	}
	return lit{lower(l.text) + lower(m.text), true}
}

// heldBy reports whether every text that holds m holds l.
func (l lit) heldBy(m lit) bool {
	if l.fold {
		return strings.Contains(lower(m.text), l.text)
	}
	return !m.fold && strings.Contains(m.text, l.text)
}

// lower folds ASCII.
func lower(s string) string {
	return strings.Map(func(r rune) rune {
		if 'A' <= r && r <= 'Z' {
			return r + 'a' - 'A'
		}
		return r
	}, s)
}

func isLetter(r rune) bool {
	return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z'
}

// cross returns every text of a followed by every text of b, unless these are too many or too long.
func cross(a, b set) (set, bool) {
	if len(a) > 1 && len(b) > 1 && len(a)*len(b) > maxCross {
		return nil, false
	}
	out := make(set, 0, len(a)*len(b))
	for _, l := range a {
		for _, m := range b {
			if len(l.text)+len(m.text) > maxExact {
				return nil, false
			}
			out = append(out, l.join(m))
		}
	}
	return out, true
}

func union(a, b set) set {
	out := slices.Clone(a)
	for _, l := range b {
		if !slices.Contains(out, l) {
			out = append(out, l)
		}
	}
	return out
}

// better returns the set whose texts are rarer in general; a if they are the same to it or b is of
// no use.
func better(a, b set) set {
	if !b.useful() || a != nil && b.frequency() >= a.frequency() {
		return a
	}
	return b
}

func (s set) useful() bool {
	return len(s) > 0 && !slices.ContainsFunc(s, func(l lit) bool { return len(l.text) < MinLiteral })
}

// frequency is about how often one of the texts stands at a place of a text by chance.
func (s set) frequency() float64 {
	sum := 0.0
	for _, l := range s {
		p := 1.0
		for i := range len(l.text) {
			p *= byteFrequency(l.text[i])
		}
		sum += math.Max(p, rarest)
	}
	return sum
}

// rarest is as rare as a text can count; beyond it, fewer texts are better.
const rarest = 1e-9

// byteFrequency is a rough measure of logs and messages in English. A letter counts as in lower
// case.
func byteFrequency(b byte) float64 {
	switch {
	case b == ' ':
		return 1.0 / 6
	case strings.IndexByte("etaoinsr", b) >= 0:
		return 1.0 / 14
	case 'a' <= b && b <= 'z':
		return 1.0 / 40
	case '0' <= b && b <= '9':
		return 1.0 / 50
	}
	return 1.0 / 90
}

// literals returns the best set, cut to what decides and without texts that need not be looked for.
func (k known) literals() []detect.Literal {
	cut := make(set, len(k.best))
	for i, l := range k.best {
		cut[i] = l.cut()
	}
	var out []detect.Literal
	for i, l := range cut {
		if !cut.covers(i) {
			out = append(out, detect.Literal{Text: l.text, Fold: l.fold})
		}
	}
	return out
}

// covers reports whether a text that holds s[i] is found by another one of the set; of two that are
// the same the later one is covered.
func (s set) covers(i int) bool {
	for j, l := range s {
		if j != i && l.heldBy(s[i]) && (l != s[i] || j < i) {
			return true
		}
	}
	return false
}

func (l lit) cut() lit {
	if len(l.text) > maxLiteral {
		end := maxLiteral
		for !utf8.RuneStart(l.text[end]) {
			end--
		}
		l.text = l.text[:end]
	}
	l.fold = l.fold && strings.ContainsFunc(l.text, isLetter)
	return l
}
