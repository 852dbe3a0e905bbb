package taxonomy

import (
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"

	"github.com/errgen/errgen/runtime/internal/errtree"
	"github.com/errgen/errgen/runtime/internal/text"
)

const (
	// maxFrames bounds a stack.
	maxFrames = 64
	// skipFrames are runtime.Callers, withStack and the exported function that calls it.
	skipFrames = 3
)

// Stack selects the errors that record the stack when they are classified.
type Stack uint8

// The values of Stack. The zero value is the default.
const (
	StackFallback Stack = iota // errors that no rule matches
	StackNever                 // none, unless a profile's reporting sets it
	StackAlways                // all
)

var stackWords = [...]string{"fallback", "never", "always"}

// String returns the word of the taxonomy's language.
func (s Stack) String() string { return word(stackWords[:], "Stack", uint8(s)) }

// MarshalText returns the word of the taxonomy's language.
func (s Stack) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// Traced is an error with the stack of the place at which it was made or classified. Its message,
// JSON and log value are those of the error. Only %+v shows the stack.
type Traced struct {
	err error
	pcs []uintptr
}

// WithStack returns err with the stack of the caller. It returns nil, and an error that has a
// stack, unchanged.
func WithStack(err error) error {
	if err == nil {
		return nil
	}
	return withStack(err)
}

func withStack(err error) error {
	if _, traced := errtree.As[*Traced](err); traced {
		return err
	}
	var pcs [maxFrames]uintptr
	n := runtime.Callers(skipFrames, pcs[:])
	return &Traced{err: err, pcs: append([]uintptr(nil), pcs[:n]...)}
}

// Error returns the error's message.
func (t *Traced) Error() string { return t.err.Error() }

// Unwrap returns the error without its stack.
func (t *Traced) Unwrap() error { return t.err }

// Frames returns the stack, the innermost call first.
func (t *Traced) Frames() *runtime.Frames { return runtime.CallersFrames(t.pcs) }

// AppendStack appends the stack as text: for each call the function, and below it, indented, file
// and line.
func (t *Traced) AppendStack(dst []byte) []byte {
	frames := t.Frames()
	for {
		f, more := frames.Next()
		if f.Function != "" {
			dst = append(dst, "\n    "...)
			dst = append(dst, f.Function...)
			dst = append(dst, "\n        "...)
			dst = append(dst, f.File...)
			dst = append(dst, ':')
			dst = strconv.AppendInt(dst, int64(f.Line), 10)
		}
		if !more {
			return dst
		}
	}
}

// Format prints the error. %+v also prints the stack.
func (t *Traced) Format(s fmt.State, verb rune) {
	_, _ = fmt.Fprintf(s, fmt.FormatString(s, verb), t.err)
	if verb == 'v' && s.Flag('+') {
		_, _ = io.WriteString(s, "\nstack:"+string(t.AppendStack(nil)))
	}
}

// LogValue returns the error's log value, or its message with secrets masked.
func (t *Traced) LogValue() slog.Value {
	if v, ok := t.err.(slog.LogValuer); ok {
		return v.LogValue()
	}
	return slog.StringValue(Redact(errtree.TreeText(t.err)))
}

// MarshalJSON returns the error's JSON, or an object with its message with secrets masked.
func (t *Traced) MarshalJSON() ([]byte, error) {
	if m, ok := t.err.(json.Marshaler); ok {
		return m.MarshalJSON()
	}
	return json.Marshal(struct {
		Message string `json:"message"`
	}{Redact(strings.ToValidUTF8(errtree.TreeText(t.err), "\uFFFD"))})
}

// Panic is the cause of the error that a panic becomes. The function of OnError of an edge gets it
// by errors.AsType[*taxonomy.Panic].
type Panic struct {
	Value any
	Stack []byte // of the goroutine, as debug.Stack returns it
}

// PanicEvidence returns evidence of the type "panic" for a value that recover returned. Servers and
// queues return it for each panic, so that one rule of a taxonomy matches all of them.
func PanicEvidence(v any) *Evidence {
	p := &Panic{Value: v, Stack: debug.Stack()}
	return &Evidence{Type: "panic", Text: p.Error(), Err: p}
}

// Error returns the value of the panic, secrets masked.
func (p *Panic) Error() string { return Redact(fmt.Sprintf("panic: %v", p.Value)) }

// ReplaceAttr makes slog log an error that wraps an error of a taxonomy as that error. The text of
// the outer error is under "text", with secrets masked. An error of no taxonomy becomes its text
// with secrets masked, if there are any. Every other attribute is unchanged. Set it as
// slog.HandlerOptions.ReplaceAttr.
func ReplaceAttr(_ []string, a slog.Attr) slog.Attr {
	if a.Value.Kind() != slog.KindAny {
		return a
	}
	err, _ := a.Value.Any().(error)
	c, ok := First(err, nil)
	if !ok {
		return masked(a, err)
	}
	attrs := []slog.Attr{slog.String("text", text.Beginning(errtree.TreeText(err), maxMessage))}
	if v, ok := c.(slog.LogValuer); ok {
		attrs = append(attrs, v.LogValue().Resolve().Group()...)
	} else {
		attrs = append(attrs, slog.String("category", CategoryOf(c)), slog.String("code", CodeOf(c)))
	}
	return slog.Attr{Key: a.Key, Value: slog.GroupValue(attrs...)}
}

// masked returns an attribute without the secrets in the text of its error, which may be nil.
func masked(a slog.Attr, err error) slog.Attr {
	if err == nil {
		return a
	}
	whole := errtree.TreeText(err)
	if Redact(whole) == whole {
		return a
	}
	return slog.String(a.Key, text.Beginning(whole, maxMessage))
}
