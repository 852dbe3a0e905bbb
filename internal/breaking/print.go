package breaking

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/errgen/errgen/internal/diag"
)

// Report is a printable result of a comparison.
type Report struct {
	Against string // the released taxonomy
	Source  *diag.Source
	Changes []Change
	// Acceptances and Findings are the file of accepted changes and the findings about it.
	Acceptances *diag.Source
	Findings    []diag.Finding
}

// Files returns all findings by file.
func (r Report) Files() []diag.FileFindings {
	changes := diag.FileFindings{Source: r.Source}
	for _, c := range r.Changes {
		f := c.Finding
		f.Message = c.full()
		changes.Findings = append(changes.Findings, f)
	}
	return []diag.FileFindings{changes, {Source: r.Acceptances, Findings: r.Findings}}
}

// Summary counts the changes.
func (r Report) Summary() string {
	errors, levels := 0, make(map[Level]int)
	for _, c := range r.Changes {
		levels[c.Level()]++
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

// JSONChange is a change as JSON, after the keys of [diag.JSONFinding]. Fields may be added; these
// keep their meaning.
type JSONChange struct {
	diag.JSONFinding
	Level        string       `json:"level"`  // the first of the levels
	Levels       []string     `json:"levels"` // wire, source, behaviour
	Subject      Subject      `json:"subject"`
	Key          string       `json:"key,omitempty"` // of the subject; absent for the subject itself
	Old          string       `json:"old,omitempty"` // absent if it did not exist
	New          string       `json:"new,omitempty"` // absent if it does not exist
	Factories    []string     `json:"factories,omitempty"`
	Consequences []JSONChange `json:"consequences,omitempty"`
}

func (r Report) json(c Change) JSONChange {
	out := JSONChange{
		JSONFinding: diag.NewJSON(r.Source, c.Finding), Level: c.Level().String(),
		Levels: strings.Split(c.Levels.String(), ","), Subject: c.Subject, Key: c.Key, Old: c.Old, New: c.New,
		Factories: c.Factories,
	}
	for _, effect := range c.Consequences {
		out.Consequences = append(out.Consequences, r.json(effect))
	}
	return out
}

// JSON writes a line for each finding.
func (r Report) JSON(w io.Writer) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	for _, c := range r.Changes {
		if err := enc.Encode(r.json(c)); err != nil {
			return fmt.Errorf("print changes: %w", err)
		}
	}
	return diag.Print(w, diag.FormatJSON, diag.FileFindings{Source: r.Acceptances, Findings: r.Findings})
}

// maxAnnotations is the number of annotations of one severity that GitHub shows for a step.
const maxAnnotations = 10

// GitHub writes a summary and an annotation for each kind of finding, at most maxAnnotations.
func (r Report) GitHub(w io.Writer) error {
	type group struct {
		source   *diag.Source
		findings []diag.Finding
	}
	var groups []*group
	for _, file := range r.Files() {
		for _, f := range file.Findings {
			i := slices.IndexFunc(groups, func(g *group) bool {
				return g.findings[0].ID == f.ID && g.source == file.Source
			})
			if i < 0 {
				i = len(groups)
				groups = append(groups, &group{source: file.Source})
			}
			groups[i].findings = append(groups[i].findings, f)
		}
	}
	if len(groups) == 0 {
		return nil
	}
	slices.SortStableFunc(groups, func(a, b *group) int {
		return cmp.Compare(a.findings[0].Severity, b.findings[0].Severity)
	})
	hidden := max(len(groups)-(maxAnnotations-1), 0)
	summary := diag.Finding{ID: "errgen breaking", Severity: groups[0].findings[0].Severity, Message: r.Summary()}
	if hidden > 0 {
		summary.Hint = fmt.Sprintf("%d more kinds of change have no annotation", hidden)
	}
	files := []diag.FileFindings{{Source: r.Source, Findings: []diag.Finding{summary}}}
	for _, g := range groups[:len(groups)-hidden] {
		f := g.findings[0]
		if n := len(g.findings); n > 1 {
			const most = 10
			f.Message = fmt.Sprintf("%d findings: %s", n, f.Message)
			for _, other := range g.findings[1:min(n, most)] {
				f.Message += "; " + other.Message
			}
			if n > most {
				f.Message += fmt.Sprintf("; and %d more", n-most)
			}
		}
		files = append(files, diag.FileFindings{Source: g.source, Findings: []diag.Finding{f}})
	}
	return diag.Print(w, diag.FormatGitHub, files...)
}

// A report has about maxRows rows of a terminal with width columns, which is two screens.
const maxRows, width = 95, 160

// Text writes a summary, the changes by level and kind, and the reservations to add. A kind with
// many changes is cut so that the report fits on two screens.
func (r Report) Text(w io.Writer) error {
	if len(r.Changes)+len(r.Findings) == 0 {
		return nil
	}
	text := ""
	for _, most := range []int{len(r.Changes), 40, 30, 20, 15, 12, 10, 8, 6, 5, 4, 3, 2, 1} {
		text = r.text(most)
		rows := 0
		for line := range strings.Lines(text) {
			rows += 1 + utf8.RuneCountInString(line)/width
		}
		if rows <= maxRows {
			break
		}
	}
	if _, err := io.WriteString(w, text); err != nil {
		return fmt.Errorf("print changes: %w", err)
	}
	return diag.Print(w, diag.FormatText, diag.FileFindings{Source: r.Acceptances, Findings: r.Findings})
}

func (r Report) text(most int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s\n", r.Source.Display(), diag.Printable(r.Summary()))
	cut := false
	for level := Wire; level <= Behaviour; level <<= 1 {
		kinds := make(map[string][]Change)
		var ids []string
		total := 0
		for _, c := range r.Changes {
			if c.Level() == level {
				total++
				kinds[c.ID] = append(kinds[c.ID], c)
			}
		}
		for id := range kinds {
			ids = append(ids, id)
		}
		slices.SortFunc(ids, func(a, b string) int {
			if a[0] != b[0] { // E-break-… before W-changed-…
				return strings.Compare(a, b)
			}
			return cmp.Or(len(kinds[b])-len(kinds[a]), strings.Compare(a, b))
		})
		if total > 0 {
			fmt.Fprintf(&b, "\n%s (%d)\n", level, total)
		}
		for _, id := range ids {
			cut = r.kind(&b, kinds[id], most) || cut
		}
	}
	if block := reservation(r.Changes, "\n           "); block != "" {
		fmt.Fprintf(&b, "\nto reserve the removed codes and numbers, add:\n%s\n", block)
	}
	if cut {
		b.WriteString("\n-v prints every change with its line\n")
	}
	return b.String()
}

// kind writes the changes of a kind, at most most rows. Changes with the same text are one row. It
// reports whether it left rows out.
func (r Report) kind(b *strings.Builder, changes []Change, most int) bool {
	type row struct {
		Change
		labels []string
	}
	var rows []row
	index := make(map[string]int)
	hints := make(map[string]int)
	for _, c := range changes {
		if c.Key == "message" || c.Key == "feedback" {
			c.text = c.Key + " " + wordDiff(c.Old, c.New)
		}
		if c.number != "" || c.codes != nil || c.ID == idCodeRenamed {
			c.Hint = "" // its text or the reservation has the line to paste
		}
		hints[c.Hint]++
		i, same := index[c.text]
		if !same || c.label == "" || len(c.Consequences)+len(rows[i].Consequences) > 0 {
			i = len(rows)
			index[c.text] = i
			rows = append(rows, row{Change: c})
		}
		rows[i].labels = append(rows[i].labels, c.label)
	}
	fmt.Fprintf(b, "  %s %s: %d\n", changes[0].Severity, changes[0].ID, len(changes))
	hint, uses := "", min(len(changes)-1, 1)
	for _, row := range rows { // the most frequent hint, unless each change has its own
		if n := hints[row.Hint]; row.Hint != "" && n > uses {
			hint, uses = row.Hint, n
		}
	}
	if hint != "" {
		fmt.Fprintf(b, "    hint: %s\n", diag.Printable(hint))
	}
	shown := 0
	for _, row := range rows[:min(most, len(rows))] {
		shown += len(row.labels)
		text := cmp.Or(row.text, row.Message)
		if row.label != "" {
			text = enumerate(row.labels, max(most, 3)) + ": " + text
		}
		for _, effect := range row.Consequences {
			const short = 60
			if effect.label == "" || len(effect.text) > short {
				effect.text = effect.ID
			}
			if !strings.Contains(text, "; "+effect.text) {
				text += "; " + effect.text
			}
		}
		file, line := r.Source.Place(row.Span.Line)
		if file = diag.Printable(file) + ":"; file == diag.Printable(r.Source.Display())+":" {
			file = ""
		}
		fmt.Fprintf(b, "    %s%d:%d %s\n", file, line, row.Span.Col, diag.Printable(text))
		if row.Hint != "" && row.Hint != hint {
			fmt.Fprintf(b, "      hint: %s\n", diag.Printable(row.Hint))
		}
	}
	if rest := rows[min(most, len(rows)):]; len(rest) > 0 {
		var names []string
		for _, row := range rest {
			if row.label == "" {
				row.labels = []string{row.Subject.String()}
			}
			names = append(names, row.labels...)
		}
		fmt.Fprintf(b, "    and %d more: %s\n", len(changes)-shown, diag.Printable(enumerate(names, 3)))
		return true
	}
	return false
}

// wordDiff returns the new text with removed words as [-…-] and added words as {+…+}.
func wordDiff(old, new string) string {
	was, is := strings.Fields(old), strings.Fields(new)
	n := 0
	for n < min(len(was), len(is)) && was[n] == is[n] {
		n++
	}
	m := 0
	for m < min(len(was), len(is))-n && was[len(was)-1-m] == is[len(is)-1-m] {
		m++
	}
	out := slices.Clone(is[:n])
	if w := was[n : len(was)-m]; len(w) > 0 {
		out = append(out, "[-"+strings.Join(w, " ")+"-]")
	}
	if w := is[n : len(is)-m]; len(w) > 0 {
		out = append(out, "{+"+strings.Join(w, " ")+"+}")
	}
	return `"` + strings.Join(append(out, is[len(is)-m:]...), " ") + `"`
}
