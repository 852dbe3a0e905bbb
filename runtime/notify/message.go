package notify

import (
	"log/slog"
	"strings"
	"time"

	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/internal/text"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// Message is what people are told about a run. All texts in it are one line, bounded, and have
// their secrets masked; they are untrusted nevertheless, since a provider may have written them.
// Its JSON is what a webhook gets.
type Message struct {
	// Text is the message as people read it: "[TIMEOUT] Task blocked: iteration 3 exceeded the
	// limit of 300000 ms". Without a category there are no brackets.
	Text string `json:"text"`
	// Level is Info for a run that was completed or cancelled, Warn for a blocked one, Error for a
	// failed one.
	Level slog.Level `json:"level"`

	Run       string             `json:"run"`
	Task      string             `json:"task"`
	Status    executor.Status    `json:"status"`
	EndReason executor.EndReason `json:"endReason"`
	// EndsRun reports that no other task can be run either.
	EndsRun bool `json:"endsRun,omitempty"`

	// Category, Code and Severity are those of the last error; empty when the run was completed or
	// the error has none.
	Category string            `json:"category,omitempty"`
	Code     string            `json:"code,omitempty"`
	Severity taxonomy.Severity `json:"severity,omitzero"`
	// Error is what the last error says.
	Error string `json:"error,omitempty"`
	// Question is what a person is asked.
	Question string `json:"question,omitempty"`

	Iterations  int    `json:"iterations"`
	Failures    int    `json:"failures"`
	Commits     int    `json:"commits"`
	Pushed      bool   `json:"pushed,omitempty"`
	PullRequest string `json:"pullRequest,omitempty"`
	// Warnings counts what went wrong without changing the outcome.
	Warnings int       `json:"warnings,omitempty"`
	EndedAt  time.Time `json:"endedAt,omitzero"`
}

// Bounds on texts, in bytes.
const (
	maxText  = 1000
	maxField = 200
)

// NewMessage returns the message about a result.
func NewMessage(r *executor.Result) Message {
	m := Message{
		Level: level(r.Status),
		Run:   text.OneLine(r.Run, maxField), Task: text.OneLine(r.Task, maxField),
		Status: r.Status, EndReason: r.EndReason, EndsRun: r.EndsRun,
		Question:   text.OneLine(r.Question, maxText),
		Iterations: r.Iterations, Failures: r.Failures, Commits: len(r.Commits), Pushed: r.Pushed,
		PullRequest: text.OneLine(r.PullRequest, maxText), Warnings: len(r.Warnings), EndedAt: r.EndedAt,
	}
	if r.Status != executor.StatusCompleted {
		m.Category, m.Code = text.OneLine(r.ErrorCategory, maxField), text.OneLine(r.ErrorCode, maxField)
		m.Error = text.OneLine(r.Error, maxText)
		m.Severity = taxonomy.SeverityOf(r.Err)
	}
	m.Text = m.text()
	return m
}

// text returns the message for people.
func (m *Message) text() string {
	var b strings.Builder
	if m.Category != "" {
		b.WriteString("[" + strings.ToUpper(m.Category) + "] ")
	}
	b.WriteString("Task " + string(m.Status))
	if about := m.about(); about != "" {
		b.WriteString(": " + about)
	}
	return text.Beginning(b.String(), maxText)
}

// about returns what there is to say besides the status.
func (m *Message) about() string {
	switch {
	case m.Status == executor.StatusCompleted:
		return m.Task
	case m.EndReason == executor.EndBlockedSignal && m.Question != "":
		return m.Question
	case m.Error != "":
		return m.Error
	}
	return strings.ReplaceAll(string(m.EndReason), "_", " ")
}

func level(s executor.Status) slog.Level {
	switch s {
	case executor.StatusCompleted, executor.StatusCancelled:
		return slog.LevelInfo
	case executor.StatusBlocked:
		return slog.LevelWarn
	}
	return slog.LevelError
}
