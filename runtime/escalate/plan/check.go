package plan

import (
	"fmt"
	"strconv"
)

// FaultKind says what is wrong with a plan.
type FaultKind string

// The kinds of faults. Those but Invalid say that a plan does not say enough, or says too much, to
// be carried out safely.
const (
	Invalid     FaultKind = "invalid" // it cannot be read: no steps, a bad ID, an unknown kind
	Silent      FaultKind = "silent_plan"
	Unclear     FaultKind = "unclear_criteria"
	Conflicting FaultKind = "conflicting_requirements"
	Several     FaultKind = "several_readings"
)

// Fault is something that is wrong with a plan.
type Fault struct {
	Kind FaultKind `json:"kind"`
	// Step is the ID of the step; empty when it is about the plan.
	Step string `json:"step,omitempty"`
	// Text says what is wrong and what to do about it.
	Text string `json:"text"`
	Line int    `json:"line,omitempty"`
}

// maxFaults is how many faults are returned.
const maxFaults = 1000

// Check returns all that can be seen to be wrong with a plan without looking at anything but the
// plan: first what is about the plan as a whole, then step by step, always in the same order. Of
// more than 1000 faults the last says that there are more. What of the plan stands in a text is
// masked as [taxonomy.Redact] does, and bounded. A plan without faults may still be wrong.
//
// Invalid are: no steps; an ID that is bad, or that another step has; a kind that there is not; a
// field that is missing or impossible, which is a path that is empty, absolute, longer than 4096
// bytes, leaves the tree, or is in git's own directory (that of a program, too, but a command may
// run one by its absolute path), a pattern of [Count] that [ValidPattern] refuses, a regular
// expression that [Criterion.Regexp] refuses, a format that there is not, a bound below 0, a Min
// above Max, a heading that is blank, an address that [Prerequisite.HostPort] refuses or that holds
// a password, a program whose name begins with '-' or has white space, a name that no environment
// variable has, an argument with a zero byte, and a limit below 0.
//
// Silent are: instructions without a letter or a digit, or with nothing but placeholders, see
// Several.
//
// Unclear are: a step without criteria; a criterion that is true of everything ([Count] and [Size]
// without bounds, [Sections] without headings, [Content] with an expression that every text
// matches); a criterion with a field that its kind does not read, so that nobody would check it.
//
// Conflicting are, within one step: bounds of [Size], or of [Count] with the same Text, of the same
// path that no number keeps; a path that has to be JSON and XML; a path that has to be a file, and
// a directory since something has to be in it. Within the prerequisites of a step and the plan: a
// name that is a file's and a directory's. A MadeBy that names no earlier step, also any of a
// prerequisite of the plan, which its first step takes for granted already.
//
// Several are placeholders in instructions: a line that is TBD, TBC, TODO or ???; one to three
// words, a colon or an equals sign, and TBD, TBC or ???; ??? as a word; one of them, or three dots,
// between brackets, such as [TBD] and <...>; and <insert …>, <fill in …>, <choose …>, <decide …>
// and <your …>. Code, quotes and lines that say what to do with such words, as "replace each ???"
// or "set status: TBD", are passed over.
//
// Not looked for are: instructions that are vague without a placeholder, or that contradict one
// another or the criteria; criteria of one step that contradict those of another, which may be
// meant; expressions that cannot match; whether criteria follow from instructions. That takes
// somebody who reads.
func Check(p Plan) []Fault {
	c := &checking{}
	if len(p.Steps) == 0 {
		c.add(Invalid, 0, "the plan has no steps: write at least one")
	}
	c.planPrerequisites(p.Prerequisites)
	for i := range p.Gate {
		c.command("the gate's command "+strconv.Itoa(i+1), 0, &p.Gate[i])
	}
	c.earlier, c.all = map[string]bool{}, map[string]bool{}
	for i := range p.Steps {
		c.all[p.Steps[i].ID] = true
	}
	for i := range p.Steps {
		if len(c.found) > maxFaults {
			break
		}
		c.oneStep(&p.Steps[i], i, p.Prerequisites)
		c.earlier[p.Steps[i].ID] = true
	}
	return c.result()
}

// checking is one run of Check.
type checking struct {
	found []Fault
	// step is the ID of the step that is looked at, as it is shown; line where it begins.
	step string
	line int
	// earlier are the IDs of the steps before it, all those of all steps.
	earlier, all map[string]bool
}

// add notes a fault. Line 0 is that of the step.
func (c *checking) add(kind FaultKind, line int, format string, args ...any) {
	if len(c.found) > maxFaults {
		return
	}
	if line <= 0 {
		line = c.line
	}
	c.found = append(c.found, Fault{Kind: kind, Step: c.step, Text: fmt.Sprintf(format, args...), Line: line})
}

func (c *checking) result() []Fault {
	if len(c.found) > maxFaults {
		c.found = append(
			c.found[:maxFaults-1],
			Fault{Kind: Invalid, Text: "there are more faults than are listed: mend these first"})
	}
	return c.found
}

// maxShown is how many bytes of a text of the plan are shown.
const maxShown = 200
