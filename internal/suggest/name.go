package suggest

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
)

const (
	maxName  = 48 // bytes of a proposed name
	maxWords = 6
)

// names proposes names for codes, each once.
type names struct{ taken map[string]bool }

func newNames(taken []string) names {
	n := names{taken: make(map[string]bool)}
	for _, name := range taken {
		n.taken[folded(name)] = true
	}
	return n
}

// folded is the same for names that could become one name in Go.
func folded(name string) string { return strings.ToLower(strings.ReplaceAll(name, "_", "")) }

// take returns the first of the proposals that is free, or the last with a number.
func (n names) take(proposals []string) string {
	i := slices.IndexFunc(proposals, func(p string) bool { return !n.taken[folded(p)] })
	if i >= 0 {
		n.taken[folded(proposals[i])] = true
		return proposals[i]
	}
	last := proposals[len(proposals)-1]
	for i := 2; ; i++ {
		if name := fmt.Sprintf("%s_V%d", last, i); !n.taken[folded(name)] {
			n.taken[folded(name)] = true
			return name
		}
	}
}

// proposals returns names for what a rule finds, the best first. There is always one.
func proposals(f facts, literal string) []string {
	var out []string
	say := func(parts ...string) {
		if name := screaming(parts...); name != "" && !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	for _, said := range []string{f.kind, literal} {
		if said != "" {
			say(said)
			say(f.source, said)
		}
	}
	switch {
	case f.code != "":
		say(f.source, f.code)
		say(f.source, "code", f.code)
	case f.errno != "":
		say(f.source, f.errno)
	case f.signal != "":
		say(f.source, f.signal)
	case f.status != 0:
		say(f.source, "status", number(f.status))
	case f.hasExit:
		say(f.source, "exit", fmt.Sprint(f.exit))
	case f.op != "":
		say(f.source, f.op)
	}
	say(f.source, "failure")
	say("unrecognised failure")
	return out
}

// screaming writes words as the key of a code: NO_SUCH_FILE. It returns "" for what would begin
// with a digit, or is no text to some reader of YAML.
func screaming(parts ...string) string {
	words := strings.FieldsFunc(strings.Join(parts, " "), func(r rune) bool {
		return r >= unicode.MaxASCII || !unicode.IsLetter(r) && !unicode.IsDigit(r)
	})
	var b strings.Builder
	for i, word := range words {
		if i == maxWords || b.Len()+len(word) >= maxName {
			break
		}
		if i > 0 {
			b.WriteByte('_')
		}
		b.WriteString(strings.ToUpper(word))
	}
	if b.Len() < 2 || !isPlain(b.String()) {
		return ""
	}
	return b.String()
}
