package taxonomy

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/errgen/errgen/runtime/internal/errtree"
	"github.com/errgen/errgen/runtime/internal/redact"
	"github.com/errgen/errgen/runtime/internal/text"
)

// plainEvidence is Evidence without its methods.
type plainEvidence Evidence

// evidenceJSON is the form of evidence in JSON and logs.
type evidenceJSON struct {
	plainEvidence
	RetryAfter Opt[Duration] `json:"retry_after,omitzero"`
	Error      string        `json:"error,omitempty"`
}

// Masked returns a copy that is safe to show: secrets are masked, Err has only its text, and each
// value is bounded. A text and an output keep their last 4096 bytes. A file and an attribute keep
// 1024 bytes, and any other value 256. The copy has at most 64 files and 64 attributes. An
// attribute whose name is that of a secret is masked. A time that RFC 3339 cannot express is left
// out.
func (e Evidence) Masked() Evidence {
	for _, s := range []*string{&e.Source, &e.Op, &e.Type, &e.Code, &e.Signal, &e.Errno, &e.Credential} {
		*s = text.Beginning(*s, maxWord)
	}
	e.Text, e.Output = text.Ending(e.Text, maxMessage), text.Ending(e.Output, maxMessage)
	e.RetryAfterDerived = e.RetryAfterDerived && !e.RetryAfter.IsZero()
	if e.ResetAt = e.ResetAt.UTC(); e.ResetAt.Year() < 0 || e.ResetAt.Year() > 9999 {
		e.ResetAt = time.Time{}
	}
	e.Files = slices.Clone(e.Files[:min(len(e.Files), maxList)])
	for i, file := range e.Files {
		e.Files[i] = text.Beginning(file, maxValue)
	}
	attributes := e.Attributes
	e.Attributes = nil
	for _, name := range slices.Sorted(maps.Keys(attributes))[:min(len(attributes), maxList)] {
		if e.Attributes == nil {
			e.Attributes = make(map[string]string, min(len(attributes), maxList))
		}
		value := text.Beginning(attributes[name], maxValue)
		if value != "" && IsSecretName(name) {
			value = redact.Mask
		}
		e.Attributes[text.Beginning(name, maxWord)] = value
	}
	err := e.Err
	if e.Err = nil; !reaches(err, &e) {
		if message := text.Beginning(errtree.TreeText(err), maxMessage); message != "" {
			e.Err = errors.New(message)
		}
	}
	return e
}

// json returns the masked evidence in the form of JSON and logs.
func (e *Evidence) json() evidenceJSON {
	masked := e.Masked()
	out := evidenceJSON{plainEvidence: plainEvidence(masked)}
	if d, ok := masked.RetryAfter.Get(); ok {
		out.RetryAfter = Some(Duration(d))
	}
	if masked.Err != nil {
		out.Error = masked.Err.Error()
	}
	return out
}

// MarshalJSON returns [Evidence.Masked] as an object whose keys are the fields in snake case,
// absent values left out: durations as "1.5s", times in RFC 3339 UTC, Err by its text under
// "error". It never fails.
func (e Evidence) MarshalJSON() ([]byte, error) { return json.Marshal(e.json()) }

// UnmarshalJSON reads the JSON that MarshalJSON writes. Err becomes an error that has only the
// text. An unknown key and a value of another type are errors and leave e unchanged. A null is an
// absent value.
func (e *Evidence) UnmarshalJSON(b []byte) error {
	var in evidenceJSON
	d := json.NewDecoder(bytes.NewReader(b))
	d.DisallowUnknownFields()
	if err := d.Decode(&in); err != nil {
		message := strings.TrimPrefix(err.Error(), "json: ")
		if t, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
			message = fmt.Sprintf("%s: %s is not a valid %s", t.Field[strings.LastIndexByte(t.Field, '.')+1:], t.Value,
				t.Type)
		}
		return errors.New("evidence: " + text.OneLine(message, maxWord))
	}
	if string(bytes.TrimSpace(b)) == "null" {
		return nil
	}
	*e = Evidence(in.plainEvidence)
	e.ResetAt = e.ResetAt.UTC()
	if d, ok := in.RetryAfter.Get(); ok {
		e.RetryAfter = Some(time.Duration(d))
	}
	if in.Error != "" {
		e.Err = errors.New(in.Error)
	}
	return nil
}

// LogValue returns a group with the keys and values of the JSON.
func (e Evidence) LogValue() slog.Value {
	v := reflect.ValueOf(e.json())
	var attrs []slog.Attr
	for _, f := range reflect.VisibleFields(v.Type()) {
		key, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if x := v.FieldByIndex(f.Index); key != "" && key != "-" && !x.IsZero() {
			attrs = append(attrs, slog.Any(key, x.Interface()))
		}
	}
	return slog.GroupValue(attrs...)
}

// Format prints the text that Error returns; %+v and %#v print the JSON, on one line and without
// control characters.
func (e Evidence) Format(s fmt.State, verb rune) {
	switch {
	case verb == 'v' && s.Flag('#'):
		_, _ = io.WriteString(s, "taxonomy.Evidence"+e.printed())
	case verb == 'v' && s.Flag('+'):
		_, _ = io.WriteString(s, e.printed())
	default:
		_, _ = fmt.Fprintf(s, fmt.FormatString(s, verb), e.Error())
	}
}

// printed returns the JSON without characters that cannot be printed.
func (e *Evidence) printed() string {
	out, _ := json.Marshal(e.json()) // cannot fail
	return text.Printable(string(out), "")
}
