package state

import (
	"errors"
	"time"

	"github.com/errgen/errgen/runtime/internal/text"
)

var errTwice = errors.New("there is a second task of this name")

// beyond is how much more of a text is read than is kept: enough to mask it by, and to see that
// there was more.
const beyond = text.Margin + 1

// oldTask is a task of the older form, apart from its attempts.
type oldTask struct {
	status             string
	started, completed time.Time
}

// oldAttempt is an attempt of the older form.
type oldAttempt struct {
	at                  time.Time
	success             bool
	seconds             float64
	failure, code, text string
}

// oldSink takes what a state of the older form holds, in the order of the text. A task's attempts
// come between its begin and its end. The error of begin is errTwice for a task that there was
// already.
type oldSink interface {
	begin(id string) error
	attempt(a oldAttempt) error
	end(id string, t oldTask) error
}

// oldReader reads a state of the older form.
type oldReader struct {
	*jsonReader
	sink oldSink
	zone *time.Location // of times that do not say theirs
}

// read reads the whole text.
func (o *oldReader) read() error {
	at := o.at
	tasks := false
	err := o.object("the state", func(key string, at place) error {
		if key != "tasks" {
			return o.skip(0)
		}
		if tasks {
			return o.fail(at, `there is a second "tasks"`)
		}
		tasks = true
		return o.object(`"tasks"`, o.task)
	})
	if err != nil {
		return err
	}
	if !tasks {
		return o.fail(at, `the state has no "tasks"`)
	}
	return o.end()
}

func (o *oldReader) task(id string, at place) error {
	if err := checkTask(id); err != nil {
		return o.fail(at, "%s", err)
	}
	if err := o.sink.begin(id); errors.Is(err, errTwice) {
		return o.fail(at, "%s", err)
	} else if err != nil {
		return err
	}
	var t oldTask
	var completed time.Time
	err := o.fields("a task", []string{"status"}, map[string]func() error{
		"status":       func() (err error) { t.status, err = o.text("the status", fromBeginning(maxName)); return err },
		"attempts":     func() error { return o.list("the list of attempts", o.attempt) },
		"started_at":   func() (err error) { t.started, err = o.time("the start", true); return err },
		"completed_at": func() (err error) { completed, err = o.time("the completion", true); return err },
	})
	if err != nil {
		return err
	}
	if t.status == "success" {
		t.status = string(TaskCompleted)
	}
	if TaskStatus(t.status).over() { // the older runner has left it in place when it began anew
		t.completed = completed
	}
	return o.sink.end(id, t)
}

func (o *oldReader) attempt() error {
	var a oldAttempt
	err := o.fields("an attempt", []string{"timestamp", "success", "duration_seconds"}, map[string]func() error{
		"timestamp":        func() (err error) { a.at, err = o.time("the time", false); return err },
		"success":          func() (err error) { a.success, err = o.boolean("the success"); return err },
		"duration_seconds": func() (err error) { a.seconds, err = o.number("the duration"); return err },
		"error": func() (err error) {
			a.failure, err = o.optional("the error", fromBeginning(maxError+beyond))
			return err
		},
		"error_code": func() (
			err error) {
			a.code, err = o.optional("the code", fromBeginning(maxName))
			return err
		},
		"claude_output": func() (
			err error) {
			a.text, err = o.optional("the output", fromEnd(maxOutput+beyond))
			return err
		},
	})
	if err != nil {
		return err
	}
	return o.sink.attempt(a)
}

// fields reads an object of known fields, of which each may be there once, and some must. Others
// are passed over.
func (o *oldReader) fields(what string, required []string, read map[string]func() error) error {
	if _, err := o.peek(); err != nil {
		return err
	}
	begin := o.at
	seen := make(map[string]bool, len(read))
	err := o.object(what, func(key string, at place) error {
		f, ok := read[key]
		switch {
		case !ok:
			return o.skip(0)
		case seen[key]:
			return o.fail(at, "there is a second %q", key)
		}
		seen[key] = true
		return f()
	})
	if err != nil {
		return err
	}
	for _, key := range required {
		if !seen[key] {
			return o.fail(begin, "%s has no %q", what, key)
		}
	}
	return nil
}

// optional reads a text or null.
func (o *oldReader) optional(what string, keep *keeper) (string, error) {
	if null, err := o.null(); null || err != nil {
		return "", err
	}
	return o.text(what, keep)
}

// localLayouts are how the older runner writes a time, without a zone; a fraction may follow.
var localLayouts = [...]string{"2006-01-02T15:04:05", "2006-01-02 15:04:05"}

// time reads a time; null is the zero time, where it is allowed.
func (o *oldReader) time(what string, orNull bool) (time.Time, error) {
	if orNull {
		if null, err := o.null(); null || err != nil {
			return time.Time{}, err
		}
	}
	if _, err := o.peek(); err != nil {
		return time.Time{}, err
	}
	at := o.at
	s, err := o.text(what, fromBeginning(maxName))
	if err != nil {
		return time.Time{}, err
	}
	if t, err := time.Parse(time.RFC3339Nano, s); err == nil {
		return t, nil
	}
	for _, layout := range localLayouts {
		if t, err := time.ParseInLocation(layout, s, o.zone); err == nil {
			return t, nil
		}
	}
	return time.Time{}, o.fail(at, "%s is no time", what)
}
