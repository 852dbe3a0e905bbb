package suggest

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/errgen/errgen/internal/explain"
	"github.com/errgen/errgen/internal/naming"
	"github.com/errgen/errgen/internal/spec"
)

// indent is the indent of a code below `categories`, its category and `codes`.
const indent = "      "

// pairs returns the facts as keys of a rule or an example.
func (f facts) pairs() spec.Flow {
	var out spec.Flow
	for _, p := range []struct{ key, value string }{
		{"source", f.source}, {"op", f.op}, {"status", strconv.Itoa(f.status)}, {"type", f.kind},
		{"code", f.code}, {"exit_code", f.exit}, {"signal", f.signal}, {"errno", f.errno}, {"like", f.like},
	} {
		n, err := strconv.Atoi(p.value)
		switch isNumber := err == nil && (p.key == "status" || p.key == "exit_code"); {
		case isNumber && (n != 0 || p.key == "exit_code"):
			out = append(out, spec.Pair{Key: p.key, Value: n})
		case !isNumber && p.value != "":
			out = append(out, spec.Pair{Key: p.key, Value: p.value})
		}
	}
	return out
}

// words returns the facts for a person: "status 529".
func (f facts) words() []string {
	var out []string
	for _, p := range f.pairs() {
		if p.Key != "like" {
			out = append(out, fmt.Sprint(strings.ReplaceAll(p.Key, "_", " "), " ", p.Value))
		}
	}
	return out
}

// flow returns a mapping as YAML on one line.
func flow(pairs spec.Flow) string {
	text := spec.Encode(spec.Pairs{{Key: "flow", Value: pairs}})
	return strings.TrimSpace(strings.TrimPrefix(string(text), "flow:"))
}

// YAML returns the proposals as text to paste under the `codes` of a category. Everything else in
// it is a comment.
func (r *Result) YAML() []byte {
	var b bytes.Buffer
	if len(r.Proposals) == 0 {
		fmt.Fprintf(&b, "# Nothing to propose for %s.\n", entries(r.Entries))
	} else {
		b.WriteString("# Proposals for evidence that no rule matched. Paste codes under the codes of a category, or " +
			"move a rule and its\n# examples to an existing code. Names are guesses; " +
			"add doc, retryable and reaction.\n")
	}
	if r.Matched > 0 {
		fmt.Fprintf(&b, "# %s left out, because rules of the taxonomy match now.\n", entries(r.Matched))
	}
	if text := declarations(r.UndeclaredSources, r.UndeclaredOps); text != "" {
		fmt.Fprintf(&b, "# To declare:\n%s", indented("#   ", text))
	}
	for _, p := range r.Proposals {
		fmt.Fprintf(&b, "\n%s%s", indented(indent+"# ", p.comment()), indented(indent, p.code()))
	}
	if len(r.Left) > 0 {
		b.WriteString("\n# Without a proposal:\n")
	}
	for _, l := range r.Left {
		parts := append([]string{entries(l.Count)}, l.Facts...)
		if l.Text != "" {
			parts = append(parts, strconv.Quote(l.Text))
		}
		fmt.Fprintf(&b, "# %s: %s\n", strings.Join(parts, ", "), l.Why)
	}
	return b.Bytes()
}

// indented returns lines that begin with a prefix.
func indented(prefix, text string) string {
	return prefix + strings.ReplaceAll(strings.TrimSuffix(text, "\n"), "\n", "\n"+prefix) + "\n"
}

// declarations returns the sections of a taxonomy that declare names.
func declarations(sources, ops []string) string {
	var sections spec.Pairs
	for i, names := range [][]string{sources, ops} {
		var section spec.Pairs
		for _, name := range names {
			section = append(section, spec.Pair{Key: name, Value: ""})
		}
		if section != nil {
			sections = append(sections, spec.Pair{Key: []string{"sources", "ops"}[i], Value: section})
		}
	}
	if sections == nil {
		return ""
	}
	return string(spec.Encode(sections))
}

func (p *Proposal) comment() string {
	first, last := p.First.UTC().Format(time.RFC3339), p.Last.UTC().Format(time.RFC3339)
	text := entries(p.Count)
	switch {
	case p.First.IsZero():
	case first == last:
		text += " at " + first
	default:
		text += " from " + first + " to " + last
	}
	for _, normal := range p.Texts {
		text += "\n  " + strconv.Quote(normal)
	}
	if p.Source == "" {
		text += "\nThe source has no usable name, so the rule is for every source."
	}
	if short := 8; 0 < len(p.Contains) && len(p.Contains) < short {
		text += "\nThe text is short: extend it, or add a condition."
	}
	return text
}

// code returns the code as YAML.
func (p *Proposal) code() string {
	return fmt.Sprintf("%s:\n  message: %s\n  detect:\n    - %s\n  examples:\n    - %s\n", p.Name,
		strings.ToLower(strings.ReplaceAll(p.Name, "_", " ")), p.Rule, strings.Join(p.Examples, "\n    - "))
}

func entries(n int) string { return explain.Count(n, "entry", "entries") }

const (
	maxName  = 48 // bytes of a proposed name
	maxWords = 6
)

// names are the names of codes that are taken, in lower case and without underscores: these could
// become one name in Go.
type names map[string]bool

func folded(name string) string { return strings.ToLower(strings.ReplaceAll(name, "_", "")) }

// take claims a free name for the code of a rule. If all names are taken, it adds a number.
func (n names) take(f facts, literal string) string {
	detail := strings.Join([]string{f.code, f.errno, f.signal}, " ")
	switch {
	case f.code != "" && f.status != 0: // the code has several statuses
		detail += " " + strconv.Itoa(f.status)
	case strings.TrimSpace(detail) != "":
	case f.status != 0:
		detail = "status " + strconv.Itoa(f.status)
	case f.exit != "":
		detail = "exit " + f.exit
	default:
		detail = f.op
	}
	subject := f.kind + f.like + literal // at most one of them is not empty
	options := []string{
		screaming(subject), screaming(f.source, subject), screaming(f.source, detail), "UNRECOGNISED_FAILURE",
	}
	if subject == "" {
		options = options[2:]
	}
	for i := 1; ; i++ {
		for _, name := range options {
			if i > 1 {
				name += "_V" + strconv.Itoa(i)
			}
			if key := folded(name); len(name) > 3 && name[0] != '_' && !n[key] {
				n[key] = true
				return name
			}
		}
	}
}

// screaming writes words as the key of a code: NO_SUCH_FILE. It returns "" for a name that begins
// with a digit.
func screaming(parts ...string) string {
	words := strings.FieldsFunc(strings.Join(parts, " "), func(r rune) bool {
		return r >= unicode.MaxASCII || !unicode.IsLetter(r) && !unicode.IsDigit(r)
	})
	name := ""
	for i, word := range words {
		word, _ = naming.Snake(word) // it has letters and digits only
		if i == maxWords || len(name)+len(word) >= maxName {
			break
		}
		name += "_" + strings.ToUpper(word)
	}
	if name = strings.TrimPrefix(name, "_"); name == "" || unicode.IsDigit(rune(name[0])) {
		return ""
	}
	return name
}
