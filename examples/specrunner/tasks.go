package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"unicode/utf8"
)

// task is a task of a specification.
type task struct {
	ID, Title string
	// Prompt is what the agent is told: the task as the file has it, without what changes while it
	// is worked on.
	Prompt string
	// DependsOn are the tasks that must be done before, in the order in which they are named.
	DependsOn []string
	// Done reports that the file says so.
	Done bool
	// Priority is 0 for the most urgent; lastPriority for a task that has none.
	Priority int
}

const (
	// maxTasksFile is how many bytes a file of tasks may have.
	maxTasksFile = 16 << 20
	// maxTaskID bounds an ID, which is part of names of runs and of files.
	maxTaskID = 64
	// maxTaskProblems is how many problems are told of at a time.
	maxTaskProblems = 20
	// lastPriority is that of tasks without one; the file has P0 to P9.
	lastPriority = 10
)

// readTasks reads a file of tasks, in its order. Its error says of each problem in which line it
// is.
func readTasks(path string) ([]task, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("read the tasks: %w", err)
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("read the tasks: %s is no regular file", path)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("read the tasks: %w", err)
	}
	defer func() { _ = f.Close() }()
	text, err := io.ReadAll(io.LimitReader(f, maxTasksFile+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("read the tasks: %w", err)
	case len(text) > maxTasksFile:
		return nil, fmt.Errorf("read the tasks: %s has more than %d bytes", path, maxTasksFile)
	}
	tasks, problems := parseTasks(text)
	for i, p := range problems {
		if i == maxTaskProblems {
			err = errors.Join(err, fmt.Errorf("%s: and %d problems more", path, len(problems)-i))
			break
		}
		err = errors.Join(err, fmt.Errorf("%s:%w", path, p))
	}
	if err != nil {
		return nil, err
	}
	return tasks, nil
}

// lineError is what is wrong in a line of a file.
type lineError struct {
	line int
	what string
}

// Error says in which line what is wrong.
func (e *lineError) Error() string { return fmt.Sprintf("%d: %s", e.line, e.what) }

func wrongAt(line int, format string, args ...any) error {
	return &lineError{line, fmt.Sprintf(format, args...)}
}

// parseTasks returns the tasks of a text, and all that is wrong with it, in the order of the lines.
func parseTasks(text []byte) ([]task, []error) {
	text = bytes.TrimPrefix(text, []byte("\uFEFF"))
	if at := firstUnreadable(text); at >= 0 {
		return nil, []error{wrongAt(1+bytes.Count(text[:at], []byte("\n")), "the file is no text in UTF-8")}
	}
	r := &taskReader{}
	for line := range strings.Lines(string(text)) {
		r.read(strings.TrimRight(line, "\r\n"))
	}
	r.end()
	if len(r.problems) == 0 && len(r.drafts) == 0 {
		r.wrong(1, "there is no task; a task begins with a line such as: ### TASK-001: Title")
	}
	r.checkDependencies()
	return r.tasks(), r.sorted()
}

// firstUnreadable returns where a text is not UTF-8, or has a byte 0, which no text has; -1 when it
// is a text.
func firstUnreadable(text []byte) int {
	zero := bytes.IndexByte(text, 0)
	if utf8.Valid(text) {
		return zero
	}
	for i := 0; i < len(text); {
		if i == zero {
			return i
		}
		r, size := utf8.DecodeRune(text[i:])
		if r == utf8.RuneError && size == 1 {
			return i
		}
		i += size
	}
	return -1
}
