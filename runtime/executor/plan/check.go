package plan

import (
	"fmt"
	"io/fs"
	"net"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// The kinds of problems, which are types of evidence of source "plan".
const (
	invalid     = "invalid"
	silent      = "silent_plan"
	unclear     = "unclear_criteria"
	conflicting = "conflicting_requirements"
)

var (
	stepID      = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,39}$`)
	placeholder = regexp.MustCompile(`\b(?:TODO|TBD|FIXME|XXX)\b|\?\?\?|<[a-z][a-z _-]*>`)
	variable    = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)
	formats     = []string{"", "json", "csv", "xml", "utf-8"}
)

// Check returns all faults of a plan's content, whether [Read] or a program made the plan.
func Check(p *Plan) []Problem {
	c := &checker{earlier: map[string]bool{}, bytes: map[string]Count{}}
	if len(p.Steps) == 0 {
		c.add(silent, "the plan has no step")
	}
	c.needs(p.Needs)
	for _, command := range p.Gate {
		c.command(command)
	}
	for i := range p.Steps {
		c.checkStep(&p.Steps[i])
	}
	return c.found
}

type checker struct {
	step    *Step
	earlier map[string]bool  // the IDs of the steps before
	bytes   map[string]Count // the required sizes of the step's files, by path
	found   []Problem
}

func (c *checker) add(kind, format string, args ...any) {
	p := Problem{Kind: kind, Text: fmt.Sprintf(format, args...)}
	if c.step != nil {
		p.Step, p.Line = c.step.ID, c.step.Line
	}
	c.found = append(c.found, p)
}

func (c *checker) checkStep(s *Step) {
	c.step = s
	clear(c.bytes)
	switch {
	case !stepID.MatchString(s.ID):
		c.add(invalid, "the ID %q is not 1 to 40 letters, digits, '.', '-' and '_'", s.ID)
	case c.earlier[s.ID]:
		c.add(invalid, "the ID %s is duplicated", s.ID)
	}
	if strings.TrimSpace(s.Instructions) == "" {
		c.add(silent, "step %s has no instructions", s.ID)
	}
	if found := placeholder.FindString(s.Instructions); found != "" {
		c.add(silent, "the instructions of step %s contain the placeholder %s", s.ID, found)
	}
	if len(s.Criteria) == 0 {
		c.add(unclear, "step %s has no criteria", s.ID)
	}
	c.needs(s.Needs)
	for i := range s.Criteria {
		c.criterion(&s.Criteria[i])
	}
	for _, pattern := range s.Files {
		c.pattern(pattern)
	}
	c.earlier[s.ID] = true
}

func (c *checker) needs(needs []Need) {
	for i := range needs {
		n := &needs[i]
		kind, name := n.Kind()
		switch kind {
		case "":
			c.add(invalid, "a need has exactly one of file, directory, program, env and address")
		case "file", "directory":
			c.path(name)
		case "program":
			c.program(name)
		case "env":
			if !variable.MatchString(name) {
				c.add(invalid, "%q is not a valid name of a variable", name)
			}
		case "address":
			if host, port, err := net.SplitHostPort(name); err != nil || host == "" || port == "" {
				c.add(invalid, "the address %q is not of the form host:port", name)
			}
		}
		if n.MadeBy != "" && !c.earlier[n.MadeBy] {
			c.add(conflicting, "%s is made_by %s, which is not an earlier step", name, n.MadeBy)
		}
	}
}

func (c *checker) path(p string) {
	clean := strings.TrimSuffix(p, "/")
	if !fs.ValidPath(clean) || clean == "." || strings.ContainsAny(clean, "\\\x00") || inGit(clean) {
		c.add(invalid, "%q is not a path in the tree", p)
	}
}

// inGit reports whether a path is in git's directory, in any case, because file systems can ignore
// case.
func inGit(p string) bool {
	return slices.ContainsFunc(strings.Split(p, "/"), func(name string) bool { return strings.EqualFold(name, ".git") })
}

func (c *checker) pattern(pattern string) {
	if !doublestar.ValidatePattern(pattern) || path.IsAbs(pattern) || pattern == "" {
		c.add(invalid, "%q is not a valid pattern of paths in the tree", pattern)
	}
}

// program refuses names that are options, and relative paths that leave the tree.
func (c *checker) program(name string) {
	leaves := strings.Contains(name, "/") && !path.IsAbs(name) && !fs.ValidPath(path.Clean(name))
	if name == "" || strings.HasPrefix(name, "-") || strings.ContainsAny(name, " \t\n\x00") || leaves {
		c.add(invalid, "%q is not a valid name of a program", name)
	}
}

func (c *checker) expression(e string) {
	if _, err := regexp.Compile(e); err != nil {
		c.add(unclear, "%q is not a valid regular expression: %v", e, err)
	}
}

func (c *checker) command(k Command) {
	if len(k.Run) == 0 {
		c.add(invalid, "a command has no program")
		return
	}
	c.program(k.Run[0])
	if k.Within < 0 {
		c.add(invalid, "the time of `%s` is negative", k)
	}
}

func (c *checker) criterion(k *Criterion) {
	subjects := 0
	for _, set := range []bool{k.Path != "", k.Files != "", len(k.Run) > 0} {
		if set {
			subjects++
		}
	}
	switch {
	case subjects != 1:
		c.add(unclear, "a criterion has exactly one of path, files and run")
		return
	case k.Path == "" && k.OfFile():
		c.add(unclear, "format, sections, matches, lines and bytes need a path")
	case k.Files == "" && (k.Min != 0 || k.Max != 0):
		c.add(unclear, "min and max need files")
	case len(k.Run) == 0 && k.Within != 0:
		c.add(unclear, "within needs run")
	}
	switch {
	case len(k.Run) > 0:
		c.command(k.Command)
	case k.Files != "":
		c.pattern(k.Files)
		c.bounds(k.Total())
	default:
		c.file(k)
	}
}

func (c *checker) file(k *Criterion) {
	c.path(k.Path)
	c.expression(k.Matches)
	if !slices.Contains(formats, k.Format) {
		c.add(unclear, "the format %q is not one of json, csv, xml and utf-8", k.Format)
	}
	if k.Lines != nil {
		c.expression(k.Lines.Matching)
		c.bounds(*k.Lines)
	}
	if k.Bytes == nil {
		return
	}
	c.bounds(*k.Bytes)
	b := *k.Bytes
	if was, ok := c.bytes[k.Path]; ok && (b.Max > 0 && was.Min > b.Max || was.Max > 0 && b.Min > was.Max) {
		c.add(conflicting, "%s cannot have both %s and %s bytes", k.Path, was, b)
	}
	c.bytes[k.Path] = b
}

func (c *checker) bounds(b Count) {
	if b.Min < 0 || b.Max < 0 || b.Min == 0 && b.Max == 0 || b.Max > 0 && b.Max < b.Min {
		c.add(unclear, "min %d and max %d are not a range", b.Min, b.Max)
	}
}
