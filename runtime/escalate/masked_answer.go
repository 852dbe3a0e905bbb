package escalate

import (
	"bytes"
	"encoding/json"
	"errors"
	"regexp"
	"strings"
	"sync"
	"unicode"

	"github.com/errgen/errgen/runtime/internal/text"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// maxDepth bounds how deep a block is that is masked value by value; reports are two deep.
const maxDepth = 8

// claimForm matches a line that claims, with whatever mark.
var claimForm = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile("^[*`]*STEP (?:DONE|FAILED)(?: [0-9a-f]{8})?[*`]*$")
})

// maskedAnswer returns an answer as it is kept: secrets masked, of one with more than limit bytes
// the first quarter and the end of what stands before the report, and its end still the report that
// it was. Masked as a mere text it might not be: a mask can take more than a value, such as the
// quote behind an empty one, or, from a key that has no end, all that follows.
func maskedAnswer(s string, limit int) string {
	before, report := cutReport(s)
	if report == "" {
		return text.BothEnds(s, limit)
	}
	if before == "" {
		return report
	}
	return text.BothEnds(before, max(0, limit-len(report))) + "\n" + report
}

// cutReport returns what stands before the report that an answer ends with, and the report, masked;
// empty when there is none.
func cutReport(text string) (before, report string) {
	trimmed := strings.TrimRightFunc(text, unicode.IsSpace)
	before, last := cutLastLine(trimmed)
	if len(last) <= maxLine && claimForm().MatchString(strings.TrimSpace(last)) {
		return before, last
	}
	before, block, err := lastBlock(trimmed)
	if err != nil {
		return text, ""
	}
	masked, err := maskedJSON(json.RawMessage(block), maxDepth)
	if err != nil {
		return text, ""
	}
	return before, blockBegins + string(masked) + "\n```"
}

// maskedJSON returns JSON in which each text is masked for itself, and the value of a key that
// names a secret as a whole. An object that has a key twice is an error, as for who reads reports.
func maskedJSON(value json.RawMessage, depth int) (json.RawMessage, error) {
	value = bytes.TrimSpace(value)
	if depth == 0 || len(value) == 0 {
		return nil, errors.New("it is too deep, or nothing")
	}
	switch value[0] {
	case '"':
		var s string
		if err := json.Unmarshal(value, &s); err != nil {
			return nil, err
		}
		return encoded(text.Masked(s)), nil
	case '[':
		return maskedList(value, depth)
	case '{':
		return maskedObject(value, depth)
	}
	return value, nil
}

func maskedList(value json.RawMessage, depth int) (json.RawMessage, error) {
	var items []json.RawMessage
	if err := json.Unmarshal(value, &items); err != nil {
		return nil, err
	}
	for i, item := range items {
		masked, err := maskedJSON(item, depth-1)
		if err != nil {
			return nil, err
		}
		items[i] = masked
	}
	return joinedJSON('[', items, ']'), nil
}

func maskedObject(value json.RawMessage, depth int) (json.RawMessage, error) {
	var pairs []json.RawMessage
	err := eachKey(string(value), func(key string, value json.RawMessage) error {
		masked, err := maskedJSON(value, depth-1)
		if err != nil {
			return err
		}
		if isScalar := value[0] != '{' && value[0] != '['; isScalar && taxonomy.IsSecretName(key) {
			masked = encoded(taxonomy.Redacted)
		}
		pairs = append(pairs, append(append(encoded(text.Masked(key)), ':'), masked...))
		return nil
	})
	if err != nil {
		return nil, err
	}
	return joinedJSON('{', pairs, '}'), nil
}

func joinedJSON(open byte, parts []json.RawMessage, end byte) json.RawMessage {
	out := []byte{open}
	for i, part := range parts {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(out, part...)
	}
	return append(out, end)
}

// encoded returns a text as JSON, with nothing escaped that need not be.
func encoded(text string) json.RawMessage {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(text) // a text can always be encoded, and a buffer written to
	return bytes.TrimSpace(b.Bytes())
}
