package breaking

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/errgen/errgen/internal/diag"
	"github.com/errgen/errgen/internal/spec"
)

// Report is a printable result of a comparison.
type Report struct {
	Against string // the released taxonomy
	Source  *diag.Source
	Changes []Change
	// Reserved are the reservations of the new taxonomy.
	Reserved spec.Reserved
	// Acceptances and Findings are the file of accepted changes and the findings about it.
	Acceptances *diag.Source
	Findings    []diag.Finding
}

// Files returns all findings by file.
func (r Report) Files() []diag.FileFindings {
	changes := diag.FileFindings{Source: r.Source}
	for _, c := range r.Changes {
		changes.Findings = append(changes.Findings, c.Finding)
	}
	return []diag.FileFindings{changes, {Source: r.Acceptances, Findings: r.Findings}}
}

// Summary counts the changes.
func (r Report) Summary() string {
	errors, levels := 0, make(map[Level]int)
	for _, c := range r.Changes {
		for level := Wire; level <= Behaviour; level <<= 1 {
			if c.Levels&level != 0 {
				levels[level]++
			}
		}
		if c.Severity == diag.Error {
			errors++
		}
	}
	text := fmt.Sprintf("%s against %s: %s, %s (%d wire, %d source, %d behaviour)", plural(len(r.Changes), "change"),
		r.Against, plural(errors, "error"), plural(len(r.Changes)-errors, "warning"), levels[Wire], levels[Source],
		levels[Behaviour])
	if len(r.Findings) > 0 {
		text += fmt.Sprintf("; %s about %s", plural(len(r.Findings), "finding"), r.Acceptances.Name)
	}
	return text
}

func plural(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return fmt.Sprintf("%d %s", n, noun)
}

// jsonChange is a change as JSON, after the keys of [diag.JSONFinding]. Fields may be added; these
// keep their meaning.
type jsonChange struct {
	diag.JSONFinding
	Level     string   `json:"level"`  // the first of the levels
	Levels    []string `json:"levels"` // wire, source, behaviour
	Subject   Subject  `json:"subject"`
	Key       string   `json:"key,omitempty"` // of the subject; absent for the subject itself
	Old       string   `json:"old,omitempty"` // absent if it did not exist
	New       string   `json:"new,omitempty"` // absent if it does not exist
	Factories []string `json:"factories,omitempty"`
	// Consumers handle the codes that the change concerns; absent without -consumers.
	Consumers []Consumer `json:"consumers,omitempty"`
}

// JSON writes a line for each finding.
func (r Report) JSON(w io.Writer) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	for _, c := range r.Changes {
		if err := enc.Encode(jsonChange{
			JSONFinding: diag.NewJSON(r.Source, c.Finding), Level: c.Level().String(), Levels: c.Levels.words(),
			Subject: c.Subject, Key: c.Key, Old: c.Old, New: c.New, Factories: c.Factories,
			Consumers: c.Consumers,
		}); err != nil {
			return fmt.Errorf("print changes: %w", err)
		}
	}
	return diag.Print(w, diag.FormatJSON, diag.FileFindings{Source: r.Acceptances, Findings: r.Findings})
}

// maxAnnotations is the number of annotations of one severity that GitHub shows for a step.
const maxAnnotations = 10

// GitHub writes a summary and an annotation for each kind of finding, at most maxAnnotations.
func (r Report) GitHub(w io.Writer) error {
	var kinds []diag.FileFindings // of one id each
	for _, file := range r.Files() {
		for _, f := range file.Findings {
			i := slices.IndexFunc(kinds, func(k diag.FileFindings) bool {
				return k.Findings[0].ID == f.ID && k.Source == file.Source
			})
			if i < 0 {
				i = len(kinds)
				kinds = append(kinds, diag.FileFindings{Source: file.Source})
			}
			kinds[i].Findings = append(kinds[i].Findings, f)
		}
	}
	if len(kinds) == 0 {
		return nil
	}
	slices.SortStableFunc(kinds, func(a, b diag.FileFindings) int {
		return cmp.Compare(a.Findings[0].Severity, b.Findings[0].Severity)
	})
	summary := diag.Finding{ID: "errgen breaking", Severity: kinds[0].Findings[0].Severity, Message: r.Summary()}
	if hidden := len(kinds) - (maxAnnotations - 1); hidden > 0 {
		summary.Hint = fmt.Sprintf("%d more kinds of change have no annotation", hidden)
		kinds = kinds[:maxAnnotations-1]
	}
	for i, k := range kinds {
		const maxListed = 10
		f, n := k.Findings[0], len(k.Findings)
		for _, other := range k.Findings[1:min(n, maxListed)] {
			f.Message += "; " + other.Message
		}
		if n > maxListed {
			f.Message += fmt.Sprintf("; and %d more", n-maxListed)
		}
		kinds[i].Findings = []diag.Finding{f}
	}
	return diag.Print(w, diag.FormatGitHub,
		append([]diag.FileFindings{{Source: r.Source, Findings: []diag.Finding{summary}}}, kinds...)...)
}

// maxShown is the number of changes of a kind that a report shows. A report of several hundred
// changes then fits on a few screens.
const maxShown = 6

// Text writes a summary, the changes by level and kind, and the reservations to add.
func (r Report) Text(w io.Writer) error {
	if len(r.Changes)+len(r.Findings) == 0 {
		return nil
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s\n", r.Source.Display(), diag.Printable(r.Summary()))
	cut := false
	for level := Wire; level <= Behaviour; level <<= 1 {
		list := slices.DeleteFunc(slices.Clone(r.Changes), func(c Change) bool { return c.Level() != level })
		slices.SortStableFunc(list, func(a, b Change) int { return strings.Compare(a.ID, b.ID) })
		if len(list) > 0 {
			fmt.Fprintf(&b, "\n%s (%d)\n", level, len(list))
		}
		for len(list) > 0 {
			n := slices.IndexFunc(list, func(c Change) bool { return c.ID != list[0].ID })
			if n < 0 {
				n = len(list)
			}
			r.kind(&b, list[:n])
			cut, list = cut || n > maxShown, list[n:]
		}
	}
	var codes []string
	var numbers []ReservedNumber
	for _, c := range r.Changes {
		codes, numbers = append(codes, c.codes...), append(numbers, c.numbers...)
	}
	if block := Reservation(&r.Reserved, codes, numbers, "\n           "); block != "" {
		how := "add"
		if len(r.Reserved.Codes)+len(r.Reserved.Numbers) > 0 {
			how = "replace the key `reserved` by"
		}
		fmt.Fprintf(&b, "\nto reserve the removed codes and numbers, %s:\n%s\n", how, block)
	}
	if cut {
		b.WriteString("\n-v prints every change with its line\n")
	}
	if _, err := io.WriteString(w, b.String()); err != nil {
		return fmt.Errorf("print changes: %w", err)
	}
	return diag.Print(w, diag.FormatText, diag.FileFindings{Source: r.Acceptances, Findings: r.Findings})
}

// kind writes the changes of a kind. It leaves out repeated hints, and hints to reserve, because
// the report ends with all reservations.
func (r Report) kind(b *strings.Builder, changes []Change) {
	fmt.Fprintf(b, "  %s %s: %d\n", changes[0].Severity, changes[0].ID, len(changes))
	hint := ""
	for _, c := range changes[:min(maxShown, len(changes))] {
		file, line := r.Source.Place(c.Span.Line)
		if file += ":"; file == r.Source.Display()+":" {
			file = ""
		}
		fmt.Fprintf(b, "    %s%d:%d %s\n", diag.Printable(file), line, c.Span.Col, diag.Printable(c.Message))
		if c.Hint != hint && c.Hint != "" && len(c.codes)+len(c.numbers) == 0 {
			fmt.Fprintf(b, "      hint: %s\n", diag.Printable(c.Hint))
			hint = c.Hint
		}
	}
	if rest := len(changes) - maxShown; rest > 0 {
		fmt.Fprintf(b, "    and %d more\n", rest)
	}
}

// note is an entry of release notes as JSON.
type note struct {
	Kind     string   `json:"kind"` // added, deprecated, renamed, removed or changed
	Subject  Subject  `json:"subject"`
	Key      string   `json:"key,omitempty"` // of the subject
	Old      string   `json:"old,omitempty"`
	New      string   `json:"new,omitempty"`
	Breaking []string `json:"breaking,omitempty"` // the levels that it breaks
	Text     string   `json:"text"`
}

// PrintNotes writes release notes, the changes by kind, in a format: text, markdown or json. JSON
// is one object per line.
func PrintNotes(w io.Writer, format string, changes []Change) error {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	heading, item := "%s (%d)\n", "  %s%s\n"
	if format == "markdown" {
		heading, item = "## %s (%d)\n\n", "- %s%s\n"
	}
	for _, kind := range kinds {
		list := slices.DeleteFunc(slices.Clone(changes), func(c Change) bool { return c.Kind != kind })
		if len(list) > 0 && format != "json" {
			if b.Len() > 0 {
				b.WriteByte('\n')
			}
			fmt.Fprintf(&b, heading, strings.ToUpper(kind[:1])+kind[1:], len(list))
		}
		for _, c := range list {
			var levels []string
			text, suffix := diag.Printable(c.Message), ""
			if c.Severity == diag.Error {
				levels = c.Levels.words()
				suffix = " (breaking: " + strings.Join(levels, ", ") + ")"
			}
			switch format {
			case "json":
				n := note{kind, c.Subject, c.Key, c.Old, c.New, levels, c.Message}
				if err := enc.Encode(n); err != nil {
					return fmt.Errorf("print notes: %w", err)
				}
				continue
			case "markdown":
				text = escapeMarkdown(text)
			}
			fmt.Fprintf(&b, item, text, suffix)
		}
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
