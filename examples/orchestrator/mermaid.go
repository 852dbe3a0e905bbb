package main

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"

	"github.com/errgen/errgen/runtime/escalate"
)

// maxShownText is how many characters of a text a diagram shows.
const maxShownText = 80

// diagram returns the path that a run has taken as a Mermaid sequence diagram. What others have
// written in it is text and nothing else: all characters that could mean something to Mermaid are
// written as entities.
func diagram(r *escalate.Result) []byte {
	d := &sequence{}
	d.line("sequenceDiagram")
	if r.Title != "" {
		d.line("title %s", label(r.Title))
	}
	d.line("participant run as %s", label("run "+r.Run))
	for _, e := range r.Path {
		d.introduce(e.Tier)
		d.introduce(e.From)
	}
	for _, e := range r.Path {
		d.event(e)
	}
	return []byte(d.b.String())
}

// sequence is a diagram that is written.
type sequence struct {
	b strings.Builder
	// ids are what the diagram calls tiers.
	ids []string
}

func (d *sequence) line(format string, args ...any) {
	if d.b.Len() > 0 {
		d.b.WriteString("    ")
	}
	fmt.Fprintf(&d.b, format+"\n", args...)
}

// introduce declares a participant for a tier.
func (d *sequence) introduce(tier string) {
	if tier == "" || d.id(tier) != "" {
		return
	}
	d.ids = append(d.ids, tier)
	d.line("participant %s as %s", d.id(tier), label(tier))
}

// id returns what the diagram calls a tier, which is nothing that a name could spell.
func (d *sequence) id(tier string) string {
	for i, known := range d.ids {
		if known == tier {
			return "t" + strconv.Itoa(i+1)
		}
	}
	return ""
}

// event writes what happened: from the run to a tier, from a tier to the run, or as a note.
func (d *sequence) event(e escalate.Event) {
	text := label(what(e))
	if e.Code != "" {
		text += " " + label("["+e.Code+"]")
	}
	tier := d.id(e.Tier)
	switch {
	case tier == "":
		if e.Step != "" {
			text = label(e.Step) + " " + text
		}
		d.line("Note over run: %s", text)
	case e.Kind == escalate.Called, e.Kind == escalate.Asked:
		d.line("run->>%s: %s %s", tier, label(e.Step), text)
	case e.Kind == escalate.Claimed, e.Kind == escalate.Diagnosed, e.Kind == escalate.Answered:
		d.line("%s-->>run: %s", tier, text)
	case e.Kind == escalate.TierFailed:
		d.line("%s--xrun: %s", tier, text)
	case e.Kind == escalate.Escalated && d.id(e.From) != "" && e.From != e.Tier:
		d.line("%s->>%s: %s", d.id(e.From), tier, text)
	default:
		d.line("Note over %s: %s", tier, text)
	}
}

// label returns a text as a diagram shows it, on one line.
func label(text string) string {
	runes := []rune(strings.Join(strings.Fields(text), " "))
	if len(runes) > maxShownText {
		runes = append(runes[:maxShownText:maxShownText], '…')
	}
	var b strings.Builder
	for _, c := range runes {
		switch {
		case plainInDiagram(c):
			b.WriteRune(c)
		case unicode.IsPrint(c):
			fmt.Fprintf(&b, "#%d;", c)
		default:
			b.WriteRune('\uFFFD')
		}
	}
	if b.Len() == 0 {
		return "#160;"
	}
	return b.String()
}

// plainInDiagram reports whether a character means nothing to Mermaid.
func plainInDiagram(c rune) bool {
	return unicode.IsLetter(c) || unicode.IsDigit(c) || strings.ContainsRune(" .,_/()…\uFFFD", c)
}
