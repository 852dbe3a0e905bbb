package recovery

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/errgen/errgen/runtime/taxonomy"
	"github.com/errgen/errgen/runtime/validate"
)

// The placeholders of a [Fix], each an argument by itself. What stands in for them are regular
// files of the working tree that the failure names: relative to the directory of the commands, of
// plain characters, never beginning with a '-', and not reached through a symbolic link.
const (
	// PlaceholderFile stands for the first file.
	PlaceholderFile = "{file}"
	// PlaceholderFiles stands for all files, an argument each, 16 at most.
	PlaceholderFiles = "{files}"
)

// Fix is what the host runs to mend a kind of failure. The zero Fix is none.
type Fix struct {
	// Commands are run in their order. One that exits with another code than 0 is not the end,
	// since many tools exit so when they have changed something, or could not mend all: the
	// validation decides. Without a file for a placeholder none is run.
	Commands []validate.Command
	// Check is the validation: all of it must pass. Without it Options.Validate is the validation.
	Check []validate.Command
}

func (f *Fix) wrong(field string) []error {
	var all []error
	for _, list := range []struct {
		name     string
		commands []validate.Command
		fills    bool
	}{{"Commands", f.Commands, true}, {"Check", f.Check, false}} {
		for i, c := range list.commands {
			if what := unusable(c, list.fills); what != "" {
				all = append(all, misfit(fmt.Sprintf("%s.%s[%d]", field, list.name, i), c.String(), what))
			}
		}
	}
	if len(f.Commands) == 0 && len(f.Check) > 0 {
		all = append(all, misfit(field+".Commands", "", "a command for what is checked"))
	}
	return all
}

// unusable returns what is expected of a command that cannot be run; empty for one that can. Fills
// says that it may have placeholders.
func unusable(c validate.Command, fills bool) string {
	if !c.Usable() {
		return "a program with its arguments, or a line"
	}
	if isPlaceholder(c.Line) || len(c.Args) > 0 && isPlaceholder(c.Args[0]) {
		return "no placeholder in a line or in the place of a program"
	}
	for i, arg := range c.Args {
		switch {
		case !isPlaceholder(arg):
		case !fills:
			return "no placeholder"
		case arg != PlaceholderFile && arg != PlaceholderFiles:
			return "placeholders that are arguments by themselves"
		case isScript(c.Args[i-1]):
			return "no placeholder in the place of a script"
		}
	}
	return ""
}

func isPlaceholder(arg string) bool {
	return strings.Contains(arg, PlaceholderFile) || strings.Contains(arg, PlaceholderFiles)
}

// isScript reports whether an argument says that the next is a script.
func isScript(arg string) bool {
	return slices.Contains([]string{"-c", "/c", "/C", "-e", "-Command", "--eval", "--command"}, arg)
}

// ApplyLintFix runs Options.LintFix, and then the validation; see [Fix].
func (s *Standard) ApplyLintFix(ctx context.Context, failure taxonomy.RecoveryRequest) error {
	return s.fix(ctx, failure, NameApplyLintFix, "lint fixes", &s.opts.LintFix)
}

// ApplyTypeFix runs Options.TypeFix, and then the validation; see [Fix].
func (s *Standard) ApplyTypeFix(ctx context.Context, failure taxonomy.RecoveryRequest) error {
	return s.fix(ctx, failure, NameApplyTypeFix, "type fixes", &s.opts.TypeFix)
}

// FixTest runs Options.TestFix, and then the validation; see [Fix].
func (s *Standard) FixTest(ctx context.Context, failure taxonomy.RecoveryRequest) error {
	return s.fix(ctx, failure, NameFixTest, "test fixes", &s.opts.TestFix)
}

// FixBuild runs Options.BuildFix, and then the validation; see [Fix].
func (s *Standard) FixBuild(ctx context.Context, failure taxonomy.RecoveryRequest) error {
	return s.fix(ctx, failure, NameFixBuild, "build fixes", &s.opts.BuildFix)
}

// fix runs a fix; what names its kind for people.
func (s *Standard) fix(ctx context.Context, failed taxonomy.RecoveryRequest, name, what string, f *Fix) error {
	return s.carryOut(ctx, failed, name, ActionFix, func(t *try) error {
		if err := t.Lacking(name); err != nil {
			return err
		}
		commands, err := t.filled(f.Commands)
		if err != nil {
			return err
		}
		if err := t.mend(
			mend{failing: "Failed to apply " + what, commands: commands, check: f.Check, strict: true}); err != nil {
			return err
		}
		t.record.Message = "Applied " + what
		return nil
	})
}

// explained returns an error that also says what the commands printed last, and what became of what
// they have changed: what is not as it was comes first.
func (t *try) explained(message string, err error) error {
	var left *stuck
	if !errors.As(err, &left) {
		e := failure(message, err)
		e.Message += t.printed()
		if t.record.Data[DataPutBack] == "true" {
			e.Message += " (what it changed was put back" + and(t.savedAs()) + ")"
		}
		return e
	}
	e := failure(message, left.cause)
	e.Message, e.Err = left.says()+". "+e.Message+t.printed(), err
	return e
}

// printed returns what the commands have printed last, for the end of a message.
func (t *try) printed() string {
	lines := strings.TrimSpace(t.record.Data[DataOutput])
	if lines == "" {
		return ""
	}
	return ": " + lastLine(lines)
}

// and goes on with a text, if there is one.
func and(text string) string {
	if text == "" {
		return ""
	}
	return ", and " + text
}

// savedAs says what of it is saved, and what is not; empty when nothing was to be.
func (t *try) savedAs() string {
	refs, lost := t.record.Data[DataSaved], t.record.Data[DataLost]
	switch {
	case lost == "" && refs == "":
		return ""
	case lost == "":
		return "is saved as " + strings.ReplaceAll(refs, " ", " and ")
	case refs == "":
		return "could not be saved: " + lost
	}
	return "is saved as " + strings.ReplaceAll(refs, " ", " and ") + ", but for what could not be saved: " + lost
}

// lastLine returns the last line of a text, for a message.
func lastLine(s string) string {
	return quotedASCII(strings.TrimSpace(s[strings.LastIndexByte(s, '\n')+1:]))
}

// filled returns the commands with files in the place of placeholders.
func (t *try) filled(commands []validate.Command) ([]validate.Command, error) {
	if !slices.ContainsFunc(
		commands, func(c validate.Command) bool { return slices.ContainsFunc(c.Args, isPlaceholder) }) {
		return commands, nil
	}
	files, err := filesIn(t.opts.Tools.Dir(), saidBy(t.failed))
	if err != nil {
		return nil, err
	}
	if len(files) == 0 {
		return nil,
			refusal(
				ErrNoFile,
				"Could not parse error location: it names no file of the working tree that a command could be given")
	}
	t.note(DataFile, strings.Join(files, "\n"))
	out := make([]validate.Command, len(commands))
	for i, c := range commands {
		out[i] = c
		out[i].Args = nil
		for _, arg := range c.Args {
			switch arg {
			case PlaceholderFile:
				out[i].Args = append(out[i].Args, files[0])
			case PlaceholderFiles:
				out[i].Args = append(out[i].Args, files...)
			default:
				out[i].Args = append(out[i].Args, arg)
			}
		}
	}
	return out, nil
}
