package executor

import (
	"fmt"
	"log/slog"
	"strings"
	"text/template"
	"time"

	"github.com/errgen/errgen/runtime/executor/internal/loop"
	"github.com/errgen/errgen/runtime/internal/text"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// descriptions contains the log level of each kind of event, and the text/template of its
// description, whose data is the [Event].
var descriptions = map[EventKind]struct {
	level slog.Level
	text  string
}{
	RunStarted:       {slog.LevelInfo, `run {{.Run}}: {{or .Task "no task"}}{{brackets .Text}}`},
	IterationStarted: {slog.LevelInfo, `iteration {{.Iteration}}{{brackets .Tier}}`},
	CallStarted:      {slog.LevelDebug, `calling {{.Source}}`},
	Progressed:       {slog.LevelDebug, `{{.Text}}`},
	CallEnded:        {slog.LevelDebug, `{{.Source}} took {{time .Took}}{{usage .Usage}}`},
	ErrorClassified:  {slog.LevelDebug, `{{error .Err}}`},
	ReactionTaken:    {slog.LevelDebug, `{{reaction .}}`},
	Waiting:          {slog.LevelDebug, `waiting {{time (.Until.Sub .At)}}{{brackets .Text}}`},
	Waited:           {slog.LevelDebug, `waited {{time .Took}}`},
	Reverted:         {slog.LevelInfo, `reverted {{files .Files}}`},
	Asked:            {slog.LevelInfo, `asked about {{names .Files}}: {{.Text}}`},
	Validated:        {slog.LevelInfo, `{{.Op}} {{if .Err}}failed{{else}}passed{{end}} after {{time .Took}}`},
	Committed:        {slog.LevelInfo, `committed {{files .Files}} as {{printf "%.12s" .Text}}`},
	Delivered:        {slog.LevelInfo, `{{delivery .Op}} {{.Text}}`},
	Escalated:        {slog.LevelInfo, `escalated to {{.Tier}}`},
	Recovered:        {slog.LevelInfo, `strategy {{.Text}} {{if .Err}}failed: {{error .Err}}{{else}}succeeded{{end}}`},
	Warned:           {slog.LevelWarn, `warning: {{if .Text}}{{.Text}}{{else}}{{error .Err}}{{end}}`},
	IterationEnded:   {slog.LevelDebug, `iteration {{.Iteration}} ended after {{time .Took}}`},
	RunEnded:         {slog.LevelInfo, `{{result .Result}}`},
}

var templates = func() map[EventKind]*template.Template {
	functions := template.FuncMap{
		"brackets": inBrackets, "delivery": describeDelivery, "error": describeError, "files": listFiles, "names": fileNames,
		"reaction": describeReaction, "result": describeResult, "time": shortTime, "usage": describeUsage,
	}
	all := map[EventKind]*template.Template{}
	for kind, d := range descriptions {
		all[kind] = template.Must(template.New(string(kind)).Funcs(functions).Parse(d.text))
	}
	return all
}()

// Describe returns an event as one line for people. Secrets are masked, and the line has no control
// characters.
func Describe(e Event) string {
	t := templates[e.Kind]
	if t == nil {
		return text.OneLine(string(e.Kind), maxMessage)
	}
	var b strings.Builder
	_ = t.Execute(&b, e) // writing to a Builder cannot fail
	return text.OneLine(b.String(), maxMessage)
}

// Severity returns the log level of an event. A reaction taken has the level of the reaction. Error
// is for a failed run, Warn for warnings and other failures, Info for progress, Debug for the rest.
func Severity(e Event) slog.Level {
	level := descriptions[e.Kind].level
	switch {
	case e.Kind == ReactionTaken:
		return levelOf(e.Reaction.LogLevel)
	case e.Result != nil && e.Result.Status == StatusFailed:
		return slog.LevelError
	case e.Result != nil && e.Result.Status == StatusBlocked, e.Err != nil && level == slog.LevelInfo:
		return slog.LevelWarn
	}
	return level
}

// levelOf returns the level of a reaction. If it has no level, that is Debug.
func levelOf(l taxonomy.LogLevel) slog.Level {
	return [...]slog.Level{slog.LevelDebug, slog.LevelDebug, slog.LevelInfo, slog.LevelWarn, slog.LevelError}[l]
}

// describeError returns "[CATEGORY] message (CODE)", or the message of an uncategorized error.
func describeError(err error) string {
	if err == nil {
		return "unknown error"
	}
	message := text.Error(err, maxMessage)
	category, code := taxonomy.CategoryOf(err), taxonomy.CodeOf(err)
	if category == "" {
		return message
	}
	return fmt.Sprintf("[%s] %s (%s)", strings.ToUpper(category), message, code)
}

func describeDelivery(op string) string {
	return map[string]string{
		loop.OpDeliver: "delivered as", loop.OpForward: "forwarded the checked out branch to",
		loop.OpPush: "pushed", loop.OpPR: "opened",
	}[op]
}

func describeReaction(e Event) string {
	s := map[taxonomy.Action]string{
		taxonomy.Abort: "stopping", taxonomy.Block: "stopping for a person", taxonomy.Continue: "continuing",
		taxonomy.Retry: "trying again", taxonomy.RetryOperation: "repeating the operation",
		taxonomy.Escalate: "escalating", taxonomy.Recover: "recovering",
	}[e.Action]
	if a := e.Action; e.Reaction.Agent.AcceptCompletion &&
		(a == taxonomy.Retry || a == taxonomy.Escalate || a == taxonomy.Recover) {
		s += " unless the remaining work completes the task"
	}
	if name := e.Reaction.Name; name != e.Action.String() {
		s += inBrackets(name)
	}
	if e.Exhausted {
		s += ", retries exhausted"
	}
	if e.Reaction.LogMessage != "" {
		s += ": " + e.Reaction.LogMessage
	}
	return s
}

func describeResult(r *Result) string {
	if r == nil {
		return "ended"
	}
	s := string(r.Status)
	if string(r.EndReason) != s {
		s += inBrackets(strings.ReplaceAll(string(r.EndReason), "_", " "))
	}
	s += " after " + text.Count(r.Iterations, "iteration")
	if d := r.EndedAt.Sub(r.StartedAt); d >= time.Second && !r.EndedAt.IsZero() {
		s += ", " + shortTime(d)
	}
	if n := len(r.Commits); n > 0 {
		s += ", " + text.Count(n, "commit")
	}
	if n := r.ErrorCount; n > 0 {
		s += ", " + text.Count(n, "error")
	}
	return s + describeUsage(r.Usage)
}

func describeUsage(u Usage) string {
	s := ""
	if n, ok := u.InputTokens.Get(); ok {
		s += fmt.Sprintf(", %d tokens in", n)
	}
	if n, ok := u.OutputTokens.Get(); ok {
		s += fmt.Sprintf(", %d out", n)
	}
	if usd, ok := u.CostUSD.Get(); ok {
		s += fmt.Sprintf(", $%.2f", usd)
	}
	return s
}

// shortTime returns "1.2s", "15s", "1m5s" or "2h3m0s".
func shortTime(d time.Duration) string {
	if d < 10*time.Second {
		return fmt.Sprintf("%.1fs", max(d, 0).Seconds())
	}
	return d.Round(time.Second).String()
}

// listFiles returns a text such as "2 files: a, b" with at most five names.
func listFiles(files []string) string {
	if len(files) == 0 {
		return text.Count(0, "file")
	}
	return text.Count(len(files), "file") + ": " + fileNames(files)
}

func fileNames(files []string) string {
	const shown = 5
	s := strings.Join(files[:min(len(files), shown)], ", ")
	if more := len(files) - shown; more > 0 {
		s += fmt.Sprintf(" and %d more", more)
	}
	return s
}

func inBrackets(s string) string {
	if s == "" {
		return ""
	}
	return " (" + s + ")"
}
