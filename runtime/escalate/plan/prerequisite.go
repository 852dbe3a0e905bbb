package plan

// PrerequisiteKind says what a prerequisite is, and so how it is verified.
type PrerequisiteKind string

// The kinds of prerequisites.
const (
	File      PrerequisiteKind = "file"      // Name is the path of a file that can be read
	Directory PrerequisiteKind = "directory" // Name is the path of a directory that can be listed
	Program   PrerequisiteKind = "command"   // Name is a program that is in PATH, or a path of one in the tree
	Variable  PrerequisiteKind = "env"       // Name is an environment variable that is set and not empty
	Address   PrerequisiteKind = "address"   // Name is host:port, or an http or https URL, that can be connected to
)

// Prerequisite is something that a plan takes for granted.
type Prerequisite struct {
	Kind PrerequisiteKind `json:"kind"`
	// Name is what must be there; see the kinds. Paths are relative to the root of the tree,
	// slash-separated, and do not leave it.
	Name string `json:"name"`
	// Doc says what it is needed for; may be empty.
	Doc string `json:"doc,omitempty"`
	// MadeBy is the ID of the step that makes it, so that it is not looked for before that step is
	// done; may be empty.
	MadeBy string `json:"madeBy,omitempty"`
	Line   int    `json:"line,omitempty"`
}
