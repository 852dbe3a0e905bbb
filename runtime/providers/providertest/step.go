package providertest

import (
	"fmt"
	"maps"
	"path"
	"strconv"
	"strings"
	"time"
)

// CLIStep is one run of a [CLI]. The zero CLIStep prints nothing and exits with 0. Steps are
// values; the methods return changed copies.
type CLIStep struct {
	// Script is run by /bin/sh in the working directory. It has the variable session, and these
	// functions: "hang" waits until the program is ended, "die SIGNAL" ends it by a signal, and
	// "event TYPE MEMBERS" prints an event of the session with these members of its JSON object.
	Script string
	// Result are the members of the last event, which has the type "result"; nil prints none.
	Result map[string]any
	// Exit is the exit code.
	Exit int
	// Repeat plays this step for every further run.
	Repeat bool

	before string // lines that run before Script
}

// CLIAnswer returns a run that succeeds with the text.
func CLIAnswer(text string) CLIStep {
	return CLIStep{Result: map[string]any{
		"subtype": "success", "is_error": false, "result": text, "num_turns": 1, "total_cost_usd": 0.0123,
		"usage": map[string]any{"input_tokens": 1200, "output_tokens": 340},
	}}
}

// CLIFails returns a run whose result is a failure with this text. It exits with 1.
func CLIFails(text string) CLIStep {
	s := CLIAnswer(text).With("is_error", true).With("total_cost_usd", 0).With("usage", object{
		"input_tokens": 0, "output_tokens": 0,
	})
	s.Exit = 1
	return s
}

// CLIExit returns a run without a result that writes to standard error and exits.
func CLIExit(code int, stderr string) CLIStep {
	return CLIStep{Script: "printf %s " + quote(stderr) + " >&2", Exit: code}
}

// CLICrash returns a run that a signal ends, such as "SEGV" or "KILL".
func CLICrash(signal string) CLIStep {
	return CLIStep{Script: printMessage("Let me look at that.") + "die " + signal}
}

// CLIHang returns a run that does not end.
func CLIHang() CLIStep { return CLIStep{Script: printMessage("Let me think about that.") + "hang"} }

// CLIFixture returns a run with a script of this package, such as "claude/overloaded". It panics if
// the fixture does not exist; see [Fixtures].
func CLIFixture(name string) CLIStep {
	raw, err := fixtures.ReadFile("fixtures/" + name + ".sh")
	if err != nil {
		panic(fmt.Sprintf("providertest: fixture %q: %v", name, err))
	}
	return CLIStep{Script: string(raw)}
}

// CLILimited returns a fixture whose limit is reset at the given time: "claude/rate_limit", or
// "claude/usage_limit" of Claude Code before 2.0.
func CLILimited(fixture string, until time.Time) CLIStep {
	s := CLIFixture(fixture)
	s.Script = "resets_at=" + strconv.FormatInt(until.Unix(), 10) + "\n" + s.Script
	return s
}

// With sets a member of the result.
func (s CLIStep) With(name string, value any) CLIStep {
	s.Result = maps.Clone(s.Result)
	s.Result[name] = value
	return s
}

// Write writes a file and creates its directory before the script runs.
func (s CLIStep) Write(name, content string) CLIStep {
	if !path.IsAbs(name) {
		name = "./" + name // so that it is not read as an option
	}
	s.before += fmt.Sprintf("mkdir -p -- %s && printf %%s %s >%s || exit 70\n",
		quote(path.Dir(name)), quote(content), quote(name))
	return s
}

// Command runs a command before the script. The shell does not interpret its words.
func (s CLIStep) Command(argv ...string) CLIStep {
	for _, word := range argv {
		s.before += quote(word) + " "
	}
	s.before += ">&2 || exit 70\n"
	return s
}

// Say prints a message of the model before the script runs.
func (s CLIStep) Say(text string) CLIStep {
	s.before += printMessage(text)
	return s
}

// printMessage returns the line that prints a message of the model.
func printMessage(text string) string {
	content := []object{{"type": "text", "text": text}}
	return event("assistant", object{"message": object{"role": "assistant", "content": content}})
}

// IgnoringTerm ignores SIGTERM, SIGINT and a closed output. So do the children.
func (s CLIStep) IgnoringTerm() CLIStep {
	s.before = "trap '' TERM INT PIPE\n" + s.before
	return s
}

// WithChild leaves a process running that keeps the outputs open. If escaped is set, the process
// leaves the group.
func (s CLIStep) WithChild(escaped bool) CLIStep {
	start := "sleep 300"
	if escaped {
		start = "setsid sleep 300"
	}
	s.before += start + ` & echo $! >"$here/child.new" && mv "$here/child.new" "$here/child"` + "\n"
	return s
}

// Always plays the step for every further run.
func (s CLIStep) Always() CLIStep {
	s.Repeat = true
	return s
}

// script returns the whole script of the step.
func (s CLIStep) script() string {
	whole := s.before + s.Script + "\n"
	if s.Result != nil {
		whole += event("result", s.Result)
	}
	return whole + "exit " + strconv.Itoa(s.Exit) + "\n"
}

// event returns the line that prints an event.
func event(kind string, members object) string {
	return "event " + kind + " " + quote(strings.TrimSuffix(members.json()[1:], "}")) + "\n"
}
