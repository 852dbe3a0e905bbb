package plan

import (
	"strings"
	"unicode"

	"github.com/errgen/errgen/runtime/internal/text"
)

// planPrerequisites checks what all steps take for granted.
func (c *checking) planPrerequisites(all []Prerequisite) {
	var places places
	for i := range all {
		p := &all[i]
		places.prerequisite(p)
		c.prerequisite(p)
		if p.MadeBy != "" {
			c.add(Conflicting, p.Line,
				"%s is made by step %s, but all steps take it for granted: move it to the steps that need it",
				text.Quote(p.Name, maxShown), text.Quote(p.MadeBy, maxShown))
		}
	}
	c.placeConflicts(&places)
}

// prerequisite checks the fields of a prerequisite.
func (c *checking) prerequisite(p *Prerequisite) {
	switch p.Kind {
	case File, Directory:
		c.path("the prerequisite", p.Name, p.Line)
	case Program:
		c.program("the prerequisite", p.Name, p.Line)
		if isPath(p.Name) {
			c.path("the prerequisite", p.Name, p.Line)
		}
	case Variable:
		c.variable(p)
	case Address:
		c.address(p)
	default:
		c.add(Invalid, p.Line,
			"there are no prerequisites of the kind %s: use file, directory, command, env or address",
			text.Quote(string(p.Kind), maxShown))
	}
}

// isPath reports whether a program is named by its path in the tree.
func isPath(name string) bool { return strings.ContainsAny(name, `/\`) }

// program checks the name of a program.
func (c *checking) program(of, name string, line int) {
	switch {
	case name == "":
		c.add(Invalid, line, "%s names no program: name it", of)
	case strings.HasPrefix(name, "-"):
		c.add(Invalid, line, "%s names the program %s, which begins with '-' as an option does: name the program first",
			of, text.Quote(name, maxShown))
	case strings.ContainsFunc(name, unicode.IsSpace):
		c.add(Invalid, line,
			"%s names the program %s, which has white space: give the arguments apart from the program", of,
			text.Quote(name, maxShown))
	case strings.ContainsRune(name, 0):
		c.add(Invalid, line, "%s names the program %s, which has a zero byte: leave it out", of,
			text.Quote(name, maxShown))
	}
}

// programPath checks the path of a program that is run. One that is absolute is a program of the
// machine, as one in PATH is.
func (c *checking) programPath(of, name string, line int) {
	switch {
	case !isPath(name):
	case !absolute(name):
		c.path(of, name, line)
	case ofGit(name):
		c.add(Invalid, line, "%s has the path %s, which %s", of, text.Quote(name, maxShown), inGit)
	}
}

// variable checks the name of an environment variable. A value that stands behind it is not shown.
func (c *checking) variable(p *Prerequisite) {
	name, _, assigned := strings.Cut(p.Name, "=")
	switch {
	case p.Name == "":
		c.add(Invalid, p.Line, "the prerequisite names no environment variable: name it")
	case assigned:
		c.add(Invalid, p.Line, "the prerequisite gives the environment variable %s a value: only name it",
			text.Quote(name, maxShown))
	case strings.ContainsAny(name, "$%") || strings.ContainsFunc(name, notInName):
		c.add(Invalid, p.Line, "no environment variable is named %s: give its name without '$', '%%' and white space",
			text.Quote(name, maxShown))
	}
}

func notInName(r rune) bool {
	return unicode.IsSpace(r) || unicode.IsControl(r) || r == unicode.ReplacementChar
}

func (c *checking) address(p *Prerequisite) {
	if _, err := p.HostPort(); err != nil {
		c.add(Invalid, p.Line, "the prerequisite is no address: %v", err)
		return
	}
	if holdsPassword(p.Name) {
		c.add(Invalid, p.Line,
			"the address holds a password: leave it out, since only the host and the port are connected to")
	}
}

// prerequisiteConflicts looks for names among the prerequisites of a step and of the plan that
// cannot be both a file's and a directory's. What those of the plan alone are in conflict about is
// told of the plan.
func (c *checking) prerequisiteConflicts(shared, own []Prerequisite) {
	if len(own) == 0 {
		return
	}
	var places places
	for i := range shared {
		places.prerequisite(&shared[i])
	}
	places.settle()
	for i := range own {
		places.prerequisite(&own[i])
	}
	c.placeConflicts(&places)
}
