package taxonomy

import (
	"fmt"
	"io"
	"log/slog"
	"maps"
	"slices"
	"time"

	"github.com/errgen/errgen/runtime/taxonomy/internal/redact"
)

// shownEvidence is what is shown of evidence: secrets masked, everything bounded. It has the JSON
// keys.
type shownEvidence struct {
	Source            string            `json:"source,omitempty"`
	Op                string            `json:"op,omitempty"`
	Type              string            `json:"type,omitempty"`
	Status            int               `json:"status,omitempty"`
	StatusDerived     bool              `json:"status_derived,omitempty"`
	Code              string            `json:"code,omitempty"`
	ExitCode          Opt[int]          `json:"exit_code,omitzero"`
	Signal            string            `json:"signal,omitempty"`
	Errno             string            `json:"errno,omitempty"`
	Text              string            `json:"text,omitempty"`
	Output            string            `json:"output,omitempty"`
	Files             []string          `json:"files,omitempty"`
	RetryAfter        Opt[duration]     `json:"retry_after,omitzero"`
	RetryAfterDerived bool              `json:"retry_after_derived,omitempty"`
	ResetAt           *time.Time        `json:"reset_at,omitempty"`
	Credential        string            `json:"credential,omitempty"`
	Attributes        map[string]string `json:"attributes,omitempty"`
	Error             string            `json:"error,omitempty"`
}

// duration is a duration that is a text in JSON: "1.5s".
type duration time.Duration

// MarshalText returns the text.
func (d duration) MarshalText() ([]byte, error) { return []byte(time.Duration(d).String()), nil }

func (e *Evidence) shown() *shownEvidence {
	s := &shownEvidence{
		Source: beginning(e.Source, maxWord), Op: beginning(e.Op, maxWord), Type: beginning(e.Type, maxWord),
		Status: e.Status, StatusDerived: e.StatusDerived, Code: beginning(e.Code, maxWord), ExitCode: e.ExitCode,
		Signal: beginning(e.Signal, maxWord), Errno: beginning(e.Errno, maxWord),
		Text: ending(e.Text, maxText), Output: ending(e.Output, maxText),
		Credential: beginning(e.Credential, maxWord), Attributes: shownAttributes(e.Attributes),
	}
	for _, file := range e.Files[:min(len(e.Files), maxList)] {
		s.Files = append(s.Files, beginning(file, maxValue))
	}
	if d, ok := e.RetryAfter.Get(); ok {
		s.RetryAfter, s.RetryAfterDerived = Some(duration(d)), e.RetryAfterDerived
	}
	if at := e.ResetAt.UTC(); !at.IsZero() && at.Year() >= 0 && at.Year() <= 9999 {
		s.ResetAt = &at
	}
	if !reaches(e.Err, e) {
		s.Error = beginning(errorText(e.Err), maxMessage)
	}
	return s
}

// shownAttributes returns the first attributes by name. A value whose name is that of a secret is
// masked as a whole.
func shownAttributes(attributes map[string]string) map[string]string {
	if len(attributes) == 0 {
		return nil
	}
	shown := make(map[string]string, min(len(attributes), maxList))
	for _, name := range slices.Sorted(maps.Keys(attributes))[:min(len(attributes), maxList)] {
		value := beginning(attributes[name], maxValue)
		if value != "" && NamesSecret(name) {
			value = redact.Mask
		}
		shown[beginning(name, maxWord)] = value
	}
	return shown
}

// LogValue returns a group with the keys of the JSON, secrets masked.
func (e Evidence) LogValue() slog.Value {
	s := e.shown()
	attrs := make([]slog.Attr, 0, 8)
	text := func(key, value string) {
		if value != "" {
			attrs = append(attrs, slog.String(key, value))
		}
	}
	text("source", s.Source)
	text("op", s.Op)
	text("type", s.Type)
	if s.Status != 0 {
		attrs = append(attrs, slog.Int("status", s.Status))
	}
	if s.StatusDerived {
		attrs = append(attrs, slog.Bool("status_derived", true))
	}
	text("code", s.Code)
	if code, ok := s.ExitCode.Get(); ok {
		attrs = append(attrs, slog.Int("exit_code", code))
	}
	text("signal", s.Signal)
	text("errno", s.Errno)
	text("text", s.Text)
	text("output", s.Output)
	if len(s.Files) > 0 {
		attrs = append(attrs, slog.Any("files", s.Files))
	}
	if d, ok := s.RetryAfter.Get(); ok {
		attrs = append(attrs, slog.Duration("retry_after", time.Duration(d)))
	}
	if s.RetryAfterDerived {
		attrs = append(attrs, slog.Bool("retry_after_derived", true))
	}
	if s.ResetAt != nil {
		attrs = append(attrs, slog.Time("reset_at", *s.ResetAt))
	}
	text("credential", s.Credential)
	if len(s.Attributes) > 0 {
		group := make([]slog.Attr, 0, len(s.Attributes))
		for _, name := range slices.Sorted(maps.Keys(s.Attributes)) {
			group = append(group, slog.String(name, s.Attributes[name]))
		}
		attrs = append(attrs, slog.Attr{Key: "attributes", Value: slog.GroupValue(group...)})
	}
	text("error", s.Error)
	return slog.GroupValue(attrs...)
}

// Format prints what Error returns; %+v and %#v print the JSON, on one line and without control
// characters.
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

// printed returns the JSON, what cannot be printed escaped.
func (e *Evidence) printed() string {
	b, err := e.MarshalJSON()
	if err != nil {
		return e.Error()
	}
	return escaped(string(b))
}
