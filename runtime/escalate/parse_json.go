package escalate

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"path"
	"strings"

	"github.com/errgen/errgen/runtime/internal/text"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// eachKey calls read for each key of a JSON object and what stands there, but for null. Keys are
// compared as they are, and a key that is given twice is an error: what one reader takes, another
// would not.
func eachKey(s string, read func(key string, value json.RawMessage) error) error {
	d := json.NewDecoder(strings.NewReader(s))
	if token, err := d.Token(); err != nil || token != json.Delim('{') {
		return errors.New("it is no JSON object")
	}
	seen := map[string]bool{}
	for d.More() {
		token, err := d.Token()
		if err != nil {
			return fmt.Errorf("it is no JSON: %w", err)
		}
		key, _ := token.(string)
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			return fmt.Errorf("it is no JSON: %w", err)
		}
		if seen[key] {
			return fmt.Errorf("the key %q is given twice", text.Beginning(key, maxWord))
		}
		seen[key] = true
		if string(value) == "null" {
			continue
		}
		if err := read(key, value); err != nil {
			return fmt.Errorf("%s: %w", text.Beginning(key, maxWord), err)
		}
	}
	if _, err := d.Token(); err != nil {
		return fmt.Errorf("it is no JSON: %w", err)
	}
	if _, err := d.Token(); err != io.EOF {
		return errors.New("there is more after the JSON object")
	}
	return nil
}

func readText(value json.RawMessage, into *string, limit int) error {
	var text string
	if value[0] != '"' || json.Unmarshal(value, &text) != nil {
		return errors.New("it is no text")
	}
	if len(text) > limit {
		return fmt.Errorf("it has more than %d bytes", limit)
	}
	*into = text
	return nil
}

// readLines reads a text, or a list of texts as its lines.
func readLines(value json.RawMessage, into *string, limit int) error {
	if value[0] == '"' {
		return readText(value, into, limit)
	}
	var all []string
	if json.Unmarshal(value, &all) != nil {
		return errors.New("it is neither a text nor a list of texts")
	}
	text := strings.Join(all, "\n")
	if len(text) > limit {
		return fmt.Errorf("it has more than %d bytes", limit)
	}
	*into = text
	return nil
}

func readBool(value json.RawMessage) (taxonomy.Opt[bool], error) {
	var b bool
	if json.Unmarshal(value, &b) != nil {
		return taxonomy.Opt[bool]{}, errors.New("it is neither true nor false")
	}
	return taxonomy.Some(b), nil
}

// readExitCode takes what processes exit with, on Windows 32 bits without a sign.
func readExitCode(value json.RawMessage) (taxonomy.Opt[int], error) {
	var n int64
	if json.Unmarshal(value, &n) != nil || n < math.MinInt32 || n > math.MaxUint32 || int64(int(n)) != n {
		return taxonomy.Opt[int]{}, errors.New("it is no exit code")
	}
	return taxonomy.Some(int(n)), nil
}

// readContext reads texts, and numbers and truth values as texts. A name that attributes do not
// have is left out.
func readContext(value json.RawMessage) (map[string]string, error) {
	all := map[string]string{}
	err := eachKey(string(value), func(key string, value json.RawMessage) error {
		s, err := scalar(value)
		if err != nil {
			return err
		}
		if len(all) < maxListed && isName(key) {
			all[key] = text.Beginning(s, maxValue)
		}
		return nil
	})
	if err != nil || len(all) == 0 {
		return nil, err
	}
	return all, nil
}

func scalar(value json.RawMessage) (string, error) {
	switch value[0] {
	case '"':
		var text string
		err := readText(value, &text, maxReport)
		return text, err
	case '{', '[':
		return "", errors.New("it is no text")
	}
	return string(value), nil
}

// isName reports that attributes can have the name.
func isName(key string) bool {
	if key == "" || len(key) > maxWord || key[0] < 'a' || key[0] > 'z' {
		return false
	}
	return strings.Trim(key, "abcdefghijklmnopqrstuvwxyz0123456789_") == ""
}

// readFiles reads names of files. One that leaves the tree is left out, since reactions and
// strategies act on the files that an error names; what the agent has to say about it is in its
// details.
func readFiles(value json.RawMessage) ([]string, error) {
	var all, files []string
	if json.Unmarshal(value, &all) != nil {
		return nil, errors.New("it is no list of texts")
	}
	for _, file := range all {
		if len(files) < maxListed && len(file) <= maxValue && isInside(file) {
			files = append(files, path.Clean(file))
		}
	}
	return files, nil
}

// isInside reports that a slash-separated path stays in the tree, on every system.
func isInside(file string) bool {
	if file == "" || strings.ContainsAny(file, "\\:\x00") || path.IsAbs(file) {
		return false
	}
	clean := path.Clean(file)
	return clean != "." && clean != ".." && !strings.HasPrefix(clean, "../")
}
