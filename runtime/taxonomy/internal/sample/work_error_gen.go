package sample

import (
	"fmt"
	"log/slog"

	"github.com/errgen/errgen/runtime/taxonomy"
	"github.com/errgen/errgen/runtime/taxonomy/gen"
)

// WorkCode is a code of [WorkError]. The zero WorkCode is no code.
type WorkCode uint16

// The codes of [WorkError].
const (
	// CodeScopeForbidden: forbidden files were changed.
	CodeScopeForbidden WorkCode = 1
	// CodeGitCommit: the commit failed.
	CodeGitCommit WorkCode = 2
)

// Error returns the code's value on the wire.
func (c WorkCode) Error() string { return gen.CodeValue(c.Row(), &definition) }

// String returns the code's value on the wire.
func (c WorkCode) String() string { return gen.CodeValue(c.Row(), &definition) }

// Taxonomy returns the taxonomy that the code belongs to.
func (c WorkCode) Taxonomy() *taxonomy.Taxonomy { return &definition }

// Row returns the code's row, without any `when` branch.
func (c WorkCode) Row() taxonomy.Row { return gen.CodeRow(uint16(c), 5, 2) }

// Reaction returns what is to be done about the code, without any `when` branch.
func (c WorkCode) Reaction() taxonomy.Reaction { return *definition.Rows[c.Row()].Reaction }

// MarshalText returns the code's value on the wire; no code is an error.
func (c WorkCode) MarshalText() ([]byte, error) { return gen.MarshalCode(c.Row(), &definition) }

// UnmarshalText reads a value or alias of one of these codes.
func (c *WorkCode) UnmarshalText(text []byte) error {
	n, err := gen.UnmarshalCode(text, &definition, categoryWork)
	if err != nil {
		return err
	}
	*c = WorkCode(n)
	return nil
}

// WorkDecision is a value of [WorkError].Decision. The zero WorkDecision is none.
type WorkDecision uint8

// The values of [WorkDecision].
const (
	WorkDecisionBlock   WorkDecision = 1
	WorkDecisionAskUser WorkDecision = 2
)

const countWorkDecision = 2

var wordsWorkDecision = []string{"BLOCK", "ASK_USER"}

// String returns the word on the wire, "" for none.
func (v WorkDecision) String() string { return gen.EnumWord(uint8(v), wordsWorkDecision) }

// MarshalText returns the word on the wire.
func (v WorkDecision) MarshalText() ([]byte, error) {
	return gen.MarshalEnum(uint8(v), "WorkDecision", wordsWorkDecision)
}

// UnmarshalText reads a word.
func (v *WorkDecision) UnmarshalText(text []byte) error {
	n, err := gen.UnmarshalEnum(text, "WorkDecision", wordsWorkDecision)
	if err != nil {
		return err
	}
	*v = WorkDecision(n)
	return nil
}

const workValue = gen.Scrub

// WorkError says that work on the repository failed. Its factories are the only way to give it a code.
type WorkError struct {
	code  WorkCode
	cause error

	// Files are what revert undoes.
	Files    []string                   `json:"files"`
	Decision taxonomy.Opt[WorkDecision] `json:"decision,omitzero"`
	// Value is shown in the message only, with secrets masked.
	Value taxonomy.Opt[string] `json:"-"`
}

// NewScopeForbidden returns a [CodeScopeForbidden]: forbidden files were changed.
func NewScopeForbidden(files []string) *WorkError {
	return &WorkError{code: CodeScopeForbidden, Files: gen.CloneStrings(files), Decision: taxonomy.Some(WorkDecisionBlock)}
}

// NewGitCommit returns a [CodeGitCommit]: the commit failed.
func NewGitCommit() *WorkError {
	return &WorkError{code: CodeGitCommit}
}

// WithFiles returns a copy of e with the files.
func (e *WorkError) WithFiles(files []string) *WorkError {
	c := *e
	c.Files = gen.CloneStrings(files)
	return &c
}

// WithDecision returns a copy of e with the decision.
func (e *WorkError) WithDecision(decision WorkDecision) *WorkError {
	c := *e
	c.Decision = gen.SomeEnum(decision, countWorkDecision)
	return &c
}

// WithValue returns a copy of e with the value.
func (e *WorkError) WithValue(value string) *WorkError {
	c := *e
	c.Value = taxonomy.Some(value)
	return &c
}

// WithCause returns a copy of e with the cause.
func (e *WorkError) WithCause(cause error) *WorkError {
	c := *e
	c.cause = cause
	return &c
}

// Code returns the code; zero when e has none.
func (e *WorkError) Code() WorkCode { return e.code }

// Error returns the message.
func (e *WorkError) Error() string {
	var buf [128]byte
	return string(e.AppendMessage(buf[:0]))
}

// Unwrap returns the cause, or nil.
func (e *WorkError) Unwrap() error { return e.cause }

// Is reports whether target is e's code.
func (e *WorkError) Is(target error) bool {
	c, ok := target.(WorkCode)
	return ok && c == e.code && c != 0
}

// As sets a *WorkCode to e's code.
func (e *WorkError) As(target any) bool {
	c, ok := target.(*WorkCode)
	if !ok || e.code == 0 {
		return false
	}
	*c = e.code
	return true
}

// Taxonomy returns the taxonomy that e belongs to.
func (e *WorkError) Taxonomy() *taxonomy.Taxonomy { return &definition }

// Row returns the row that the code selects.
func (e *WorkError) Row() taxonomy.Row { return e.code.Row() }

// AppendMessage appends the message.
func (e *WorkError) AppendMessage(dst []byte) []byte {
	m := gen.Message(dst)
	switch e.code {
	case CodeScopeForbidden:
		m = m.Count(len(e.Files)).Text(" forbidden: ").Strings(e.Files, 0)
	case CodeGitCommit:
		m = m.Text("commit failed")
		m = m.Begin(": ").Cause(e.cause)
		m = m.Begin(" (").OptClean(e.Value, workValue).Text(", ").String(e.Decision.Or(0).String()).End(")")
	default:
		m = m.NoCode("work")
	}
	return m.Bytes()
}

// AppendContext appends the context as a JSON object, secrets masked.
func (e *WorkError) AppendContext(dst []byte) []byte {
	o := gen.Object(dst)
	o = o.OptStrings("files", e.Files, 0)
	o = o.OptEnum("decision", e.Decision.Or(0).String())
	return o.Close()
}

// AppendJSON appends the error as a JSON object, secrets masked.
func (e *WorkError) AppendJSON(dst []byte) []byte { return gen.AppendJSON(dst, e, categoryWork) }

// MarshalJSON returns the error as a JSON object, secrets masked.
func (e *WorkError) MarshalJSON() ([]byte, error) { return gen.MarshalJSON(e, categoryWork) }

// UnmarshalJSON reads what MarshalJSON wrote; the JSON of another type of error is refused.
func (e *WorkError) UnmarshalJSON(b []byte) error {
	back, err := UnmarshalError(b)
	if err != nil {
		return err
	}
	typed, ok := back.(*WorkError)
	if !ok {
		return gen.WrongType(back)
	}
	*e = *typed
	return nil
}

// LogValue returns the error as structured attributes, secrets masked.
func (e *WorkError) LogValue() slog.Value {
	l := gen.Log(e, categoryWork)
	l = l.OptStrings("files", e.Files, 0)
	l = l.OptEnum("decision", e.Decision.Or(0).String())
	return l.Value()
}

// Format prints the message; %+v also prints code, context and causes.
func (e *WorkError) Format(s fmt.State, verb rune) { gen.Format(s, verb, e, categoryWork) }

// Hints returns what the error says to whoever reacts to it.
func (e *WorkError) Hints() taxonomy.Hints { return taxonomy.Hints{Files: e.Files} }

// AppendFeedback appends what is fed back about the error; nothing when there is no more to say than the message.
func (e *WorkError) AppendFeedback(dst []byte) []byte {
	m := gen.Message(dst)
	switch e.code {
	case CodeScopeForbidden:
		m = m.Text("Do not touch ").Strings(e.Files, 0).Text(".")
	}
	return m.Bytes()
}

func (e *WorkError) decodeField(d *gen.Decoder) {
	switch string(d.Key()) {
	case "files":
		d.Strings(&e.Files)
	case "decision":
		gen.DecodeOptEnum(d, &e.Decision, wordsWorkDecision)
	default:
		d.Skip()
	}
}
