package workspace

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/bmatcuk/doublestar/v4"
)

// glob is a pattern without alternatives, ready to be matched.
type glob struct {
	source string // as it was configured
	text   string // for doublestar
	prefix string // what every match begins with
	needle string // what every match holds
	parts  []string
}

// find returns the first of the globs that p matches, or nil.
func find(globs []glob, p string) *glob {
	for i := range globs {
		if globs[i].matches(p) {
			return &globs[i]
		}
	}
	return nil
}

// matches compares the plain text of the pattern first, which settles nearly every pair of pattern
// and path.
func (g *glob) matches(p string) bool {
	return strings.HasPrefix(p, g.prefix) && strings.Contains(p, g.needle) && doublestar.MatchUnvalidated(g.text, p)
}

// compile reads the patterns of a list. Those that restrict cover what is below a plain name, too.
func compile(list string, patterns []string, restricts, fold bool, wrong *misfits) []glob {
	if len(patterns) > maxPatterns {
		wrong.add(list, fmt.Sprintf("%d patterns", len(patterns)), fmt.Sprintf("%d patterns at most", maxPatterns))
		return nil
	}
	var globs []glob
	for i, source := range patterns {
		texts, err := expand(source)
		if err != nil {
			wrong.add(fmt.Sprintf("%s[%d]", list, i), source, "a usable pattern: "+err.Error())
			continue
		}
		for _, text := range texts {
			text = below(text, restricts)
			if fold {
				text = folded(text)
			}
			globs = append(globs, newGlob(source, text))
		}
	}
	return globs
}

// below has a directory's pattern cover what is below the directory. `docs/**` matches docs itself
// as well.
func below(text string, restricts bool) string {
	directory := strings.HasSuffix(text, "/")
	text = strings.TrimSuffix(text, "/")
	last := text[strings.LastIndexByte(text, '/')+1:]
	if last == "**" {
		return text
	}
	if directory || restricts && len(literals(last)) == 1 {
		return text + "/**"
	}
	return text
}

func newGlob(source, text string) glob {
	g := glob{source: source, text: withoutSlash(text), parts: strings.Split(text, "/")}
	chunks := literals(text)
	for i, chunk := range chunks {
		// A slash beside `**` need not be in the path.
		chunk = strings.Trim(chunk, "/")
		if i == 0 {
			g.prefix = chunk
			continue
		}
		if len(chunk) > len(g.needle) {
			g.needle = chunk
		}
	}
	return g
}

// literals returns the plain texts between the wildcards of a pattern, the one before the first
// wildcard first.
func literals(text string) []string {
	var chunks []string
	var b strings.Builder
	flush := func() {
		chunks = append(chunks, b.String())
		b.Reset()
	}
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '*', '?':
			flush()
		case '[':
			flush()
			i = classEnd(text, i)
		case '\\':
			i++
			b.WriteByte(text[i])
		default:
			b.WriteByte(text[i])
		}
	}
	flush()
	return chunks
}

// folded returns s with letters that differ in case only made the same.
func folded(s string) string {
	return strings.Map(func(r rune) rune { return unicode.ToLower(unicode.ToUpper(r)) }, s)
}
