package notify

import (
	"log/slog"
	"strings"
	"time"

	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/internal/text"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// Message describes the end of a run. Its texts are on one line, bounded, and masked. They are
// untrusted: a provider may have written them. A webhook posts its JSON.
type Message struct {
	// Text is the message as a sentence: "[TIMEOUT] Task blocked: iteration 3 exceeded the limit of
	// 5m0s". Without a category there are no brackets.
	Text string `json:"text"`
	// Level is Info for a completed or cancelled run, Warn for a blocked run, Error for a failed
	// run.
	Level slog.Level `json:"level"`

	Run       string             `json:"run"`
	Task      string             `json:"task"`
	Status    executor.Status    `json:"status"`
	EndReason executor.EndReason `json:"endReason"`
	// EndsRun reports that the error also prevents other tasks.
	EndsRun bool `json:"endsRun,omitempty"`

	// Category, Code and Severity are the last error's; empty if the run was completed or the error
	// has none.
	Category string            `json:"category,omitempty"`
	Code     string            `json:"code,omitempty"`
	Severity taxonomy.Severity `json:"severity,omitzero"`
	// Error is the message of the last error.
	Error string `json:"error,omitempty"`
	// Question is the question that the run asks a person.
	Question string `json:"question,omitempty"`

	Iterations  int    `json:"iterations"`
	Failures    int    `json:"failures"`
	Commits     int    `json:"commits"`
	Pushed      bool   `json:"pushed,omitempty"`
	PullRequest string `json:"pullRequest,omitempty"`
	// Warnings counts the failures that did not change the outcome.
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

// text returns the message as a sentence.
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

// about returns the part of the sentence after the status.
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

// attrs returns the message for a log.
func (m *Message) attrs() []slog.Attr {
	severity := ""
	if m.Severity != 0 {
		severity = m.Severity.String()
	}
	var attrs []slog.Attr
	for _, a := range []slog.Attr{
		slog.String("run", m.Run), slog.String("task", m.Task),
		slog.String("status", string(m.Status)), slog.String("end_reason", string(m.EndReason)),
		slog.String("category", m.Category), slog.String("code", m.Code), slog.String("error", m.Error),
		slog.String("question", m.Question), slog.String("pull_request", m.PullRequest),
		slog.String("severity", severity),
	} {
		if a.Value.String() != "" {
			attrs = append(attrs, a)
		}
	}
	return append(attrs,
		slog.Int("iterations", m.Iterations), slog.Int("failures", m.Failures), slog.Int("commits", m.Commits),
		slog.Bool("pushed", m.Pushed), slog.Int("warnings", m.Warnings))
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
