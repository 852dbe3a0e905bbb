package breaking

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/errgen/errgen/internal/diag"
	"github.com/errgen/errgen/internal/model"
)

// The kinds of notes, in their order.
var noteKinds = []string{"added", "deprecated", "renamed", "removed", "changed"}

// Note is an entry of release notes.
type Note struct {
	Kind     string   `json:"kind"` // added, deprecated, renamed, removed or changed
	Subject  Subject  `json:"subject"`
	Key      string   `json:"key,omitempty"` // of the subject
	Old      string   `json:"old,omitempty"`
	New      string   `json:"new,omitempty"`
	Breaking []string `json:"breaking,omitempty"` // the levels that it breaks
	Text     string   `json:"text"`
}

// Notes returns all differences between two taxonomies by kind, those of codes first.
func Notes(old, new *Taxonomy) []Note {
	c := compare(old, new)
	notes := append(c.codeNotes(), c.added...)
	for _, change := range Fold(c.out) {
		if kind := c.noteKind(change); kind != "" {
			note := Note{Kind: kind, Subject: change.Subject, Key: change.Key, Old: change.Old, New: change.New,
				Text: change.full()}
			if change.Severity == diag.Error {
				note.Breaking = strings.Split(change.Levels.String(), ",")
			}
			notes = append(notes, note)
		}
	}
	slices.SortStableFunc(notes, func(a, b Note) int {
		return cmp.Compare(slices.Index(noteKinds, a.Kind), slices.Index(noteKinds, b.Kind))
	})
	return slices.CompactFunc(notes, func(a, b Note) bool { return a.Kind == b.Kind && a.Text == b.Text })
}

// codeNotes returns the notes about codes that are added, deprecated, renamed or removed.
func (c *comparison) codeNotes() (notes []Note) {
	add := func(kind string, s Subject, old, new, text string, breaks ...string) {
		notes = append(notes, Note{Kind: kind, Subject: s, Old: old, New: new, Text: text, Breaking: breaks})
	}
	for _, n := range c.new.model.Codes {
		o, s := c.from[n], c.subject(n)
		if o == nil {
			code := describeCode(n, c.audience(n.Public)...)
			add("added", s, "", n.Value, fmt.Sprintf("code %s: %s", code, n.MessageText))
		}
		if n.Deprecated != "" && (o == nil || o.Deprecated == "") {
			text := fmt.Sprintf("code %s: %s", n.Key, n.Deprecated)
			if n.ReplacedBy != nil {
				text += "; use " + n.ReplacedBy.Key
			}
			add("deprecated", s, "", n.Deprecated, text)
		}
		if o == nil || o.Key == n.Key && o.Value == n.Value {
			continue
		}
		text := fmt.Sprintf("code %s is now %s", o.Key, n.Key)
		if o.Key == n.Key {
			text = fmt.Sprintf("code %s is now %s on the wire", o.Value, n.Value)
		}
		switch {
		case o.Value == n.Value:
			add("renamed", s, o.Key, n.Key, text+"; "+o.Value+" stays on the wire")
		case c.new.decodes(o.Value) == n:
			add("renamed", s, o.Value, n.Value, text+"; "+o.Value+" still decodes")
		default:
			add("renamed", s, o.Value, n.Value, text+"; "+o.Value+" no longer decodes", "wire", "source")
		}
	}
	for _, o := range c.old.model.Codes {
		s := Subject{Code: o.Key, Category: o.Category.Name}
		switch n := c.to[o]; {
		case c.old.byValue[o.Value] != o || c.continued(o) != nil:
		case n != nil:
			add("removed", s, o.Value, n.Value,
				fmt.Sprintf("code %s: merged into %s, which it decodes to", o.Key, n.Key))
		case c.new.reservedCodes[o.Value]:
			add("removed", s, o.Value, "", fmt.Sprintf("code %s: its name is reserved", describeCode(o)))
		default:
			add("removed", s, o.Value, "", "code "+describeCode(o), "wire", "source")
		}
	}
	return notes
}

// describeCode returns the code with its category, its number and more facts.
func describeCode(code *model.Code, more ...string) string {
	facts := []string{code.Category.Name}
	if code.Numbered {
		facts = append(facts, fmt.Sprintf("number %d", code.Number))
	}
	return code.Key + inBrackets(append(facts, more...))
}

// audience returns the audience of a code or a field, or nothing if the taxonomy has no public
// codes.
func (c *comparison) audience(public bool) []string {
	switch {
	case public:
		return []string{audiencePublic}
	case slices.ContainsFunc(c.new.model.Codes, func(code *model.Code) bool { return code.Public }):
		return []string{audienceInternal}
	}
	return nil
}

// inBrackets returns facts in brackets behind a space, or "" without any.
func inBrackets(facts []string) string {
	if len(facts) == 0 {
		return ""
	}
	return " (" + strings.Join(facts, ", ") + ")"
}

// noteKind returns the kind of a change's note, or "" if a note about its code contains the change.
func (c *comparison) noteKind(change Change) string {
	switch change.ID {
	case idCodeRemoved, idRetired, idCodeRenamed, idCodeValue, idRenamed:
		return ""
	case idGoName:
		if change.Subject.Was != "" {
			return ""
		}
	case idFieldRenamed:
		return "renamed"
	case idCategory:
		if change.Subject.Code == "" {
			return "renamed"
		}
	case idFieldRemoved, idGoRemoved, "E-break-word-removed":
		return "removed"
	case "E-break-word-added", "E-break-interface":
		return "added"
	}
	return "changed"
}

// PrintNotes writes notes in a format: text, markdown or json. JSON is one object per line.
func PrintNotes(w io.Writer, format string, notes []Note) error {
	var b strings.Builder
	kind := ""
	for _, note := range notes {
		if format == "json" {
			enc := json.NewEncoder(&b)
			enc.SetEscapeHTML(false)
			if err := enc.Encode(note); err != nil {
				return fmt.Errorf("print notes: %w", err)
			}
			continue
		}
		text, breaks := diag.Printable(note.Text), ""
		if len(note.Breaking) > 0 {
			breaks = " (breaking: " + strings.Join(note.Breaking, ", ") + ")"
		}
		heading, item := "%s (%d)\n", "  %s%s\n"
		if format == "markdown" {
			heading, item, text = "## %s (%d)\n\n", "- %s%s\n", escapeMarkdown(text)
		}
		if note.Kind != kind {
			if kind != "" {
				b.WriteByte('\n')
			}
			kind = note.Kind
			total := 0
			for _, other := range notes {
				if other.Kind == kind {
					total++
				}
			}
			fmt.Fprintf(&b, heading, strings.ToUpper(kind[:1])+kind[1:], total)
		}
		fmt.Fprintf(&b, item, text, breaks)
	}
	if _, err := io.WriteString(w, b.String()); err != nil {
		return fmt.Errorf("print notes: %w", err)
	}
	return nil
}

// escapeMarkdown returns text that Markdown shows unchanged.
func escapeMarkdown(text string) string {
	return strings.NewReplacer(`\`, `\\`, "`", "\\`", `*`, `\*`, `_`, `\_`, `[`, `\[`, `]`, `\]`, `<`, `&lt;`, `&`,
		`&amp;`, `|`, `\|`, `#`, `\#`).Replace(text)
}
