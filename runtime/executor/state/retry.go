package state

import (
	"cmp"
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"text/template"
	"time"

	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/internal/text"
)

// The limits of a retry context, in numbers and bytes.
const (
	maxEarlier = 10
	maxLine    = 300
	maxTail    = 2 << 10
	maxFiles   = 20
	maxPath    = 200
	// maxSearched limits the attempts in which the previous failure is searched.
	maxSearched = 100
)

// RetryContext describes the earlier attempts at a task to the next one. Its texts come from
// programs, files and models, with secrets masked; see [RetryContext.Render].
//
// The previous failure is the newest one since the last clean attempt that counted or that the
// taxonomy feeds back, in all runs of the task's generation. Without such an attempt, it is the
// last attempt. Later attempts, for example rate limited, cancelled or interrupted ones, are in
// Since.
type RetryContext struct {
	// AttemptNumber is the number of the next attempt, from 1. An attempt that did not count has
	// the same number as the next one.
	AttemptNumber int `json:"attempt_number"`
	// MaxAttempts is the limit of attempts; 0 is unknown.
	MaxAttempts int `json:"max_attempts"`
	// PreviousErrorCode is the recorded code, or the fallback. It is empty if nothing failed: the
	// last attempt was cancelled, or ended with a question.
	PreviousErrorCode string `json:"previous_error_code"`
	// PreviousError is the message of the previous failure. It is never empty.
	PreviousError string `json:"previous_error"`
	// WhatWasTried has the changed files and the end of the answer of that attempt. It is never
	// empty.
	WhatWasTried string `json:"what_was_tried"`
	// CheckOutput is the detailed report of that failure, such as the output of tests or linters.
	// It is empty unless the taxonomy feeds the failure back.
	CheckOutput string `json:"check_output,omitempty"`
	// Meaning and WhatToFix are the taxonomy's doc and resolution of the code.
	Meaning   string `json:"meaning,omitempty"`
	WhatToFix string `json:"what_to_fix,omitempty"`
	// Last is the outcome of the last attempt.
	Last AttemptOutcome `json:"last"`
	// Question is the question with which a run ended. It is empty if a later attempt was clean, or
	// is the previous failure.
	Question string `json:"question,omitempty"`
	// Since are the attempts after the previous failure, and Earlier the failed ones before it.
	// Both have at most the newest 10, the newest last.
	Since   []EarlierAttempt `json:"since,omitempty"`
	Earlier []EarlierAttempt `json:"earlier,omitempty"`
}

// EarlierAttempt is one of the other attempts.
type EarlierAttempt struct {
	Number  int            `json:"number"`
	Outcome AttemptOutcome `json:"outcome"`
	Code    string         `json:"code,omitempty"`
	// Error is the first line of the message.
	Error string `json:"error,omitempty"`
}

// RetryContext returns the retry context of a task. It is nil if the task's generation has no
// attempts or the last one was clean. A maxAttempts of 0 is unknown.
func (s *Store) RetryContext(ctx context.Context, task string, maxAttempts int) (*RetryContext, error) {
	c, _, err := s.history(ctx, task, maxAttempts)
	return c, err
}

// history returns the retry context of a task, and its last attempt.
func (s *Store) history(ctx context.Context, task string, maxAttempts int) (c *RetryContext, last Attempt, err error) {
	err = s.view(ctx, "read the earlier attempts", func(v *tx) error {
		found, err := query[Attempt](v, latestAttempts, task, maxSearched) // the newest first
		s.coded(found)
		if err != nil || len(found) == 0 || found[0].Outcome == Clean {
			return err
		}
		last, c = found[0], &RetryContext{Last: found[0].Outcome, MaxAttempts: maxAttempts}
		var counted int
		err = v.scan("SELECT count(*) FROM attempts WHERE task_id = ? AND generation = ? AND counted = 1",
			[]any{task, last.Generation}, &counted)
		if err != nil {
			return err
		}
		c.AttemptNumber = counted + 1
		return s.fill(v, c, found)
	})
	return c, last, err
}

// fill adds the found attempts, the newest first, to the retry context.
func (s *Store) fill(v *tx, c *RetryContext, found []Attempt) (err error) {
	chosen := slices.IndexFunc(found, func(a Attempt) bool { return a.Success || s.agentFailed(&a) })
	if chosen < 0 || found[chosen].Success {
		chosen = 0
	}
	number := c.AttemptNumber
	var lines []EarlierAttempt // the newest first
	for i := range found {
		a := &found[i]
		if a.Counted.Or(false) {
			number--
		}
		lines = append(lines, EarlierAttempt{Number: number, Outcome: a.Outcome, Code: shownCode(a),
			Error: firstLine(a.Error)})
		if a.Outcome == Question && i <= chosen && c.Question == "" {
			c.Question = a.Error
		}
	}
	c.Since = append(c.Since, lines[:min(chosen, maxEarlier)]...)
	for i := chosen + 1; i < len(found) && len(c.Earlier) < maxEarlier; i++ {
		if !found[i].Success {
			c.Earlier = append(c.Earlier, lines[i])
		}
	}
	slices.Reverse(c.Since)
	slices.Reverse(c.Earlier)
	a := &found[chosen]
	c.WhatWasTried = tried(a)
	switch a.Outcome {
	case Question:
		c.PreviousError = "It stopped with a question to a person."
		return nil
	case Cancelled:
		c.PreviousError = "It was stopped before it ended."
		return nil
	}
	c.PreviousErrorCode, c.PreviousError = shownCode(a), a.Error
	if c.PreviousError == "" {
		c.PreviousError = "It ended without success, and no error was reported."
	}
	m := s.meaningOf(a.CodeAsWritten)
	if m.declared != nil {
		c.Meaning, c.WhatToFix = mask.OneLine(m.declared.Doc, maxName), mask.OneLine(m.declared.Resolution, maxName)
	}
	if !m.feedsBack(a.Reaction) {
		return nil
	}
	c.CheckOutput = a.Feedback
	if c.CheckOutput == "" {
		c.CheckOutput, err = detailsOf(v, a)
	}
	return err
}

// agentFailed reports whether the agent caused a failure: it counted, or the taxonomy feeds it
// back.
func (s *Store) agentFailed(a *Attempt) bool {
	m := s.meaningOf(a.CodeAsWritten)
	return a.Counted.Or(false) || a.Outcome == Failed && m.feedsBack(a.Reaction)
}

// shownCode returns the recorded code of an attempt, or the fallback.
func shownCode(a *Attempt) string { return mask.OneLine(cmp.Or(a.CodeAsWritten, a.Code), maxLine) }

// detailsOf returns the texts in the details of an attempt's error, each with its name. It leaves
// out texts that the message contains.
func detailsOf(v *tx, a *Attempt) (string, error) {
	records, err := query[executor.ErrorRecord](v, `SELECT record FROM errors WHERE run = ? AND iteration = ?
		AND retried = 0 ORDER BY (code IS ? AND message = ?) DESC, seq DESC LIMIT 1`, a.Run, a.Iteration,
		bind(a.CodeAsWritten), a.Error)
	if err != nil || len(records) == 0 || len(records[0].Details) == 0 {
		return "", err
	}
	var fields map[string]any
	if err := json.Unmarshal(records[0].Details, &fields); err != nil {
		return "", err
	}
	var lines []string
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		if detail, ok := fields[name].(string); ok && !strings.Contains(a.Error, strings.TrimSpace(detail)) {
			lines = append(lines, name+": "+strings.TrimRight(detail, "\n"))
		}
	}
	return strings.Join(lines, "\n"), nil
}

// tried summarizes an attempt: the files that it changed, and the end of its answer.
func tried(a *Attempt) string {
	var b strings.Builder
	for i, path := range a.Changed {
		if i == 0 {
			b.WriteString("It changed these files:\n")
		}
		if i == maxFiles {
			b.WriteString("- and " + strconv.Itoa(len(a.Changed)-i) + " more\n")
			break
		}
		b.WriteString("- " + mask.Ending(text.Name(path), maxPath) + "\n")
	}
	if tail := strings.TrimSpace(mask.Ending(strings.TrimSpace(a.Output), maxTail)); tail != "" {
		b.WriteString("Its answer ended with:\n" + tail)
	}
	if b.Len() == 0 {
		return "Its changes and its answer are unknown."
	}
	return strings.TrimRight(b.String(), "\n")
}

// firstLine returns the first line of a text that is not blank.
func firstLine(s string) string {
	for line := range strings.Lines(s) {
		if line = mask.OneLine(line, maxLine); line != "" {
			return line
		}
	}
	return ""
}

// PromptOptions configure the prompts of [Store.Prompt].
type PromptOptions struct {
	// MaxAttempts is the limit of attempts; 0 is unknown.
	MaxAttempts int
	// Limit is the limit of the text about earlier attempts, in bytes; 16 KiB by default.
	Limit int
	// Base makes the prompt; [executor.DefaultPrompt] by default.
	Base func(executor.PromptInput) string
}

// Prompt returns a function for [executor.Config].Prompt that replaces the executor's feedback by
// the retry context, which also has the attempts of earlier runs. The executor's feedback stays if
// the state cannot be read or lacks the previous iteration, or if the retry context is empty or
// does not fit in the limit.
func (s *Store) Prompt(o PromptOptions) func(executor.PromptInput) string {
	if o.Base == nil {
		o.Base = executor.DefaultPrompt
	}
	return func(in executor.PromptInput) string {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		c, last, err := s.history(ctx, in.Task.ID, o.MaxAttempts)
		if err != nil || c == nil {
			return o.Base(in)
		}
		current := in.Iteration <= 1
		if last.Run != "" && last.Run == in.Task.Run {
			current = last.Iteration == in.Iteration-1
		}
		if section := c.Render(cmp.Or(o.Limit, 16<<10), in.Mark); current && section != "" {
			in.Feedback = section
		}
		return o.Base(in)
	}
}

//go:embed retry.tmpl
var retryTemplate string

// Render returns the retry context as a section of a prompt, at most limit bytes long: the code,
// the error, the fix, and then the rest. Texts from outside are between fences with the mark, a
// random word that they cannot contain. The result is empty if the limit is too small.
func (c *RetryContext) Render(limit int, mark string) string {
	// A text gets limit/share bytes. The rest is for the headings and the texts of the taxonomy.
	fence := func(share int, s string) string {
		s = strings.TrimSpace(text.Printable(mask.BothEnds(s, limit/share), "\n\t"))
		return "<<<< " + mark + "\n" + text.QuoteMarkers(s) + "\n>>>> " + mark
	}
	t := template.Must(template.New("retry").Funcs(template.FuncMap{
		"fence": fence, "name": text.Name, "lines": linesOf,
	}).Parse(retryTemplate))
	var b strings.Builder
	if err := t.Execute(&b, c); err != nil || b.Len() > limit {
		return ""
	}
	return strings.TrimSpace(b.String())
}

// linesOf returns a line for each attempt.
func linesOf(all []EarlierAttempt) string {
	var b strings.Builder
	for _, a := range all {
		fmt.Fprintf(&b, "Attempt %d", a.Number)
		switch a.Outcome {
		case Cancelled:
			b.WriteString(": a person stopped it\n")
		case Question:
			b.WriteString(": it stopped with a question to a person\n")
		default:
			fmt.Fprintf(&b, ", %s: %s\n", text.Name(a.Code), a.Error)
		}
	}
	return b.String()
}

// Happened returns the message of the previous failure and its report.
func (c *RetryContext) Happened() string {
	switch {
	case c.CheckOutput == "":
		return c.PreviousError
	case strings.HasPrefix(c.CheckOutput, c.PreviousError):
		return c.CheckOutput
	}
	return c.PreviousError + "\n\n" + c.CheckOutput
}
