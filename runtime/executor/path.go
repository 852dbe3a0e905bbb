package executor

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// wirePath is a path as JSON has it. A path may be any bytes, and JSON holds characters only: what
// is no UTF-8 is quoted as Go quotes it, and so is what begins like that.
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

// wirePaths are paths as JSON has them. The types below write them in place of the fields of the
// same names.
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
	*plainChange
	Path wirePath `json:"path"`
}

type plainChange Change

// MarshalJSON keeps every byte of the path: one that is not UTF-8 is a Go string literal.
func (c Change) MarshalJSON() ([]byte, error) {
	return json.Marshal(changeJSON{(*plainChange)(&c), wirePath(c.Path)})
}

// UnmarshalJSON reads what MarshalJSON has written.
func (c *Change) UnmarshalJSON(b []byte) error {
	j := changeJSON{plainChange: (*plainChange)(c)}
	err := json.Unmarshal(b, &j)
	c.Path = string(j.Path)
	return err
}

type committingJSON struct {
	*plainCommitting
	Paths wirePaths `json:"paths"`
}

type plainCommitting Committing

// MarshalJSON keeps every byte of the paths, as that of [Change] does.
func (c Committing) MarshalJSON() ([]byte, error) {
	return json.Marshal(committingJSON{(*plainCommitting)(&c), toWire(c.Paths)})
}

// UnmarshalJSON reads what MarshalJSON has written.
func (c *Committing) UnmarshalJSON(b []byte) error {
	j := committingJSON{plainCommitting: (*plainCommitting)(c)}
	err := json.Unmarshal(b, &j)
	c.Paths = j.Paths.paths()
	return err
}

type commitDoneJSON struct {
	*plainCommitDone
	Paths wirePaths `json:"paths"`
}

type plainCommitDone CommitDone

// MarshalJSON keeps every byte of the paths, as that of [Change] does.
func (c CommitDone) MarshalJSON() ([]byte, error) {
	return json.Marshal(commitDoneJSON{(*plainCommitDone)(&c), toWire(c.Paths)})
}

// UnmarshalJSON reads what MarshalJSON has written.
func (c *CommitDone) UnmarshalJSON(b []byte) error {
	j := commitDoneJSON{plainCommitDone: (*plainCommitDone)(c)}
	err := json.Unmarshal(b, &j)
	c.Paths = j.Paths.paths()
	return err
}

type closedJSON struct {
	*plainClosed
	Pending     wirePaths `json:"pending,omitempty"`
	Added       wirePaths `json:"added,omitempty"`
	Uncommitted wirePaths `json:"uncommitted,omitempty"`
	Unchecked   wirePaths `json:"unchecked,omitempty"`
	Changed     wirePaths `json:"changed,omitempty"`
}

type plainClosed Closed

// MarshalJSON keeps every byte of the paths, as that of [Change] does.
func (c Closed) MarshalJSON() ([]byte, error) {
	return json.Marshal(closedJSON{
		(*plainClosed)(&c), toWire(c.Pending), toWire(c.Added), toWire(c.Uncommitted), toWire(c.Unchecked),
		toWire(c.Changed),
	})
}

// UnmarshalJSON reads what MarshalJSON has written.
func (c *Closed) UnmarshalJSON(b []byte) error {
	j := closedJSON{plainClosed: (*plainClosed)(c)}
	err := json.Unmarshal(b, &j)
	c.Pending, c.Added = j.Pending.paths(), j.Added.paths()
	c.Uncommitted, c.Unchecked, c.Changed = j.Uncommitted.paths(), j.Unchecked.paths(), j.Changed.paths()
	return err
}

type errorRecordJSON struct {
	*plainErrorRecord
	Files wirePaths `json:"files,omitempty"`
}

type plainErrorRecord ErrorRecord

// MarshalJSON keeps every byte of the files' paths, as that of [Change] does.
func (e ErrorRecord) MarshalJSON() ([]byte, error) {
	return json.Marshal(errorRecordJSON{(*plainErrorRecord)(&e), toWire(e.Files)})
}

// UnmarshalJSON reads what MarshalJSON has written.
func (e *ErrorRecord) UnmarshalJSON(b []byte) error {
	j := errorRecordJSON{plainErrorRecord: (*plainErrorRecord)(e)}
	err := json.Unmarshal(b, &j)
	e.Files = j.Files.paths()
	return err
}

type resultJSON struct {
	*plainResult
	CommittedFiles   wirePaths `json:"committedFiles,omitempty"`
	UncommittedFiles wirePaths `json:"uncommittedFiles,omitempty"`
	UncheckedFiles   wirePaths `json:"uncheckedFiles,omitempty"`
}

type plainResult Result

// MarshalJSON keeps every byte of the files' paths, as that of [Change] does.
func (r Result) MarshalJSON() ([]byte, error) {
	return json.Marshal(resultJSON{
		(*plainResult)(&r), toWire(r.CommittedFiles), toWire(r.UncommittedFiles), toWire(r.UncheckedFiles),
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
