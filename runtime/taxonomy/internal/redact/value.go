package redact

// Lengths that decide whether a value looks like a secret.
const (
	minValue      = 6
	minCredential = 8
	// sample is how much of a value is looked at; a longer one is no word of prose.
	sample = 64
	// maxSpaces bounds the white space around a separator.
	maxSpaces = 4
)

// assigned finds the value of a key in key=value, key = "value", key := value and key => value; '='
// is at i.
func assigned(s string, i, floor int) (int, int) {
	at := i
	if at > floor && s[at-1] == ':' {
		at--
	}
	kind := keyBefore(s, at, floor)
	switch {
	case kind == noKey, kind == cookieKey, kind == signatureKey && !inQuery(s, at, floor):
		return -1, 0
	}
	from := i + 1
	if hasAt(s, from, "=") || hasAt(s, from, ">") {
		from++
	}
	from = skipSpaces(s, from)
	if kind == authorizationKey {
		return assignedAuthorization(s, from, at > floor && isSpace(s[at-1]))
	}
	if kind.isToken() && (at < i || at > floor && isSpace(s[at-1])) {
		return quotedOr(s, from, muchDoubt) // an assignment in source code
	}
	return value(s, from, noDoubt)
}

// mapped finds the value of a key in key: value and "key": "value", and the credentials in an
// Authorization header; ':' is at i.
func mapped(s string, i, floor int) (int, int) {
	from := skipSpaces(s, i+1)
	switch keyBefore(s, i, floor) {
	case plainKey:
		return quotedOr(s, from, someDoubt)
	case tokenKey:
		return value(s, from, someDoubt)
	case bareTokenKey:
		return value(s, from, muchDoubt)
	case quotedKey:
		if n := bracket(s, from); n > 0 {
			return list(s, skipSpaces(s, from+n))
		}
		return quotedOr(s, from, someDoubt)
	case authorizationKey:
		return authorization(s, from+bracket(s, from))
	case cookieKey:
		return cookies(s, from)
	}
	return -1, 0
}

// bracket returns the length of the bracket at i that begins a list.
func bracket(s string, i int) int {
	if hasAt(s, i, "[") && !hasAt(s, i, Mask) {
		return 1
	}
	return 0
}

// list finds the values in quotes of a list in JSON, the first of which is at i, all as one, so
// that a mask leaves it a list.
func list(s string, i int) (int, int) {
	n := opening(s, i)
	if n == 0 {
		return -1, 0
	}
	quote := s[i : i+n]
	start, end := value(s, i, noDoubt)
	for start >= 0 {
		stop := nextInList(s, end, quote)
		if stop < 0 {
			break
		}
		end = stop
	}
	return start, end
}

// nextInList returns where the value ends that follows in a list on the one that ends at i, or -1.
func nextInList(s string, i int, quote string) int {
	if !hasAt(s, i, quote) {
		return -1
	}
	i = skipSpaces(s, i+len(quote))
	if !hasAt(s, i, ",") {
		return -1
	}
	i = skipSpaces(s, i+1)
	if !hasAt(s, i, quote) {
		return -1
	}
	if i = closing(s, i+len(quote), quote, false); !hasAt(s, i, quote) {
		return -1
	}
	return i
}

// quotedOr is value for one that is under no doubt if it is in quotes.
func quotedOr(s string, i int, d doubt) (int, int) {
	i = skipColor(s, i)
	if opening(s, i) > 0 {
		d = noDoubt
	}
	return value(s, i, d)
}

// value returns the bounds of the value at i, which must look like a secret as far as it is in
// doubt.
func value(s string, i int, d doubt) (int, int) {
	i = skipColor(s, i)
	if n := opening(s, i); n > 0 {
		start := i + n
		end := closing(s, start, s[i:start], d != noDoubt)
		if end == start || !isSecret(s[start:end], d, minValue) {
			return -1, 0
		}
		if d == noDoubt {
			return start, end
		}
		return start, wholeClosing(s, start, end, s[i:start])
	}
	end := valueEnd(s, i, min(len(s), i+sample))
	if end-i < minValue || !isSecret(s[i:end], d, minValue) {
		return -1, 0
	}
	return i, valueEnd(s, end, len(s))
}

// maxSlashes is how many backslashes stand before a quote in JSON three times within a JSON string.
const maxSlashes = 7

// opening returns the length of the quote at i with the backslashes that escape it, or 0 when there
// is none.
func opening(s string, i int) int {
	n := 0
	for n < maxSlashes && hasAt(s, i+n, `\`) {
		n++
	}
	if i+n < len(s) && isQuote(s[i+n]) {
		return n + 1
	}
	return 0
}

// closing returns the index of the quote that ends the value at i, or of what ends it otherwise. Of
// a doubtful value it looks at a sample only, and what has white space or a mask in it is no value
// at all.
func closing(s string, i int, quote string, doubtful bool) int {
	limit := len(s)
	if doubtful {
		limit = min(limit, i+sample)
	}
	return closingWithin(s, i, limit, quote, doubtful)
}

func wholeClosing(s string, start, end int, quote string) int {
	if end-start < sample {
		return end
	}
	return closingWithin(s, end, len(s), quote, false)
}

func closingWithin(s string, i, limit int, quote string, noSpaces bool) int {
	start, mark := i, quote[len(quote)-1]
	for i < limit {
		switch c := s[i]; {
		case c == '\n', c == '\r', c == mark:
			return i
		case ends(s, i):
			if noSpaces {
				return start
			}
			return i
		case c == '\\':
			next, ended := slashes(s[:limit], i, quote)
			if ended {
				return next
			}
			i = next
			continue
		case noSpaces && isSpace(c):
			return start
		}
		i++
	}
	return i
}

// slashes looks at the backslashes at i in a value that began with quote. If the quote after them
// ends the value it returns where, otherwise where to go on.
func slashes(s string, i int, quote string) (next int, ended bool) {
	next = skipWhile(s, i, isBackslash)
	if next == len(s) || s[next] != quote[len(quote)-1] {
		return next, false
	}
	n := next - i
	switch {
	case len(quote) == 1 && n%2 == 0:
		return next, true
	case len(quote) > 1 && n < len(quote): // the value's own quote, or one farther out
		return i, true
	}
	return next + 1, false
}

// valueEnd returns where a value without quotes ends, at most limit. Colour codes end it only if
// nothing of a value follows them.
func valueEnd(s string, i, limit int) int {
	for i < limit && !ends(s, i) {
		if !isTerminator(s[i]) {
			i++
			continue
		}
		after := skipColor(s, i)
		if after == i || after >= limit || isTerminator(s[after]) || ends(s, after) {
			return i
		}
		i = after
	}
	return i
}

// isTerminator reports whether c ends a value without quotes. Control characters do not: what is
// behind one in a secret would be shown.
func isTerminator(c byte) bool {
	if isBlank(c) || c == escape {
		return true
	}
	switch c {
	case '"', '\'', '`', '\\', ',', ';', '&', '(', ')', ']', '{', '}', '<', '>', '|':
		return true
	}
	return false
}

// ends reports whether something is at i that ends every value: a mask, an ellipsis or a private
// key.
func ends(s string, i int) bool {
	switch s[i] {
	case '[':
		return hasAt(s, i, Mask)
	case Ellipsis[0]:
		return hasAt(s, i, Ellipsis)
	case '-':
		return hasAt(s, i, pemBegin)
	}
	return false
}

func skipSpaces(s string, i int) int {
	for n := 0; n < maxSpaces && i < len(s) && isSpace(s[i]); n++ {
		i++
	}
	return i
}

func isSpace(c byte) bool { return c == ' ' || c == '\t' }

func isBackslash(c byte) bool { return c == '\\' }

func isQuote(c byte) bool { return c == '"' || c == '\'' || c == '`' }

// isBlank reports whether c is white space, line breaks among it.
func isBlank(c byte) bool { return c == ' ' || '\t' <= c && c <= '\r' }
