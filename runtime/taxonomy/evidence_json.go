package taxonomy

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf16"
)

// MarshalJSON returns an object whose keys are the fields in snake case, what is absent left out:
// durations as "1.5s", times in RFC 3339 UTC, attributes sorted, Err by its text under "error".
// Secrets are masked and what is long is cut: a text and an output to their last 4096 bytes, a file
// and an attribute to 1024 bytes, any other value to 256; of files and attributes 64 are shown
// each. A time that RFC 3339 cannot say is left out. It never fails.
func (e Evidence) MarshalJSON() ([]byte, error) { return json.Marshal(e.shown()) }

// UnmarshalJSON reads what MarshalJSON writes; Err becomes an error that has only the text. An
// unknown or repeated key and a value of another type are errors, and leave e as it was; null is an
// absent value.
func (e *Evidence) UnmarshalJSON(b []byte) error {
	if string(bytes.TrimSpace(b)) == "null" {
		return nil
	}
	var read Evidence
	if err := eachKey(b, read.readKey); err != nil {
		return fmt.Errorf("evidence: %w", err)
	}
	*e = read
	return nil
}

// eachKey calls read for each key of the JSON object b and what stands there, but for null.
func eachKey(b []byte, read func(key string, value json.RawMessage) error) error {
	d := json.NewDecoder(bytes.NewReader(b))
	if token, err := d.Token(); err != nil || token != json.Delim('{') {
		return errors.New("not a JSON object")
	}
	seen := map[string]bool{}
	for d.More() {
		token, err := d.Token()
		if err != nil {
			return fmt.Errorf("not JSON: %w", err)
		}
		key, _ := token.(string)
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			return fmt.Errorf("%s: not JSON: %w", echoed(key), err)
		}
		if seen[key] {
			return fmt.Errorf("key %s is given twice", echoed(key))
		}
		seen[key] = true
		if string(value) == "null" {
			continue
		}
		if err := read(key, value); err != nil {
			return err
		}
	}
	if _, err := d.Token(); err != nil {
		return fmt.Errorf("not JSON: %w", err)
	}
	if _, err := d.Token(); err != io.EOF {
		return errors.New("more after the JSON object")
	}
	return nil
}

// readKey reads one key.
func (e *Evidence) readKey(key string, value json.RawMessage) error {
	var err error
	switch key {
	case "source":
		err = readInto(value, &e.Source, aText)
	case "op":
		err = readInto(value, &e.Op, aText)
	case "type":
		err = readInto(value, &e.Type, aText)
	case "status":
		err = readInto(value, &e.Status, aNumber)
	case "status_derived":
		err = readInto(value, &e.StatusDerived, "true or false")
	case "code":
		err = readInto(value, &e.Code, aText)
	case "exit_code":
		err = readInto(value, &e.ExitCode, aNumber)
	case "signal":
		err = readInto(value, &e.Signal, aText)
	case "errno":
		err = readInto(value, &e.Errno, aText)
	case "text":
		err = readInto(value, &e.Text, aText)
	case "output":
		err = readInto(value, &e.Output, aText)
	case "files":
		err = readInto(value, &e.Files, "a list of texts")
	case "retry_after":
		e.RetryAfter, err = readDuration(value)
	case "retry_after_derived":
		err = readInto(value, &e.RetryAfterDerived, "true or false")
	case "reset_at":
		e.ResetAt, err = readTime(value)
	case "credential":
		err = readInto(value, &e.Credential, aText)
	case "attributes":
		e.Attributes, err = readAttributes(value)
	case "error":
		e.Err, err = readError(value)
	default:
		return fmt.Errorf("unknown key %s", echoed(key))
	}
	if err != nil {
		return fmt.Errorf("%s: %w", key, err)
	}
	return nil
}

const (
	aText   = "a text"
	aNumber = "a whole number"
)

// readInto reads value into p; want says what is expected there.
func readInto[T any](value json.RawMessage, p *T, want string) error {
	if err := json.Unmarshal(value, p); err != nil {
		return fmt.Errorf("want %s, not %s", want, shownJSON(value))
	}
	return nil
}

func readDuration(value json.RawMessage) (Opt[time.Duration], error) {
	var text string
	if err := json.Unmarshal(value, &text); err == nil {
		if d, err := time.ParseDuration(text); err == nil {
			return Some(d), nil
		}
	}
	return Opt[time.Duration]{}, fmt.Errorf("want a duration such as \"1.5s\", not %s", shownJSON(value))
}

func readTime(value json.RawMessage) (time.Time, error) {
	var text string
	if err := json.Unmarshal(value, &text); err == nil {
		if t, err := time.Parse(time.RFC3339, text); err == nil {
			return t.UTC(), nil
		}
	}
	return time.Time{}, fmt.Errorf("want a time such as \"2006-01-02T15:04:05Z\", not %s", shownJSON(value))
}

func readAttributes(value json.RawMessage) (map[string]string, error) {
	attributes := map[string]string{}
	err := eachKey(value, func(name string, value json.RawMessage) error {
		var text string
		if err := readInto(value, &text, aText); err != nil {
			return fmt.Errorf("%s: %w", echoed(name), err)
		}
		attributes[name] = text
		return nil
	})
	if err != nil || len(attributes) == 0 {
		return nil, err
	}
	return attributes, nil
}

func readError(value json.RawMessage) (error, error) {
	var text string
	if err := readInto(value, &text, aText); err != nil {
		return nil, err
	}
	return errors.New(text), nil
}

// echoed quotes a short beginning of what a stranger wrote, secrets masked.
func echoed(s string) string { return strconv.Quote(beginning(s, maxEcho)) }

// shownJSON returns a short beginning of JSON, secrets masked, on one line.
func shownJSON(value json.RawMessage) string {
	return oneLine(beginning(string(value[:min(len(value), 2*surroundings)]), maxEcho))
}

const maxEcho = 64

// escaped returns JSON with what cannot be printed written as escapes, so that it stands on one
// line of any log.
func escaped(s string) string {
	var b strings.Builder
	for _, r := range s {
		switch {
		case unicode.IsPrint(r):
			b.WriteRune(r)
		case r > 0xFFFF:
			high, low := utf16.EncodeRune(r)
			fmt.Fprintf(&b, `\u%04x\u%04x`, high, low)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	return b.String()
}
