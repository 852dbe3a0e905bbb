package escalate

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/errgen/errgen/runtime/escalate/plan"
	"github.com/errgen/errgen/runtime/internal/text"
)

// prerequisites returns a line for each.
func prerequisites(all []plan.Prerequisite) []string {
	var lines []string
	for _, p := range all {
		lines = append(lines, prerequisite(p))
	}
	return lines
}

func prerequisite(p plan.Prerequisite) string {
	line := backquoted(p.Name)
	switch p.Kind {
	case plan.File:
		line = "the file " + line
	case plan.Directory:
		line = "the directory " + line
	case plan.Program:
		line = "the program " + line
	case plan.Variable:
		line = "the environment variable " + line
	case plan.Address:
		line = "an answer from the address " + line
	}
	if doc := text.OneLine(p.Doc, maxShown); doc != "" {
		line += ", for " + backquoted(doc)
	}
	return line
}

// criteria returns a line for each.
func criteria(all []plan.Criterion) []string {
	var lines []string
	for _, c := range all {
		lines = append(lines, criterion(c))
	}
	return lines
}

func criterion(c plan.Criterion) string {
	where := backquoted(c.Path)
	switch c.Kind {
	case plan.Exists:
		return where + " exists"
	case plan.Format:
		return where + " is valid " + backquoted(c.Text)
	case plan.Sections:
		quoted := make([]string, len(c.Texts))
		for i, text := range c.Texts {
			quoted[i] = backquoted(text)
		}
		return where + " has the headings " + strings.Join(quoted, ", ")
	case plan.Count:
		if c.Text == "" {
			return "the number of files that match the pattern " + where + " is " + bounds(c.Min, c.Max)
		}
		return "the number of lines of " + where + " that match the regular expression " + backquoted(c.Text) + " is " +
			bounds(c.Min, c.Max)
	case plan.Size:
		return "the size of " + where + " in bytes is " + bounds(c.Min, c.Max)
	case plan.Content:
		return where + " matches the regular expression " + backquoted(c.Text)
	case plan.Passes:
		if c.Command != nil {
			return command(*c.Command)
		}
	}
	return fmt.Sprintf("the check %s of %s passes", backquoted(string(c.Kind)), where)
}

func gate(all []plan.Command) []string {
	var lines []string
	for _, c := range all {
		lines = append(lines, command(c))
	}
	return lines
}

// command returns the arguments as they can be told apart; no shell reads them.
func command(c plan.Command) string {
	args := make([]string, len(c.Args))
	for i, arg := range c.Args {
		if args[i] = arg; arg == "" || strings.ContainsAny(arg, " \t\n\"'\\") {
			args[i] = strconv.Quote(arg)
		}
	}
	return "the command " + backquoted(strings.Join(args, " ")) + " exits with 0"
}

// bounds says how many; a greatest number of 0 with a least one is none.
func bounds(least, most int64) string {
	switch {
	case least == most:
		return "exactly " + strconv.FormatInt(least, 10)
	case most == 0:
		return "at least " + strconv.FormatInt(least, 10)
	case least == 0:
		return "at most " + strconv.FormatInt(most, 10)
	}
	return "from " + strconv.FormatInt(least, 10) + " to " + strconv.FormatInt(most, 10)
}
