package toolbox

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"strings"
)

// The names of the tools.
const (
	readFile    = "read_file"
	writeFile   = "write_file"
	editFile    = "edit_file"
	deleteFile  = "delete_file"
	listFiles   = "list_files"
	searchFiles = "search_files"
	runCommand  = "run_command"
	taskDone    = "task_done"
	taskBlocked = "task_blocked"
)

// tool is a tool and what carries it out.
type tool struct {
	Tool
	call func(ctx context.Context, args json.RawMessage) (Result, error)
}

// offered returns the tools that the options allow.
func (t *Toolbox) offered() []tool {
	all := []tool{
		define(t, readFile, "Reads a text file, or some of its lines.",
			`{"path":`+pathSchema+
				`,"offset":{"type":"integer","minimum":1,"description":"The first line to read, counted from 1."},`+
				`"limit":{"type":"integer","minimum":1,"description":"How many lines to read."}}`,
			t.read, "path"),
		define(t, listFiles, "Lists the files under a directory, at any depth.",
			`{"path":{"type":"string","description":"The directory; the root unless given."},"pattern":`+patternSchema+
				`}`,
			t.list),
		define(t, searchFiles, "Finds lines in text files by a regular expression (RE2 syntax).",
			`{"regexp":{"type":"string"},"path":{"type":"string","description":"The directory or file to search; `+
				`the root unless given."},"pattern":`+patternSchema+`}`,
			t.search, "regexp"),
	}
	if !t.options.ReadOnly {
		all = append(all,
			define(t, writeFile,
				"Writes a whole file. It makes the file and its directories, or replaces what was there.",
				`{"path":`+pathSchema+`,"content":{"type":"string"}}`, t.write, "path", "content"),
			define(t, editFile,
				"Replaces a piece of text in a file. The old text must be in the file exactly once, unless all is "+
					"true.",
				`{"path":`+pathSchema+
					`,"old":{"type":"string","description":"The text to replace, exactly as it is in the file."},`+
					`"new":{"type":"string"},"all":{"type":"boolean","description":"Replace every occurrence."}}`,
				t.edit, "path", "old", "new"),
			define(t, deleteFile, "Deletes a file.", `{"path":`+pathSchema+`}`, t.delete, "path"))
	}
	if len(t.commands) > 0 {
		all = append(all, define(t, runCommand, t.commandDescription(),
			`{"command":{"type":"string","description":"The command line. Quotes group words; there is no shell."},`+
				`"dir":{"type":"string","description":"The directory to run it in; the root unless given."}}`,
			t.run, "command"))
	}
	return append(all, t.ending()...)
}

// ending returns the tools with which the model says how its task stands.
func (t *Toolbox) ending() []tool {
	return []tool{
		define(t, taskDone,
			"Says that the task is done, completely and with nothing left to do. Call it last, and only then.",
			`{"summary":{"type":"string","description":"What was done, in a few sentences."}}`, t.done),
		define(t, taskBlocked,
			"Says that the task cannot go on without a person. Call it only when nothing else is left.",
			`{"question":{"type":"string","description":"What the person is asked."}}`, t.blocked, "question"),
	}
}

const (
	pathSchema    = `{"type":"string","description":"The file's path, relative to the root."}`
	patternSchema = `{"type":"string","description":"Only files whose path matches it: * and ? within a name, ** ` +
		`across directories."}`
)

// define returns a tool whose arguments are read into an A.
func define[A any](t *Toolbox, name, description, properties string, do func(context.Context, A) (Result, error),
	required ...string) tool {
	list, _ := json.Marshal(append([]string{}, required...)) // names only
	schema := `{"type":"object","properties":` + properties + `,"required":` + string(list) +
		`,"additionalProperties":false}`
	return tool{
		Tool: Tool{Name: name, Description: description, Schema: json.RawMessage(schema)},
		call: func(ctx context.Context, raw json.RawMessage) (Result, error) {
			var args A
			if err := readArguments(raw, &args); err != nil {
				return Result{}, t.badArguments(name, err)
			}
			return do(ctx, args)
		},
	}
}

// readArguments reads a JSON object. No arguments at all are an empty object, as some models send
// it.
func readArguments(raw json.RawMessage, into any) error {
	raw = bytes.TrimSpace(raw)
	if len(raw) == 0 {
		return nil
	}
	if !json.Valid(raw) {
		return notJSON(raw)
	}
	if raw[0] != '{' {
		return errors.New("not a JSON object")
	}
	return json.Unmarshal(raw, into)
}

// notJSON returns what encoding/json has to say about text that is none.
func notJSON(raw []byte) error {
	var v json.RawMessage
	if err := json.Unmarshal(raw, &v); err != nil {
		return err
	}
	return io.ErrUnexpectedEOF
}

// badArguments returns the evidence for arguments that cannot be read.
func (t *Toolbox) badArguments(name string, err error) error {
	ev := t.evidence()
	ev.Type = "tool_arguments"
	ev.Text = err.Error()
	ev.Attributes = map[string]string{"tool": name}
	ev.Err = err
	return ev
}

// commandDescription tells the model which commands it may run.
func (t *Toolbox) commandDescription() string {
	var b strings.Builder
	b.WriteString(
		"Runs a command and returns its exit code and output. There is no shell: no pipes, redirections, variables " +
			"or globs. " +
			"These commands are allowed, where * stands for any word and ... for any further words; asking for " +
			"another " +
			"one ends the task:")
	for _, p := range t.commands {
		b.WriteString("\n")
		b.WriteString(p.String())
	}
	return b.String()
}
