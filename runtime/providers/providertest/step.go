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

// CLIAnswer is a run that succeeds with the text.
func CLIAnswer(text string) CLIStep {
	return CLIStep{Result: map[string]any{
		"subtype": "success", "is_error": false, "result": text, "num_turns": 1, "total_cost_usd": 0.0123,
		"usage": map[string]any{"input_tokens": 1200, "output_tokens": 340},
	}}
}

// CLIFails is a run whose result is a failure with this text; it exits with 1.
func CLIFails(text string) CLIStep {
	s := CLIAnswer(text).With("is_error", true).With("total_cost_usd", 0).With("usage", object{
		"input_tokens": 0, "output_tokens": 0,
	})
	s.Exit = 1
	return s
}

// CLIExit is a run without a result that writes to standard error and exits.
func CLIExit(code int, stderr string) CLIStep {
	return CLIStep{Script: "printf %s " + quote(stderr) + " >&2", Exit: code}
}

// CLICrash is a run that a signal ends: "SEGV", "KILL".
func CLICrash(signal string) CLIStep {
	return CLIStep{Script: said("Let me look at that.") + "die " + signal}
}

// CLIHang is a run that does not end.
func CLIHang() CLIStep { return CLIStep{Script: said("Let me think about that.") + "hang"} }

// CLIFixture returns a script of this package, such as "claude/overloaded". It panics if the
// fixture does not exist; see [Fixtures].
func CLIFixture(name string) CLIStep {
	raw, err := fixtures.ReadFile("fixtures/" + name + ".sh")
	if err != nil {
		panic(fmt.Sprintf("providertest: fixture %q: %v", name, err))
	}
	return CLIStep{Script: string(raw)}
}

// CLILimited is the fixture "claude/rate_limit", or "claude/usage_limit" of versions of Claude Code
// before 2.0, with a limit that is reset then.
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
		name = "./" + name // no program takes it for an option
	}
	s.before += fmt.Sprintf("mkdir -p -- %s && printf %%s %s >%s || exit 70\n",
		quote(path.Dir(name)), quote(content), quote(name))
	return s
}

// Command runs a command, whose words no shell reads, before the script.
func (s CLIStep) Command(argv ...string) CLIStep {
	for _, word := range argv {
		s.before += quote(word) + " "
	}
	s.before += ">&2 || exit 70\n"
	return s
}

// Say prints a message of the model before the script runs.
func (s CLIStep) Say(text string) CLIStep {
	s.before += said(text)
	return s
}

// said returns the line that prints a message of the model.
func said(text string) string {
	content := []object{{"type": "text", "text": text}}
	return event("assistant", object{"message": object{"role": "assistant", "content": content}})
}

// IgnoringTerm ignores SIGTERM and that the output is closed, as do the children.
func (s CLIStep) IgnoringTerm() CLIStep {
	s.before = "trap '' TERM INT PIPE\n" + s.before
	return s
}

// WithChild leaves a process running that keeps the outputs open, in the group or escaped from it.
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
