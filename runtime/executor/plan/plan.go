package plan

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/errgen/errgen/runtime/taxonomy"
)

// Plan is a list of steps that are carried out in order.
type Plan struct {
	Title string `json:"title,omitempty" yaml:"-"`
	// Needs are the prerequisites of all steps.
	Needs []Need `json:"needs,omitempty" yaml:"needs"`
	// Gate are commands that must exit with 0 before a step is done.
	Gate []Command `json:"gate,omitempty" yaml:"gate"`
	// Review makes a higher tier review every step.
	Review bool   `json:"review,omitempty" yaml:"review"`
	Steps  []Step `json:"steps" yaml:"-"`
}

// Step is one step of a plan. A tier may correct its instructions, and nothing else.
type Step struct {
	ID           string      `json:"id" yaml:"-"`
	Title        string      `json:"title,omitempty" yaml:"-"`
	Instructions string      `json:"instructions" yaml:"-"`
	Needs        []Need      `json:"needs,omitempty" yaml:"needs"`
	Criteria     []Criterion `json:"criteria" yaml:"criteria"`
	// Files are patterns of the files that the step may change. If empty, it may change all files.
	Files []string `json:"files,omitempty" yaml:"files"`
	// Review makes a higher tier review this step.
	Review bool `json:"review,omitempty" yaml:"review"`
	// Line is the line of the step's heading in the file, or 0.
	Line int `json:"line,omitempty" yaml:"-"`
}

// Need is a prerequisite. Exactly one of the first five fields is set.
type Need struct {
	File      string `json:"file,omitempty" yaml:"file"`
	Directory string `json:"directory,omitempty" yaml:"directory"`
	Program   string `json:"program,omitempty" yaml:"program"`
	Env       string `json:"env,omitempty" yaml:"env"`
	Address   string `json:"address,omitempty" yaml:"address"` // host:port
	// For is the reason, for messages.
	For string `json:"for,omitempty" yaml:"for"`
	// MadeBy is the ID of the earlier step that creates it.
	MadeBy string `json:"madeBy,omitempty" yaml:"made_by"`
}

// Kind returns the kind of the prerequisite ("file", "directory", "program", "env" or "address")
// and its name. The kind is empty unless exactly one field of a kind is set.
func (n *Need) Kind() (kind, name string) {
	for _, of := range [...][2]string{{"file", n.File}, {"directory", n.Directory}, {"program", n.Program},
		{"env", n.Env}, {"address", n.Address}} {
		switch {
		case of[1] == "":
		case kind != "":
			return "", ""
		default:
			kind, name = of[0], of[1]
		}
	}
	return kind, name
}

// Command is a program with its arguments. It is run without a shell.
type Command struct {
	Run    []string          `json:"run,omitempty" yaml:"run"`
	Within taxonomy.Duration `json:"within,omitempty" yaml:"within"` // 0 means 10 minutes
}

// String returns the program and its arguments, separated by spaces. Arguments with spaces are in
// quotes.
func (c Command) String() string {
	words := slices.Clone(c.Run)
	for i, w := range words {
		if w == "" || strings.ContainsFunc(w, unicode.IsSpace) {
			words[i] = strconv.Quote(w)
		}
	}
	return strings.Join(words, " ")
}

// Criterion is a condition that holds when its step is done. Its subject is a path, the number of
// files that match a pattern, or a command. A path alone requires that the path exists.
type Criterion struct {
	Path     string   `json:"path,omitempty" yaml:"path"`
	Format   string   `json:"format,omitempty" yaml:"format"`     // json, csv, xml or utf-8
	Sections []string `json:"sections,omitempty" yaml:"sections"` // headings of a Markdown file
	Matches  string   `json:"matches,omitempty" yaml:"matches"`   // a regular expression
	Lines    *Count   `json:"lines,omitempty" yaml:"lines"`
	Bytes    *Count   `json:"bytes,omitempty" yaml:"bytes"`

	Files string `json:"files,omitempty" yaml:"files"` // a pattern; "**" matches any directories
	Min   int64  `json:"min,omitempty" yaml:"min"`
	Max   int64  `json:"max,omitempty" yaml:"max"`

	Command `yaml:",inline"`
}

// OfFile reports whether checking the criterion reads the file at its path.
func (k *Criterion) OfFile() bool {
	return k.Format != "" || k.Matches != "" || len(k.Sections) > 0 || k.Lines != nil || k.Bytes != nil
}

// Total returns the bounds of the number of files.
func (k *Criterion) Total() Count { return Count{Min: k.Min, Max: k.Max} }

// String describes the criterion in words, for prompts and messages.
func (k *Criterion) String() string {
	switch {
	case len(k.Run) > 0:
		return "`" + k.Command.String() + "` exits with 0"
	case k.Files != "":
		return fmt.Sprintf("%s files match %s", k.Total(), k.Files)
	}
	parts := []string{k.Path + " exists"}
	add := func(format string, args ...any) { parts = append(parts, fmt.Sprintf(format, args...)) }
	if k.Format != "" {
		add("it is valid %s", k.Format)
	}
	if len(k.Sections) > 0 {
		add("it has the headings %s", strings.Join(k.Sections, ", "))
	}
	if k.Matches != "" {
		add("it matches /%s/", k.Matches)
	}
	if k.Lines != nil {
		add("it has %s", k.Lines.Lines())
	}
	if k.Bytes != nil {
		add("it has %s bytes", k.Bytes)
	}
	return strings.Join(parts, "; ")
}

// Count is a range of numbers. Both ends are included; a Max of 0 means that there is no upper
// bound.
type Count struct {
	Matching string `json:"matching,omitempty" yaml:"matching"` // the lines to count; empty means all
	Min      int64  `json:"min,omitempty" yaml:"min"`
	Max      int64  `json:"max,omitempty" yaml:"max"`
}

// Contains reports whether n is in the range.
func (c Count) Contains(n int64) bool { return n >= c.Min && (c.Max == 0 || n <= c.Max) }

// String returns the range in words: "3", "1 to 3", "at least 1", "at most 3".
func (c Count) String() string {
	switch {
	case c.Max == 0:
		return fmt.Sprintf("at least %d", c.Min)
	case c.Min == 0:
		return fmt.Sprintf("at most %d", c.Max)
	case c.Min == c.Max:
		return fmt.Sprint(c.Min)
	}
	return fmt.Sprintf("%d to %d", c.Min, c.Max)
}

// Lines returns the range of lines in words: "at least 2 lines matching /^-/".
func (c Count) Lines() string {
	if c.Matching == "" {
		return c.String() + " lines"
	}
	return fmt.Sprintf("%s lines matching /%s/", c, c.Matching)
}

// stepRun returns the name of the run of a step.
func (p *Plan) stepRun(name string, step int) string { return name + "." + p.Steps[step].ID }

// reviewRun returns the name of the run that reviews the plan.
func (p *Plan) reviewRun(name string) string { return name + ".plan." + p.fingerprint(p.Steps...) }

// RunNames returns the names of the runs that a later process of the plan continues.
func (p *Plan) RunNames(name string) []string {
	names := []string{p.reviewRun(name)}
	for i := range p.Steps {
		names = append(names, p.stepRun(name, i))
	}
	return names
}

// fingerprint returns a hash of the steps and the plan's gate, needs and review. The lines of the
// steps do not change it.
func (p *Plan) fingerprint(steps ...Step) string {
	steps = slices.Clone(steps)
	for i := range steps {
		steps[i].Line = 0
	}
	b, _ := json.Marshal([]any{p.Gate, p.Needs, p.Review, steps}) // plain data always marshals
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:8])
}

// needsOf returns the needs of the plan and of a step.
func (p *Plan) needsOf(s *Step) []Need { return slices.Concat(p.Needs, s.Needs) }

// Problem is a fault of a plan.
type Problem struct {
	// Kind is silent_plan, unclear_criteria, conflicting_requirements or invalid.
	Kind string
	Step string // its ID, or empty
	Line int    // in the file, or 0
	Text string
}

// String returns the line and the text.
func (p Problem) String() string {
	if p.Line > 0 {
		return fmt.Sprintf("line %d: %s", p.Line, p.Text)
	}
	return cmp.Or(p.Text, p.Kind)
}
