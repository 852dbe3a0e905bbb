package plan

// CriterionKind says what is checked.
type CriterionKind string

// The kinds of criteria, with the fields of [Criterion] that they read.
const (
	Exists   CriterionKind = "exists"   // Path: a file, or a directory even if it is empty, which no commit keeps
	Format   CriterionKind = "format"   // Path, Text: json, csv, xml or utf-8
	Sections CriterionKind = "sections" // Path, Texts: headings that the Markdown file has
	// Path, Text, Min, Max: how many lines match the regular expression Text; without Text, how
	// many files match the pattern Path
	Count   CriterionKind = "count"
	Size    CriterionKind = "size"    // Path, Min, Max: bytes
	Content CriterionKind = "content" // Path, Text: a regular expression that the file matches
	Passes  CriterionKind = "command" // Command, which exits with 0
)

// Criterion is something that must be true when a step is done.
type Criterion struct {
	Kind CriterionKind `json:"kind"`
	// Path is relative to the root of the tree, slash-separated, and does not leave it.
	Path  string   `json:"path,omitempty"`
	Text  string   `json:"text,omitempty"`
	Texts []string `json:"texts,omitempty"`
	// Min and Max are bounds, both included. A Max of 0 with a Min is no upper bound.
	Min int64 `json:"min,omitempty"`
	Max int64 `json:"max,omitempty"`
	// Command is what [Passes] runs.
	Command *Command `json:"command,omitempty"`
	Line    int      `json:"line,omitempty"`
}
