package executor

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// wirePath is a path as JSON has it. A path may be any bytes, and JSON holds characters only: what is no UTF-8 is quoted as Go
// quotes it, and so is what begins like that.
type wirePath string

// MarshalText returns the path, in quotes if need be.
func (p wirePath) MarshalText() ([]byte, error) {
	s := string(p)
	if utf8.ValidString(s) && !strings.HasPrefix(s, `"`) {
		return []byte(s), nil
	}
	return []byte(strconv.QuoteToASCII(s)), nil
}

// UnmarshalText reads what MarshalText has written.
func (p *wirePath) UnmarshalText(b []byte) error {
	s := string(b)
	if strings.HasPrefix(s, `"`) {
		unquoted, err := strconv.Unquote(s)
		if err != nil {
			return fmt.Errorf("read a quoted path: %w", err)
		}
		s = unquoted
	}
	*p = wirePath(s)
	return nil
}

// wirePaths are paths as JSON has them.
type wirePaths []wirePath

func toWire(paths []string) wirePaths {
	if paths == nil {
		return nil
	}
	out := make(wirePaths, len(paths))
	for i, p := range paths {
		out[i] = wirePath(p)
	}
	return out
}

func (w wirePaths) paths() []string {
	if w == nil {
		return nil
	}
	out := make([]string, len(w))
	for i, p := range w {
		out[i] = string(p)
	}
	return slices.Clip(out)
}

type changeJSON struct {
	Path wirePath `json:"path"`
	*plainChange
}

type plainChange Change

// MarshalJSON keeps every byte of the path: one that is not UTF-8 is a Go string literal.
func (c Change) MarshalJSON() ([]byte, error) {
	return json.Marshal(changeJSON{wirePath(c.Path), (*plainChange)(&c)})
}

// UnmarshalJSON reads what MarshalJSON has written.
func (c *Change) UnmarshalJSON(b []byte) error {
	j := changeJSON{plainChange: (*plainChange)(c)}
	err := json.Unmarshal(b, &j)
	c.Path = string(j.Path)
	return err
}

type committingJSON struct {
	Paths wirePaths `json:"paths"`
	*plainCommitting
}

type plainCommitting Committing

// MarshalJSON keeps every byte of the paths, as that of [Change] does.
func (c Committing) MarshalJSON() ([]byte, error) {
	return json.Marshal(committingJSON{toWire(c.Paths), (*plainCommitting)(&c)})
}

// UnmarshalJSON reads what MarshalJSON has written.
func (c *Committing) UnmarshalJSON(b []byte) error {
	j := committingJSON{plainCommitting: (*plainCommitting)(c)}
	err := json.Unmarshal(b, &j)
	c.Paths = j.Paths.paths()
	return err
}

type commitDoneJSON struct {
	Paths wirePaths `json:"paths"`
	*plainCommitDone
}

type plainCommitDone CommitDone

// MarshalJSON keeps every byte of the paths, as that of [Change] does.
func (c CommitDone) MarshalJSON() ([]byte, error) {
	return json.Marshal(commitDoneJSON{toWire(c.Paths), (*plainCommitDone)(&c)})
}

// UnmarshalJSON reads what MarshalJSON has written.
func (c *CommitDone) UnmarshalJSON(b []byte) error {
	j := commitDoneJSON{plainCommitDone: (*plainCommitDone)(c)}
	err := json.Unmarshal(b, &j)
	c.Paths = j.Paths.paths()
	return err
}

type closedJSON struct {
	Pending     wirePaths `json:"pending,omitempty"`
	Added       wirePaths `json:"added,omitempty"`
	Uncommitted wirePaths `json:"uncommitted,omitempty"`
	Unchecked   wirePaths `json:"unchecked,omitempty"`
	*plainClosed
}

type plainClosed Closed

// MarshalJSON keeps every byte of the paths, as that of [Change] does.
func (c Closed) MarshalJSON() ([]byte, error) {
	return json.Marshal(closedJSON{
		toWire(c.Pending), toWire(c.Added), toWire(c.Uncommitted), toWire(c.Unchecked), (*plainClosed)(&c),
	})
}

// UnmarshalJSON reads what MarshalJSON has written.
func (c *Closed) UnmarshalJSON(b []byte) error {
	j := closedJSON{plainClosed: (*plainClosed)(c)}
	err := json.Unmarshal(b, &j)
	c.Pending, c.Added = j.Pending.paths(), j.Added.paths()
	c.Uncommitted, c.Unchecked = j.Uncommitted.paths(), j.Unchecked.paths()
	return err
}

type errorRecordJSON struct {
	Files wirePaths `json:"files,omitempty"`
	*plainErrorRecord
}

type plainErrorRecord ErrorRecord

// MarshalJSON keeps every byte of the files' paths, as that of [Change] does.
func (e ErrorRecord) MarshalJSON() ([]byte, error) {
	return json.Marshal(errorRecordJSON{toWire(e.Files), (*plainErrorRecord)(&e)})
}

// UnmarshalJSON reads what MarshalJSON has written.
func (e *ErrorRecord) UnmarshalJSON(b []byte) error {
	j := errorRecordJSON{plainErrorRecord: (*plainErrorRecord)(e)}
	err := json.Unmarshal(b, &j)
	e.Files = j.Files.paths()
	return err
}

type resultJSON struct {
	CommittedFiles   wirePaths `json:"committedFiles,omitempty"`
	UncommittedFiles wirePaths `json:"uncommittedFiles,omitempty"`
	UncheckedFiles   wirePaths `json:"uncheckedFiles,omitempty"`
	*plainResult
}

type plainResult Result

// MarshalJSON keeps every byte of the files' paths, as that of [Change] does.
func (r Result) MarshalJSON() ([]byte, error) {
	return json.Marshal(resultJSON{
		toWire(r.CommittedFiles), toWire(r.UncommittedFiles), toWire(r.UncheckedFiles), (*plainResult)(&r),
	})
}

// UnmarshalJSON reads what MarshalJSON has written.
func (r *Result) UnmarshalJSON(b []byte) error {
	j := resultJSON{plainResult: (*plainResult)(r)}
	err := json.Unmarshal(b, &j)
	r.CommittedFiles, r.UncommittedFiles = j.CommittedFiles.paths(), j.UncommittedFiles.paths()
	r.UncheckedFiles = j.UncheckedFiles.paths()
	return err
}
