package providertest

import (
	"cmp"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// CLIStep is one run of a [CLI]. What it specifies happens in the order of the fields. The zero
// CLIStep prints nothing and exits with 0. Steps are values; the methods return changed copies.
type CLIStep struct {
	// IgnoreTerm ignores SIGTERM, as does the child. It also ignores that its output is closed.
	IgnoreTerm bool
	// Child starts a process that keeps the outputs open: "group" in the group of the program,
	// "escaped" in a session of its own.
	Child string
	// Files are written, Removed are removed, and Commands run, in the working directory. Commands
	// are words that no shell reads.
	Files    []CLIFile
	Removed  []string
	Commands [][]string
	// SessionID is the session of the events; generated, or that of the call, unless set.
	SessionID string
	// Says are messages of the model.
	Says []string
	// Script is run by /bin/sh. It has the variable session, and the functions hang and die SIGNAL.
	Script string
	// Result is the last event; nil prints none.
	Result *CLIResult
	// Exit is the exit code.
	Exit int
	// Repeat plays this step for every further run.
	Repeat bool
}

// CLIFile is a file that a step writes.
type CLIFile struct {
	// Path is relative to the working directory, or absolute.
	Path string
	// Content is its content.
	Content []byte
	// Mode is 0644 unless set.
	Mode fs.FileMode
	// Link makes it a symbolic link to this target.
	Link string
}

// CLIResult is the last event of a run.
type CLIResult struct {
	// Text is the final message, or the failure.
	Text string
	// IsError reports a failure.
	IsError bool
	// InputTokens, OutputTokens and CostUSD are the cost. NoUsage omits them.
	InputTokens, OutputTokens int64
	CostUSD                   float64
	NoUsage                   bool
	// Denied are commands that the permission rules refused.
	Denied []string
}

// CLIAnswer is a run that succeeds with the text.
func CLIAnswer(text string) CLIStep {
	return CLIStep{Result: &CLIResult{Text: text, InputTokens: 1200, OutputTokens: 340, CostUSD: 0.0123}}
}

// CLIFails is a run whose result is a failure with this text; it exits with 1.
func CLIFails(text string) CLIStep {
	return CLIStep{Result: &CLIResult{Text: text, IsError: true}, Exit: 1}
}

// CLIExit is a run without a result that writes to standard error and exits.
func CLIExit(code int, stderr string) CLIStep {
	return CLIStep{Script: "printf %s " + quote(stderr) + " >&2", Exit: code}
}

// CLICrash is a run that a signal ends: "SEGV", "KILL".
func CLICrash(signal string) CLIStep {
	return CLIStep{Says: []string{"Let me look at that."}, Script: "die " + signal}
}

// CLIHang is a run that does not end.
func CLIHang() CLIStep {
	return CLIStep{Says: []string{"Let me think about that."}, Script: "hang"}
}

// CLIFixture returns a script of this package, such as "claude/overloaded". It panics if the
// fixture does not exist; see [Fixtures].
func CLIFixture(name string) CLIStep {
	raw, err := fixtures.ReadFile("fixtures/" + name + ".sh")
	if err != nil {
		panic(fmt.Sprintf("providertest: fixture %q: %v", name, err))
	}
	return CLIStep{Script: string(raw)}
}

// CLILimited is a fixture about a limit, "claude/rate_limit" or "claude/usage_limit" (as versions of
// Claude Code before 2.0 print it), with a limit that is reset then.
func CLILimited(fixture string, until time.Time) CLIStep {
	s := CLIFixture(fixture)
	s.Script = "resets_at=" + strconv.FormatInt(until.Unix(), 10) + "\n" + s.Script
	return s
}

// Write writes a file.
func (s CLIStep) Write(path, content string) CLIStep {
	return s.File(CLIFile{Path: path, Content: []byte(content)})
}

// File writes a file.
func (s CLIStep) File(f CLIFile) CLIStep {
	s.Files = append(slices.Clip(s.Files), f)
	return s
}

// Remove removes a file.
func (s CLIStep) Remove(path string) CLIStep {
	s.Removed = append(slices.Clip(s.Removed), path)
	return s
}

// Command runs a command.
func (s CLIStep) Command(argv ...string) CLIStep {
	s.Commands = append(slices.Clip(s.Commands), argv)
	return s
}

// Say adds a message of the model.
func (s CLIStep) Say(text string) CLIStep {
	s.Says = append(slices.Clip(s.Says), text)
	return s
}

// IgnoringTerm ignores SIGTERM.
func (s CLIStep) IgnoringTerm() CLIStep {
	s.IgnoreTerm = true
	return s
}

// WithChild leaves a process running, in the group or escaped from it.
func (s CLIStep) WithChild(escaped bool) CLIStep {
	s.Child = "group"
	if escaped {
		s.Child = "escaped"
	}
	return s
}

// Always plays the step for every further run.
func (s CLIStep) Always() CLIStep {
	s.Repeat = true
	return s
}

// render returns the step as a script. Contents of files are stored in dir.
func (s CLIStep) render(dir string) (string, error) {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	if s.SessionID != "" {
		line("session=%s", quote(s.SessionID))
	}
	if s.IgnoreTerm {
		line("trap '' TERM INT PIPE")
	}
	if s.Child != "" {
		line(`%ssleep 300 & echo $! >"$here/child.new" && mv "$here/child.new" "$here/child"`,
			map[string]string{"escaped": "setsid "}[s.Child])
	}
	event := func(o object) { line(`printf '%%s\n' %s`, session(o)) }
	if len(s.Says) > 0 || s.Result != nil {
		event(object{"type": "system", "subtype": "init", "model": "claude-scripted",
			"tools": []string{"Bash", "Edit", "Read", "Write"}, "permissionMode": "acceptEdits"})
	}
	for i, f := range s.Files {
		stored := filepath.Join(dir, strconv.Itoa(i))
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return "", err
		}
		if err := os.WriteFile(stored, f.Content, 0o600); err != nil {
			return "", err
		}
		target := local(f.Path)
		line("mkdir -p -- %s || leave 70", quote(path.Dir(target)))
		if f.Link != "" {
			line("ln -s -- %s %s || leave 70", quote(f.Link), quote(target))
			continue
		}
		line("cat %s >%s && chmod %o %s || leave 70", quote(stored), quote(target), cmp.Or(f.Mode, 0o644),
			quote(target))
	}
	for _, name := range s.Removed {
		line("rm -rf %s || leave 70", quote(local(name)))
	}
	for _, argv := range s.Commands {
		words := make([]string, len(argv))
		for i, word := range argv {
			words[i] = quote(word)
		}
		line("%s >&2 || leave 70", strings.Join(words, " "))
	}
	for _, text := range s.Says {
		event(message(object{"type": "text", "text": text}))
	}
	for _, f := range s.Files {
		event(message(object{"type": "tool_use", "id": "toolu_1", "name": "Write",
			"input": object{"file_path": f.Path}}))
	}
	if s.Script != "" {
		line("%s", s.Script)
	}
	if s.Result != nil {
		event(s.Result.event())
	}
	line("exit %d", s.Exit)
	return b.String(), nil
}

// local returns a path that no program takes for an option.
func local(name string) string {
	if path.IsAbs(name) {
		return name
	}
	return "./" + name
}

// session returns an event as a word of the shell, with the session as the shell knows it.
func session(o object) string {
	o["session_id"] = "SESSION"
	before, after, _ := strings.Cut(o.json(), `"session_id":"SESSION"`)
	return quote(before+`"session_id":"`) + `"$session"` + quote(`"`+after)
}

func message(block object) object {
	return object{"type": "assistant",
		"message": object{"model": "claude-scripted", "role": "assistant", "content": []object{block}}}
}

// event is the result as it is printed.
func (r *CLIResult) event() object {
	denials := []object{}
	for _, command := range r.Denied {
		denials = append(denials, object{"tool_name": "Bash", "tool_use_id": "toolu_1",
			"tool_input": object{"command": command}})
	}
	o := object{"type": "result", "subtype": "success", "is_error": r.IsError, "result": r.Text, "num_turns": 1,
		"duration_ms": 1000, "permission_denials": denials}
	if !r.NoUsage {
		o["total_cost_usd"] = r.CostUSD
		o["usage"] = object{"input_tokens": r.InputTokens, "cache_creation_input_tokens": 0,
			"cache_read_input_tokens": 0, "output_tokens": r.OutputTokens}
	}
	return o
}
