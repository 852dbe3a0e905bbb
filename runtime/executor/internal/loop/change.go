package loop

import (
	"encoding/json"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Tree names a tree of files in a [Space].
type Tree string

// Change is a path that differs between two trees.
type Change struct {
	// Path is relative to the root of the working tree. It may contain any bytes.
	Path string     `json:"path"`
	Kind ChangeKind `json:"kind"`
	// Escapes marks a symbolic link that leads out of the working tree. It is always forbidden.
	Escapes bool `json:"escapes,omitempty"`
	// Copies is the path of a forbidden file of the old tree whose content the path has now. Such a
	// change is always forbidden.
	Copies string `json:"copies,omitempty"`
	// Ignored marks a file that git ignores. It is judged like any other and never committed.
	Ignored bool `json:"ignored,omitempty"`
	// Hash identifies the new content; it is empty for a removed file.
	Hash string `json:"hash,omitempty"`
}

// ChangeKind is how a path changed. A rename is a removal and an addition.
type ChangeKind string

// The kinds of changes.
const (
	Added    ChangeKind = "added"
	Modified ChangeKind = "modified"
	Removed  ChangeKind = "removed"
)

type changeJSON Change

// MarshalJSON returns an object. A path that is not UTF-8 becomes a Go string literal, so that all
// of its bytes are preserved.
func (c Change) MarshalJSON() ([]byte, error) {
	c.Path = quotePath(c.Path)
	return json.Marshal(changeJSON(c))
}

// UnmarshalJSON decodes the result of MarshalJSON.
func (c *Change) UnmarshalJSON(b []byte) (err error) {
	if err = json.Unmarshal(b, (*changeJSON)(c)); err == nil {
		c.Path, err = unquotePath(c.Path)
	}
	return err
}

// Paths are paths in a state. Their JSON preserves all bytes.
type Paths []string

// MarshalJSON returns an array of strings. A path that is not UTF-8 becomes a Go string literal.
func (p Paths) MarshalJSON() ([]byte, error) {
	quoted := make([]string, len(p))
	for i, path := range p {
		quoted[i] = quotePath(path)
	}
	return json.Marshal(quoted)
}

// UnmarshalJSON decodes the result of MarshalJSON.
func (p *Paths) UnmarshalJSON(b []byte) error {
	var quoted []string
	if err := json.Unmarshal(b, &quoted); err != nil {
		return err
	}
	for i, path := range quoted {
		var err error
		if quoted[i], err = unquotePath(path); err != nil {
			return err
		}
	}
	*p = quoted
	return nil
}

func quotePath(p string) string {
	if utf8.ValidString(p) && !strings.HasPrefix(p, `"`) {
		return p
	}
	return strconv.QuoteToASCII(p)
}

func unquotePath(p string) (string, error) {
	if strings.HasPrefix(p, `"`) {
		return strconv.Unquote(p)
	}
	return p, nil
}
