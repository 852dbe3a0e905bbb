package plan

import (
	"fmt"
	"strings"

	"github.com/errgen/errgen/runtime/internal/text"
)

// formats are what Text of [Format] may be.
const formats = "json, csv, xml or utf-8"

// criterion checks the fields of a criterion.
func (c *checking) criterion(k *Criterion) {
	if k.Kind == Passes {
		c.command("the criterion", k.Line, k.Command)
		c.unread(k)
		return
	}
	if !c.known(k) {
		return
	}
	of := "the criterion " + string(k.Kind)
	if k.Kind == Count && k.Text == "" {
		c.pattern(of, k.Path, k.Line)
	} else {
		c.filePath(of, k.Path, k.Line)
	}
	switch k.Kind {
	case Format:
		c.format(k)
	case Sections:
		c.sections(k)
	case Count:
		c.bounds(k)
		c.expression(k)
	case Size:
		c.bounds(k)
	case Content:
		c.content(k)
	}
	c.unread(k)
}

func (c *checking) known(k *Criterion) bool {
	switch k.Kind {
	case Exists, Format, Sections, Count, Size, Content:
		return true
	}
	c.add(Invalid, k.Line,
		"there are no criteria of the kind %s: use exists, format, sections, count, size, content or command",
		text.Quote(string(k.Kind), maxShown))
	return false
}

func (c *checking) format(k *Criterion) {
	switch k.Text {
	case "json", "csv", "xml", "utf-8":
		return
	}
	c.add(Invalid, k.Line, "the criterion format asks for %s: use %s", text.Quote(k.Text, maxShown), formats)
}

func (c *checking) sections(k *Criterion) {
	if len(k.Texts) == 0 {
		c.add(Unclear, k.Line, "the criterion sections names no headings: name those that %s must have",
			text.Quote(k.Path, maxShown))
	}
	for _, s := range k.Texts {
		if !says(s) {
			c.add(Invalid, k.Line, "the criterion sections names the heading %s, which says nothing: write it out",
				text.Quote(s, maxShown))
		}
	}
}

func (c *checking) bounds(k *Criterion) {
	switch {
	case k.Min < 0 || k.Max < 0:
		c.add(Invalid, k.Line, "the criterion %s has a bound below 0: use 0 or more", k.Kind)
	case k.Min == 0 && k.Max == 0:
		c.add(Unclear, k.Line,
			"the criterion %s has no bounds, and so is met by everything: give a minimum or a maximum", k.Kind)
	case k.Max > 0 && k.Min > k.Max:
		c.add(Invalid, k.Line, "the criterion %s asks for at least %d and at most %d: swap or mend the bounds", k.Kind,
			k.Min, k.Max)
	}
}

func (c *checking) expression(k *Criterion) bool {
	if _, err := k.Regexp(); err != nil {
		c.add(Invalid, k.Line, "the criterion %s has an expression that cannot be used: %v", k.Kind, err)
		return false
	}
	return true
}

func (c *checking) content(k *Criterion) {
	if c.expression(k) && matchesAll(k.Text) {
		c.add(Unclear, k.Line,
			"the criterion content has the expression %s, which every text matches: say what must be in %s",
			text.Quote(k.Text, maxShown), text.Quote(k.Path, maxShown))
	}
}

// command checks a command; nil is none.
func (c *checking) command(of string, line int, k *Command) {
	if k == nil || len(k.Args) == 0 {
		c.add(Invalid, line, "%s has no command: give a program with its arguments", of)
		return
	}
	c.program(of, k.Args[0], line)
	c.programPath(of, k.Args[0], line)
	for _, arg := range k.Args[1:] {
		if strings.ContainsRune(arg, 0) {
			c.add(Invalid, line, "%s has the argument %s, which has a zero byte: leave it out", of,
				text.Quote(arg, maxShown))
		}
	}
	if k.Limit < 0 {
		c.add(Invalid, line, "%s has a limit below 0: give how long it may take, or nothing", of)
	}
}

// unread finds fields that the kind does not read, so that nobody would check them.
func (c *checking) unread(k *Criterion) {
	var extra []string
	note := func(name string, set bool, reads ...CriterionKind) {
		for _, kind := range reads {
			set = set && kind != k.Kind
		}
		if set {
			extra = append(extra, name)
		}
	}
	note("path", k.Path != "", Exists, Format, Sections, Count, Size, Content)
	note("text", k.Text != "", Format, Count, Content)
	note("texts", len(k.Texts) > 0, Sections)
	note("min", k.Min != 0, Count, Size)
	note("max", k.Max != 0, Count, Size)
	note("command", k.Command != nil, Passes)
	if len(extra) > 0 {
		c.add(Unclear, k.Line, "%s",
			fmt.Sprintf("the criterion %s does not look at its %s: leave it out, or use a criterion that does",
				k.Kind, strings.Join(extra, " and its ")))
	}
}
