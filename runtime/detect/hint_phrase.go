package detect

import (
	"strings"
	"time"
)

// phrase is what is left to read of a text.
type phrase struct{ s string }

// afterRetry reads what stands between retry and the number: "after", "in" or "delay", also as part
// of a name.
func (p *phrase) afterRetry() bool {
	p.skip(" -_", 2)
	return p.word("after") || p.word("in") || p.word("delay")
}

// afterTry reads what stands between try and the number: "again in" or "again after".
func (p *phrase) afterTry() bool {
	p.skip(" ", 1)
	if !p.word("again") {
		return false
	}
	p.skip(" ", 1)
	return p.word("in") || p.word("after")
}

// wait reads a number without a unit, or several with units in a row ("1m30s", "2 minutes 5
// seconds"), and sees that they are not the beginning of something else.
func (p *phrase) wait() (time.Duration, bool) {
	unit := p.namedUnit()
	p.skip(" :=\"'", 5)
	n, ok := p.number()
	if !ok {
		return 0, false
	}
	u, ok := p.unit()
	if !ok {
		return nanoseconds(n * float64(unit)), p.endsNumber()
	}
	total := n * float64(u)
	for {
		rest := *p
		rest.skip(" ", 1)
		if n, ok = rest.number(); !ok {
			break
		}
		if u, ok = rest.unit(); !ok {
			break
		}
		total += n * float64(u)
		*p = rest
	}
	return nanoseconds(total), p.endsUnit()
}

// namedUnit reads the unit that the words before the number name, as in retry_after_ms.
func (p *phrase) namedUnit() time.Duration {
	rest := *p
	rest.skip(" -_(", 2)
	unit := time.Second
	switch {
	case rest.word("ms"), rest.word("milliseconds"):
		unit = time.Millisecond
	case rest.word("seconds"), rest.word("secs"):
	default:
		return unit
	}
	rest.skip(")", 1)
	*p = rest
	return unit
}

// skip skips at most n of the characters.
func (p *phrase) skip(characters string, n int) {
	for ; n > 0 && p.s != "" && strings.IndexByte(characters, p.s[0]) >= 0; n-- {
		p.s = p.s[1:]
	}
}

// word reads the word, in any case.
func (p *phrase) word(word string) bool {
	if len(p.s) < len(word) || !strings.EqualFold(p.s[:len(word)], word) {
		return false
	}
	p.s = p.s[len(word):]
	return true
}

// number reads digits, perhaps with a point and digits after them, perhaps with an exponent.
func (p *phrase) number() (float64, bool) {
	end, point := 0, false
	for end < len(p.s) {
		c := p.s[end]
		if c == '.' && !point && end > 0 && end+1 < len(p.s) && isDigit(p.s[end+1]) {
			point = true
		} else if !isDigit(c) {
			break
		}
		end++
	}
	end += exponent(p.s[end:])
	n, ok := readDecimal(p.s[:end])
	if ok {
		p.s = p.s[end:]
	}
	return n, ok
}

// exponent returns how long the exponent is that s begins with: 0 when it begins with none.
func exponent(s string) int {
	if s == "" || s[0]|0x20 != 'e' {
		return 0
	}
	end := 1
	if end < len(s) && s[end] == '+' {
		end++
	}
	first := end
	for end < len(s) && isDigit(s[end]) {
		end++
	}
	if end == first {
		return 0
	}
	return end
}

// unit reads a unit of time, perhaps after a space.
func (p *phrase) unit() (time.Duration, bool) {
	rest := *p
	rest.skip(" ", 1)
	end := 0
	for end < len(rest.s) && end <= len("milliseconds") && isLetter(rest.s[end]) {
		end++
	}
	u := unitOf(strings.ToLower(rest.s[:end]))
	if u == 0 {
		return 0, false
	}
	p.s = rest.s[end:]
	return u, true
}

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

func unitOf(word string) time.Duration {
	switch word {
	case "ms", "msec", "msecs", "milliseconds", "millisecond", "millis":
		return time.Millisecond
	case "s", "sec", "secs", "second", "seconds":
		return time.Second
	case "m", "min", "mins", "minute", "minutes":
		return time.Minute
	case "h", "hr", "hrs", "hour", "hours":
		return time.Hour
	case "d", "day", "days":
		return 24 * time.Hour
	}
	return 0
}

// endsNumber reports whether a number without a unit is at its end: at punctuation, or at the end
// of the line.
func (p *phrase) endsNumber() bool {
	p.skip(" \t", 4)
	if p.s == "" {
		return true
	}
	switch p.s[0] {
	case '\n', '\r', ',', ';', ')', ']', '}', '"', '\'', '!', '<':
		return true
	case '.':
		return len(p.s) == 1 || !isDigit(p.s[1])
	}
	return false
}

// endsUnit reports whether the word that is a unit is at its end.
func (p *phrase) endsUnit() bool {
	return p.s == "" || !isLetter(p.s[0]) && !isDigit(p.s[0]) && strings.IndexByte("_-:/", p.s[0]) < 0
}
