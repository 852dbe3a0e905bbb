package htmlreport

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/errgen/errgen/runtime/internal/text"
	"github.com/errgen/errgen/runtime/report"
)

const (
	messageLimit = 1500
	factLimit    = 160
	stackLimit   = 3000
	jsonLimit    = 2000
	// maxCauses is how many errors a chain shows.
	maxCauses = 5
)

func (b *builder) occurrence(o *report.Occurrence) occurrenceRow {
	b.cut = false
	row := occurrenceRow{
		Level: severity(o.Severity), At: at(o.At), Category: name(o.Category), Code: line(o.Code, nameLimit),
		Summary: cmp.Or(line(o.Message, summaryLimit), "no message"),
		Source:  source(o.Source), Recovery: recovery(o.Recovery),
	}
	row.Message = cmp.Or(b.detail(block, o.Message, messageLimit), row.Summary)
	row.Facts, row.Blocks = b.facts(o), b.blocks(o)
	if b.cut {
		b.short++
	}
	return row
}

// detail cleans s, and takes the room that it has, escaped, from what is left for details. Without
// room it is "".
func (b *builder) detail(clean func(string, int) string, s string, limit int) string {
	if s == "" {
		return ""
	}
	if b.details > 0 {
		s = clean(s, limit)
		if b.details -= escaped(s); b.details >= 0 {
			return s
		}
	}
	b.details, b.cut = 0, true
	return ""
}

// escaped is about how many bytes s has on the page.
func escaped(s string) int {
	n := len(s)
	for i := range len(s) {
		if strings.IndexByte(`<>&"'+`, s[i]) >= 0 {
			n += len("&#34;") - 1
		}
	}
	return n
}

// facts are what is known of an error besides its message. Those that find it elsewhere are there
// even if there is no room.
func (b *builder) facts(o *report.Occurrence) []fact {
	var list []fact
	put := func(name, value string) {
		if value != "" {
			list = append(list, fact{name, value})
		}
	}
	add := func(name, value string) { put(name, b.detail(line, value, factLimit)) }
	always := func(name, value string) {
		if b.details == 0 {
			put(name, line(value, nameLimit))
			return
		}
		put(name, line(value, factLimit))
	}
	if !o.At.IsZero() {
		always("Time", o.At.UTC().Format("2006-01-02 15:04:05.000 UTC"))
	}
	always("ID", o.ID)
	always("Category", o.Category)
	if severity(o.Severity).Word == otherSeverity {
		add("Severity", o.Severity)
	}
	add("Recoverability", o.Recoverability)
	add("Reaction", joined(" → ", o.Reaction, o.Action))
	add("Source code", o.SourceCode)
	add("Taxonomy", o.Domain)
	if s := o.Source; s != nil {
		add("Endpoint", joined(" ", s.Method, s.Endpoint))
	}
	if e := o.Execution; e != nil {
		add("Mode", e.Mode)
		add("Skill", e.Skill)
		add("Tool", e.Tool)
		add("Step", e.Step)
		add("Task", e.TaskID)
		add("Session", e.SessionID)
	}
	add("Repository", repository(o.Repository))
	add("Fingerprint", o.Fingerprint)
	return list
}

func (b *builder) blocks(o *report.Occurrence) []fact {
	var list []fact
	add := func(name string, clean func(string, int) string, value string, limit int) {
		if value = b.detail(clean, value, limit); value != "" {
			list = append(list, fact{name, value})
		}
	}
	add("Caused by", block, causes(o.Cause), stackLimit)
	add("Stack", block, o.Stack, stackLimit)
	add("Context", indented, string(o.Context), jsonLimit)
	switch {
	case len(o.Metadata) == 0:
	case b.details == 0:
		b.cut = true
	default:
		// What cannot be marshalled is left out: metadata are values of JSON.
		text, _ := json.Marshal(o.Metadata)
		add("Metadata", indented, string(text), jsonLimit)
	}
	return list
}

func causes(o *report.Occurrence) string {
	var lines []string
	for ; o != nil; o = o.Cause {
		if len(lines) == maxCauses {
			lines = append(lines, ellipsis)
			break
		}
		lines = append(lines, line(joined(": ", o.Code, o.Message), summaryLimit))
	}
	return strings.Join(lines, "\n")
}

// indented is JSON for people; what is none is shown as it is. What is far too long is not even
// parsed.
func indented(s string, limit int) string {
	var b bytes.Buffer
	if len(s) > limit+text.Margin || json.Indent(&b, []byte(s), "", "  ") != nil {
		return block(s, limit)
	}
	return block(b.String(), limit)
}

// joined joins what is not empty.
func joined(separator string, parts ...string) string {
	var kept []string
	for _, p := range parts {
		if p != "" {
			kept = append(kept, p)
		}
	}
	return strings.Join(kept, separator)
}

func source(s *report.Source) string {
	if s == nil {
		return unknown
	}
	return name(joined(":", s.Type, s.Component))
}

func repository(r *report.Repository) string {
	if r == nil {
		return ""
	}
	at := joined("/", r.Owner, r.Repo)
	if r.EntityNumber != 0 {
		at = joined(" ", at, r.EntityType, "#"+strconv.Itoa(r.EntityNumber))
	}
	return at
}

func recovery(r *report.Recovery) string {
	switch {
	case r == nil:
		return "none tried"
	case r.Successful == nil:
		return fmt.Sprintf("tried %d of %d", r.Attempts, r.MaxAttempts)
	case *r.Successful:
		return fmt.Sprintf("recovered, %d of %d", r.Attempts, r.MaxAttempts)
	}
	return fmt.Sprintf("failed, %d of %d", r.Attempts, r.MaxAttempts)
}
