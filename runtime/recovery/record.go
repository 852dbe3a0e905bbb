package recovery

import (
	"context"
	"log/slog"
	"time"

	"github.com/errgen/errgen/runtime/internal/text"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// Action is what a strategy does.
type Action string

// The actions.
const (
	ActionWait    Action = "wait"
	ActionRetry   Action = "retry"
	ActionInstall Action = "install"
	ActionFix     Action = "fix"
)

// The keys of [Record.Data]. All values are text: masked, bounded and untrusted.
const (
	DataWait    = "wait_ms" // how long was to be waited, in milliseconds
	DataHint    = "hint"    // where that comes from: reset_at, retry_after, default or policy
	DataLane    = "lane"    // the lane that was paused
	DataPackage = "package" // the name that was found
	DataCommand = "command" // the command that was run last
	DataOutput  = "output"  // the end of what it printed
	DataFile    = "file"    // the files that commands were given
	DataChanged = "changed" // the paths that were changed, the first of them
	// the reference of what was changed, as it was before it was put back; several with a space
	// between them
	DataSaved   = "saved"
	DataLost    = "lost"     // the paths of what was put back and could not be saved, the first of them
	DataPutBack = "put_back" // "true" when what was changed is put back, "false" when it could not be
	DataLeft    = "left"     // the paths that could not be put back, the first of them
	DataBefore  = "before"   // the reference of the working tree as it was before, where it could not be put back
	DataCheck   = "check"    // the outcome of the validation: passed or failed
	DataWarning = "warning"  // what went wrong besides
)

// Record is what came of one try of a strategy.
type Record struct {
	// Strategy is the strategy's name, Action what it does.
	Strategy string
	Action   Action
	// Code is the failure's code; empty when it has none.
	Code string
	// Message says in a line for people what was done, or why not. Secrets are masked.
	Message string
	// Successful reports that the failed work may be tried again.
	Successful bool
	// Attempts counts the tries for this failure, this one included; MaxAttempts is how many there
	// may be.
	Attempts, MaxAttempts int
	// At is when the try began, Took how long it took, waits included.
	At   time.Time
	Took time.Duration
	// Data are particulars, by the Data constants.
	Data map[string]string
}

// Log returns a function for [Options.Recorded] that logs records: successes as information, the
// rest as warnings.
func Log(l *slog.Logger) func(Record) {
	return func(r Record) {
		level := slog.LevelInfo
		if !r.Successful {
			level = slog.LevelWarn
		}
		l.LogAttrs(context.Background(), level, r.Message, slog.String("strategy", r.Strategy),
			slog.String("action", string(r.Action)),
			slog.String("code", r.Code), slog.Bool("successful", r.Successful), slog.Int("attempts", r.Attempts),
			slog.Int("max_attempts", r.MaxAttempts), slog.Duration("took", r.Took))
	}
}

// Error is why a strategy has not mended.
type Error struct {
	// Strategy is the strategy's name.
	Strategy string
	// Message is that of the [Record].
	Message string
	// Err is the cause; nil when the message is all there is.
	Err error
}

// Error returns the message.
func (e *Error) Error() string { return e.Message }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// brokenPrefix begins the messages of strategies that are broken themselves.
const brokenPrefix = "Recovery strategy failed: "

// failure returns an error with a cause, which the message ends with.
func failure(message string, cause error) *Error {
	return &Error{Message: message + ": " + text.Error(cause, maxMessage), Err: cause}
}

const sourceRecovery = "recovery"

// evidence returns evidence of something that went wrong with a strategy itself.
func evidence(op, kind, text string) *taxonomy.Evidence {
	return &taxonomy.Evidence{Source: sourceRecovery, Op: op, Type: kind, Text: text}
}
