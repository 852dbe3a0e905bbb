package taxonomy

// The names that a taxonomy declares. Generated packages have a constant for each.
type (
	// SourceName names a source of evidence.
	SourceName string
	// OpName names an operation.
	OpName string
	// PolicyName names a policy.
	PolicyName string
	// ReactionName names a reaction.
	ReactionName string
	// GroupName names a group of codes.
	GroupName string
	// ProfileName names a profile.
	ProfileName string
)

// Declared is a name of type N, such as a constant of a generated package. Literal strings do not
// implement it, so a misspelt name does not compile. Convert a name that is known at run time only:
// SourceName(name).
type Declared[N any] interface {
	String() string
	declared() N
}

// String returns the name.
func (n SourceName) String() string { return string(n) }

// String returns the name.
func (n OpName) String() string { return string(n) }

// String returns the name.
func (n PolicyName) String() string { return string(n) }

// String returns the name.
func (n ReactionName) String() string { return string(n) }

// String returns the name.
func (n GroupName) String() string { return string(n) }

// String returns the name.
func (n ProfileName) String() string { return string(n) }

func (n SourceName) declared() SourceName     { return n }
func (n OpName) declared() OpName             { return n }
func (n PolicyName) declared() PolicyName     { return n }
func (n ReactionName) declared() ReactionName { return n }
