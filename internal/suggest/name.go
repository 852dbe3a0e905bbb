package suggest

import (
	"strconv"
	"strings"
	"unicode"
)

const (
	maxName  = 48 // bytes of a proposed name
	maxWords = 6
)

// names are the names of codes that are taken.
type names map[string]bool

func newNames(taken []string) names {
	n := make(names)
	for _, name := range taken {
		n[folded(name)] = true
	}
	return n
}

// folded is equal for names that could become one name in Go.
func folded(name string) string { return strings.ToLower(strings.ReplaceAll(name, "_", "")) }

// take returns a free name for what a rule finds, with a number if need be.
func (n names) take(f facts, literal string) string {
	said := f.kind + literal // one of them is empty
	options := []string{
		screaming(said), screaming(f.source, said), screaming(f.source, f.detail()), screaming(f.source, "failure"),
		"UNRECOGNISED_FAILURE",
	}
	if said == "" {
		options = options[2:]
	}
	for i := 1; ; i++ {
		for _, name := range options {
			if i > 1 {
				name += "_V" + strconv.Itoa(i)
			}
			if key := folded(name); len(name) > 1 && name[0] != '_' && !n[key] {
				n[key] = true
				return name
			}
		}
	}
}

// detail returns the fact that distinguishes failures best, for a name.
func (f facts) detail() string {
	switch {
	case f.code+f.errno+f.signal != "":
		return f.code + " " + f.errno + " " + f.signal
	case f.status != 0:
		return "status " + strconv.Itoa(f.status)
	case f.exit != "":
		return "exit " + f.exit
	}
	return f.op
}

// screaming writes words as the key of a code: NO_SUCH_FILE. It returns "" for a name that begins
// with a digit, or that YAML does not read as text.
func screaming(parts ...string) string {
	words := strings.FieldsFunc(strings.Join(parts, " "), func(r rune) bool {
		return r >= unicode.MaxASCII || !unicode.IsLetter(r) && !unicode.IsDigit(r)
	})
	name := ""
	for i, word := range words {
		if i == maxWords || len(name)+len(word) >= maxName {
			break
		}
		name += "_" + strings.ToUpper(word)
	}
	if name = strings.TrimPrefix(name, "_"); len(name) < 2 || !isPlain(name) {
		return ""
	}
	return name
}
