package spec

import (
	"strconv"
	"strings"
	"sync"
)

// Language is the form of the language as data: every mapping with its keys. The parser looks its
// keys up here; the JSON Schema and the reference are made from the same tables.
type Language struct {
	Root     *Mapping
	Mappings []*Mapping // all of them, each once, in the order in which the root reaches them

	tier, policy, adapt, attempts, delays, budget, breaker, prevention            *Mapping
	reaction, reactionOverlay, byFlag, log, fallback, field, category, code, when *Mapping
	rule, example, notExample, want, reserved, profile, overlay                   *Mapping
	detection, recovery, retry, reporting, matcher, textMatcher, numberMatcher    *Mapping
}

// Mapping is one kind of mapping of the language.
type Mapping struct {
	Name string // what messages call it: "reaction"
	Doc  string
	Keys []Key

	OneOf    []string // exactly one of these keys must be given
	NeedsKey bool     // a mapping without any key says nothing
	AnyOf    []string // at least one of these keys must be given; package check sees to it

	index map[string]*Key
	names []string
}

// Key is a key that a mapping takes.
type Key struct {
	Name     string
	Doc      string
	Default  string // in words or as written; empty when the absence of the key means absence
	Type     Type
	Required bool
	Reserved bool // kept for a later version: refused, with a message of its own
}

// Form is the form of a value.
type Form uint8

// The forms.
const (
	FormText     Form = iota // text of any kind, or a name when Ref is set
	FormWord                 // one of Words
	FormInt                  // a whole number
	FormFloat                // a number
	FormBool                 // true or false
	FormDuration             // 1m30s, as Go writes it
	FormVersion              // the number of the language's version
	FormLiteral              // whatever the field it is for holds
	FormScalar               // text, a number or a truth value
	FormList                 // a list of Elem
	FormMany                 // one Elem or a list of them
	FormMap                  // names to Elem; Ref says what the names are
	FormMapping              // Mapping
	FormEither               // one of Alts
	FormMatcher              // one Elem, a list of them, or Mapping
)

// Ref is what a name names.
type Ref uint8

// What can be named.
const (
	RefNone Ref = iota
	RefSource
	RefOp
	RefGroup
	RefStrategy
	RefCheck
	RefTier
	RefPolicy
	RefReaction
	RefField
	RefCategory
	RefCode
	RefOverlay // a code, a category, @group or *
	RefAttribute
	RefProfile
)

// Type is the form of a value, with what belongs to it.
type Type struct {
	Form    Form
	Words   []string // of FormWord
	Ref     Ref      // of FormText: what the name refers to; of FormMap: what its keys are
	Declare bool     // of FormMap: its keys declare names; otherwise they refer to declared ones
	Elem    *Type
	Mapping *Mapping
	Alts    []Type
	Bounds  *Bounds // of FormInt and FormFloat; package check holds a value to them
}

// Bounds are between which numbers a value is.
type Bounds struct {
	Least, Most float64
	// Endless reports that nothing is the most.
	Endless bool
}

// The greatest numbers that the language takes, so that they fit an int of 32 bits and what is
// counted fits the memory.
const (
	MaxNumber   = 1_000_000 // whole numbers of policies and preventions
	MaxMoved    = 100       // attempts that adapt may move to
	MinOutcomes = 10        // that are remembered for each code
	MaxOutcomes = 1000
)

// The shares that mean anything: of what is nearer to none and all too little is ever seen.
const (
	MinTarget, MaxTarget = 0.01, 0.99 // of first retries that succeed
	MaxLikely            = 0.99       // what a forecast may be sure of
)

// TheLanguage returns the tables. They are shared: do not change them.
var TheLanguage = sync.OnceValue(build)

// Key returns the key called name, or nil.
func (m *Mapping) Key(name string) *Key { return m.index[name] }

// Names returns the keys that may be written, in the order of the table.
func (m *Mapping) Names() []string { return m.names }

func (m *Mapping) finish() {
	m.index = make(map[string]*Key, len(m.Keys))
	for i := range m.Keys {
		k := &m.Keys[i]
		m.index[k.Name] = k
		if !k.Reserved {
			m.names = append(m.names, k.Name)
		}
	}
}

// collect lists the mappings that are reachable from m, m first.
func (l *Language) collect(m *Mapping) {
	if m.index != nil {
		return
	}
	m.finish()
	l.Mappings = append(l.Mappings, m)
	for i := range m.Keys {
		l.collectType(&m.Keys[i].Type)
	}
}

func (l *Language) collectType(t *Type) {
	if t.Mapping != nil {
		l.collect(t.Mapping)
	}
	if t.Elem != nil {
		l.collectType(t.Elem)
	}
	for i := range t.Alts {
		l.collectType(&t.Alts[i])
	}
}

// Describe says in words what a value of the type is: "a list of names".
func (t *Type) Describe() string {
	switch t.Form {
	case FormWord:
		return "one of " + strings.Join(t.Words, ", ")
	case FormInt:
		return "a whole number"
	case FormFloat:
		return "a number"
	case FormBool:
		return "true or false"
	case FormDuration:
		return "a duration like 1m30s"
	case FormVersion:
		return "the number " + strconv.Itoa(Version)
	case FormLiteral:
		return "a value"
	case FormScalar:
		return "text, a number or a truth value"
	case FormList:
		return "a list"
	case FormMany:
		return t.Elem.Describe() + ", or a list"
	case FormMap, FormMapping:
		return t.describeMapping()
	case FormEither:
		return t.describeAlts()
	case FormMatcher:
		return t.Elem.Describe() + ", a list, or a mapping of " + strings.Join(t.Mapping.names, ", ")
	}
	return t.describeText()
}

func (t *Type) describeMapping() string {
	if t.Mapping != nil {
		return "a mapping (" + t.Mapping.Name + ")"
	}
	return "a mapping of names"
}

func (t *Type) describeAlts() string {
	parts := make([]string, len(t.Alts))
	for i := range t.Alts {
		parts[i] = t.Alts[i].Describe()
	}
	return strings.Join(parts, ", or ")
}

func (t *Type) describeText() string {
	if t.Ref == RefNone {
		return "text"
	}
	return "the name of " + refNouns[t.Ref]
}

var refNouns = [...]string{
	RefSource: "a source", RefOp: "an operation", RefGroup: "a group", RefStrategy: "a strategy", RefCheck: "a check",
	RefTier:   "a tier",
	RefPolicy: "a policy", RefReaction: "a reaction", RefField: "a field", RefCategory: "a category", RefCode: "a code",
	RefOverlay: "a code, a category, @group or *", RefAttribute: "an attribute", RefProfile: "a profile",
}
