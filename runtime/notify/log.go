package notify

import (
	"context"
	"log/slog"
)

// logChannel writes messages to a log.
type logChannel struct{ logger *slog.Logger }

// NewLog returns the channel "log", which writes each message to a log at its level. A nil logger
// is slog's default one.
func NewLog(logger *slog.Logger) Channel {
	if logger == nil {
		logger = slog.Default()
	}
	return logChannel{logger}
}

func (logChannel) Name() string { return "log" }

func (c logChannel) Send(ctx context.Context, m Message) error {
	attrs := []slog.Attr{
		slog.String("run", m.Run), slog.String("task", m.Task),
		slog.String("status", string(m.Status)), slog.String("end_reason", string(m.EndReason)),
	}
	for _, a := range []slog.Attr{
		slog.String("category", m.Category), slog.String("code", m.Code), slog.String("error", m.Error),
		slog.String("question", m.Question), slog.String("pull_request", m.PullRequest),
	} {
		if a.Value.String() != "" {
			attrs = append(attrs, a)
		}
	}
	if m.Severity != 0 {
		attrs = append(attrs, slog.String("severity", m.Severity.String()))
	}
	attrs = append(attrs,
		slog.Int("iterations", m.Iterations), slog.Int("failures", m.Failures), slog.Int("commits", m.Commits),
		slog.Bool("pushed", m.Pushed), slog.Int("warnings", m.Warnings))
	c.logger.LogAttrs(ctx, m.Level, m.Text, attrs...)
	return nil
}
