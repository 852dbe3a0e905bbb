package breaking

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

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

// jsonChange is a change as JSON, after the keys of [diag.JSONFinding]. Fields may be added; these
// keep their meaning.
type jsonChange struct {
	diag.JSONFinding
	Level        string       `json:"level"`  // the first of the levels
	Levels       []string     `json:"levels"` // wire, source, behaviour
	Subject      Subject      `json:"subject"`
	Key          string       `json:"key,omitempty"` // of the subject; absent for the subject itself
	Old          string       `json:"old,omitempty"` // absent if it did not exist
	New          string       `json:"new,omitempty"` // absent if it does not exist
	Factories    []string     `json:"factories,omitempty"`
	Consequences []jsonChange `json:"consequences,omitempty"`
}

func (r Report) json(c Change) jsonChange {
	out := jsonChange{
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
			const maxListed = 10
			f.Message = fmt.Sprintf("%d findings: %s", n, f.Message)
			for _, other := range g.findings[1:min(n, maxListed)] {
				f.Message += "; " + other.Message
			}
			if n > maxListed {
				f.Message += fmt.Sprintf("; and %d more", n-maxListed)
			}
		}
		files = append(files, diag.FileFindings{Source: g.source, Findings: []diag.Finding{f}})
	}
	return diag.Print(w, diag.FormatGitHub, files...)
}

// maxShown is the number of changes of a kind that a report shows, which is a few screens for many
// hundreds of changes.
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
		kinds, total := make(map[string][]Change), 0
		for _, c := range r.Changes {
			if c.Level() == level {
				total++
				kinds[c.ID] = append(kinds[c.ID], c)
			}
		}
		if total > 0 {
			fmt.Fprintf(&b, "\n%s (%d)\n", level, total)
		}
		for _, id := range slices.SortedFunc(maps.Keys(kinds), func(a, b string) int {
			if a[0] != b[0] { // E-break-… before W-changed-…
				return strings.Compare(a, b)
			}
			return cmp.Or(len(kinds[b])-len(kinds[a]), strings.Compare(a, b))
		}) {
			r.kind(&b, kinds[id])
			cut = cut || len(kinds[id]) > maxShown
		}
	}
	if block := reservation(r.Changes, "\n           "); block != "" {
		fmt.Fprintf(&b, "\nto reserve the removed codes and numbers, add:\n%s\n", block)
	}
	if cut {
		b.WriteString("\n-v prints every change with its line\n")
	}
	if _, err := io.WriteString(w, b.String()); err != nil {
		return fmt.Errorf("print changes: %w", err)
	}
	return diag.Print(w, diag.FormatText, diag.FileFindings{Source: r.Acceptances, Findings: r.Findings})
}

// kind writes the changes of a kind. A hint of several of them is written once.
func (r Report) kind(b *strings.Builder, changes []Change) {
	fmt.Fprintf(b, "  %s %s: %d\n", changes[0].Severity, changes[0].ID, len(changes))
	common := changes[0].Hint
	for _, c := range changes {
		if c.Hint != common || c.hasLineToPaste() {
			common = ""
		}
	}
	if common != "" {
		fmt.Fprintf(b, "    hint: %s\n", diag.Printable(common))
	}
	for _, c := range changes[:min(maxShown, len(changes))] {
		text := c.Message
		if c.Key == "message" || c.Key == "feedback" {
			text = c.label + ": " + c.Key + " " + wordDiff(c.Old, c.New)
		}
		for _, effect := range c.Consequences {
			const short = 60
			what, labelled := strings.CutPrefix(effect.Message, effect.label+": ")
			if !labelled || len(what) > short {
				what = effect.ID
			}
			if !strings.Contains(text, "; "+what) {
				text += "; " + what
			}
		}
		file, line := r.Source.Place(c.Span.Line)
		if file += ":"; file == r.Source.Display()+":" {
			file = ""
		}
		fmt.Fprintf(b, "    %s%d:%d %s\n", diag.Printable(file), line, c.Span.Col, diag.Printable(text))
		if c.Hint != common && !c.hasLineToPaste() {
			fmt.Fprintf(b, "      hint: %s\n", diag.Printable(c.Hint))
		}
	}
	if rest := changes[min(maxShown, len(changes)):]; len(rest) > 0 {
		var names []string
		for _, c := range rest {
			names = append(names, c.Subject.String())
		}
		fmt.Fprintf(b, "    and %d more: %s\n", len(rest), diag.Printable(enumerate(names, 3)))
	}
}

// hasLineToPaste reports whether the text of a change or the reservation contains the line to
// paste, so that its hint is not needed.
func (c Change) hasLineToPaste() bool {
	return c.number != "" || c.codes != nil || c.ID == idCodeRenamed || c.Hint == ""
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
