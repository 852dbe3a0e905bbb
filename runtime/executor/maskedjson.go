package executor

import (
	"bytes"
	"encoding/json"
	"regexp"
	"sync"

	"github.com/errgen/errgen/runtime/taxonomy"
)

// maskedJSON returns valid JSON in which what looks like a secret is masked: each text for itself
// in plain, in strict also what a key names as one. A number that a key names so is 0. Strict is
// nil if that leaves no JSON.
func maskedJSON(b []byte) (strict, plain json.RawMessage) {
	plain = maskedTexts(b)
	strict = masksOfKeys(plain)
	if !json.Valid(strict) {
		if strict = masksOfKeys(maskedNumbers(plain)); !json.Valid(strict) {
			strict = nil
		}
	}
	return strict, plain
}

func masksOfKeys(b []byte) json.RawMessage {
	text := string(b)
	masked := taxonomy.Redact(text)
	if masked == text {
		return b
	}
	return json.RawMessage(masked)
}

// secretNumber is a number with the key before it.
var secretNumber = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`"(?:[^"\\]|\\.)*"\s*:\s*-?[0-9][-+.0-9eE]*`)
})

// maskedNumbers returns JSON in which the numbers are 0 that a key names as a secret.
func maskedNumbers(b []byte) []byte {
	return secretNumber().ReplaceAllFunc(b, func(pair []byte) []byte {
		if taxonomy.Redact(string(pair)) == string(pair) {
			return pair
		}
		return append(bytes.Clone(bytes.TrimRight(pair, "-+.0123456789eE")), '0')
	})
}

// maxWithin is how deep JSON is looked into that stands in texts of JSON.
const maxWithin = 8

// maskedTexts returns valid JSON, each text in it masked for itself; b if there is nothing to mask.
func maskedTexts(b []byte) json.RawMessage { return maskedTextsWithin(b, maxWithin) }

func maskedTextsWithin(b []byte, depth int) json.RawMessage {
	var out []byte
	done := 0
	for i := 0; i < len(b); i++ {
		if b[i] != '"' {
			continue
		}
		end := literalEnd(b, i)
		if shown, changed := maskedLiteral(b[i:end], depth); changed {
			out = append(append(out, b[done:i]...), shown...)
			done = end
		}
		i = end - 1
	}
	if out == nil {
		return b
	}
	return append(out, b[done:]...)
}

// literalEnd returns where the text ends whose first quote is at i.
func literalEnd(b []byte, i int) int {
	for i++; i < len(b) && b[i] != '"'; i++ {
		if b[i] == '\\' {
			i++
		}
	}
	return min(i+1, len(b))
}

// holdsEscapes reports whether a text is JSON in which an escape could hide something.
func holdsEscapes(text []byte) bool {
	return bytes.IndexByte(text, '\\') >= 0 && json.Valid(text)
}

func maskedLiteral(literal []byte, depth int) (shown []byte, changed bool) {
	var text string
	if json.Unmarshal(literal, &text) != nil {
		return nil, false
	}
	masked := taxonomy.Redact(text)
	if inner := []byte(masked); depth > 0 && holdsEscapes(inner) {
		masked = taxonomy.Redact(string(maskedTextsWithin(inner, depth-1)))
	}
	if masked == text {
		return nil, false
	}
	shown, err := json.Marshal(masked)
	return shown, err == nil
}

// maskedDetails returns the context of an error as it may be kept, or nil.
func maskedDetails(b []byte) json.RawMessage {
	if len(b) > maxDetails || !json.Valid(b) {
		return nil
	}
	strict, _ := maskedJSON(b)
	return strict
}

// maskedWire returns the JSON of an error as it may be kept, or nil. It is read back as an error
// with the same reaction, if what is masked leaves that: a mask may stand where the error's package
// takes only some words.
func (r *runner) maskedWire(b []byte) json.RawMessage {
	if len(b) > 2*maxDetails || !json.Valid(b) {
		return nil
	}
	strict, plain := maskedJSON(b)
	if bytes.Equal(strict, b) || strict != nil && r.readsAs(strict, b) || !r.readsAs(plain, b) {
		return strict
	}
	return plain
}

// readsAs reports whether JSON is read back as an error that has the reaction of another.
func (r *runner) readsAs(wire, other json.RawMessage) bool {
	table := r.cfg.Table.Taxonomy
	a, known := taxonomy.First(r.decoded(ErrorRecord{Wire: wire}), table)
	b, wanted := taxonomy.First(r.decoded(ErrorRecord{Wire: other}), table)
	return known == wanted && (!known || a.Row() == b.Row())
}
