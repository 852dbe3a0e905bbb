package htmlreport

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/errgen/errgen/runtime/report"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// Bounds of the page. Limits of texts are in bytes.
const (
	defaultGroups = 500
	defaultLatest = 200
	maxRows       = 200 // of codes, sources, reactions and forecasts
	maxRuns       = 50
	maxSpans      = 200

	nameLimit    = 120
	lineLimit    = 240
	messageLimit = 1500
	blockLimit   = 3000
	// detailBudget bounds the texts that only an opened error shows.
	detailBudget = 2 << 20
)

// data is the content of the page. Times are milliseconds since 1970, and 0 is unknown.
type data struct {
	Title string `json:"title"`
	Made  int64  `json:"made"`
	Empty bool   `json:"empty"`

	Total      int    `json:"total"`
	Recoveries [2]int `json:"recoveries"` // successful, tried
	Retries    [2]int `json:"retries"`    // successful, all operations
	// Notes list the omissions of the page.
	Notes []string `json:"notes"`

	Start   int64    `json:"start"`
	Step    int64    `json:"step"` // milliseconds
	Buckets []bucket `json:"buckets"`

	Codes     []code     `json:"codes"`
	Groups    []group    `json:"groups"`
	Errors    []*problem `json:"errors"` // the latest first
	Runs      []run      `json:"runs"`
	Reactions []reaction `json:"reactions"`
	Forecasts []Forecast `json:"forecasts"`
	Sources   []counted  `json:"sources"`
	// Compared reports that there is an earlier report.
	Compared bool `json:"compared"`
}

type bucket struct {
	Codes      map[string]int `json:"codes"`
	Categories map[string]int `json:"categories"`
	Severities map[string]int `json:"severities"`
}

type code struct {
	Code       string `json:"code"`
	Category   string `json:"category"`
	Severity   string `json:"severity"`
	Count      int    `json:"count"`
	Latest     int64  `json:"latest"`
	Doc        string `json:"doc,omitempty"`
	Resolution string `json:"resolution,omitempty"`
	Earlier    *int   `json:"earlier,omitempty"`
}

type group struct {
	Code     string   `json:"code"`
	Codes    []string `json:"codes"` // of its errors
	Category string   `json:"category"`
	Severity string   `json:"severity"`
	Pattern  string   `json:"pattern"`
	Count    int      `json:"count"`
	First    int64    `json:"first"`
	Last     int64    `json:"last"`
	Sample   *problem `json:"sample"`
}

// problem is one error.
type problem struct {
	ID       string `json:"id"`
	At       int64  `json:"at"`
	Code     string `json:"code"`
	Category string `json:"category"`
	Severity string `json:"severity"`
	Message  string `json:"message"`
	Source   string `json:"source"`
	Recovery string `json:"recovery"`
	Run      string `json:"run,omitempty"`
	// Group is the index of its group on the page, or -1.
	Group int `json:"group"`
	// Facts are names and values; Blocks are longer texts.
	Facts  [][2]string `json:"facts"`
	Blocks [][2]string `json:"blocks"`
}

type run struct {
	ID     string  `json:"id"`
	Task   string  `json:"task"`
	End    string  `json:"end"`
	Began  int64   `json:"began"`
	Ended  int64   `json:"ended"`
	Cost   float64 `json:"cost"`
	Tokens int64   `json:"tokens"`
	Spans  []span  `json:"spans"`
	Cut    int     `json:"cut"` // spans that are not on the page
}

type span struct {
	Kind   string  `json:"kind"`
	Label  string  `json:"label"`
	Tier   string  `json:"tier,omitempty"`
	Code   string  `json:"code,omitempty"`
	Failed bool    `json:"failed,omitempty"`
	Began  int64   `json:"began"`
	Took   int64   `json:"took"`
	Cost   float64 `json:"cost,omitempty"`
}

type reaction struct {
	Name   string `json:"name"`
	Action string `json:"action"`
	Count  int    `json:"count"`
	Helped int    `json:"helped"`
	Tried  int    `json:"tried"`
}

type counted struct {
	Name  string `json:"name"`
	Count int    `json:"count"`
}

// builder makes the content of a page.
type builder struct {
	details int // bytes that are left of the budget
	short   int // errors without details
}

func newData(s report.Snapshot, o Options) *data {
	b := &builder{details: detailBudget}
	m := s.Metrics
	d := &data{
		Title: cmp.Or(line(s.Title, nameLimit), "Error report"), Made: millis(s.At), Total: m.TotalErrors,
		Recoveries: [2]int{m.SuccessfulRecoveries, m.RecoveryAttempts},
		Retries:    [2]int{m.SuccessfulRetries, m.SuccessfulRetries + m.FailedRetries},
		Step:       s.Timeline.Step.Milliseconds(), Compared: o.Earlier != nil,
		Codes: codes(s, o), Sources: sources(m.ErrorsBySource),
	}
	d.Empty = m.TotalErrors == 0 && len(s.Groups) == 0 && len(s.Last) == 0 && len(s.Runs) == 0
	for i, from := range s.Timeline.Buckets {
		if i == 0 {
			d.Start = millis(from.Start)
		}
		d.Buckets = append(d.Buckets, bucket{named(from.ByCode), named(from.ByCategory), named(from.BySeverity)})
	}
	byID := d.addGroups(b, s.Groups, cmp.Or(max(o.MaxGroups, 0), defaultGroups))
	d.addErrors(b, s, byID, cmp.Or(max(o.MaxLatest, 0), defaultLatest))
	for _, r := range s.Runs[max(0, len(s.Runs)-maxRuns):] {
		d.Runs = append(d.Runs, newRun(r))
	}
	for _, r := range s.Outcomes[:min(len(s.Outcomes), maxRows)] {
		d.Reactions = append(d.Reactions, reaction{name(r.Reaction), name(r.Action), r.Count, r.Helped(), r.Tried()})
	}
	for _, f := range o.Forecasts[:min(len(o.Forecasts), maxRows)] {
		f.Provider, f.Code = name(f.Provider), name(f.Code)
		d.Forecasts = append(d.Forecasts, f)
	}
	d.note(s.Timeline.Outside, "are not in the chart: old ones, or with a time that is too far from the others")
	d.note(s.Dropped.Errors,
		fmt.Sprintf("are in %d groups that were dropped: old ones, or to make room", s.Dropped.Groups))
	d.note(len(s.Runs)-len(d.Runs), "runs are not shown")
	d.note(b.short, "errors are shown without details, because the page is full")
	return d
}

// note adds an omission, unless n is 0.
func (d *data) note(n int, text string) {
	if n > 0 {
		d.Notes = append(d.Notes, strconv.Itoa(n)+" "+text+".")
	}
}

func codes(s report.Snapshot, o Options) (out []code) {
	for _, c := range s.Codes[:min(len(s.Codes), maxRows)] {
		row := code{Code: name(c.Code), Category: cmp.Or(line(c.Category, nameLimit), "several"), Count: c.Count,
			Severity: c.Severity, Latest: millis(c.Latest)}
		if known := find(o.Table, c.Code); known != nil {
			row.Doc, row.Resolution = line(known.Doc, messageLimit), line(known.Resolution, messageLimit)
		}
		if o.Earlier != nil {
			n := o.Earlier.ErrorsByCode[c.Code]
			row.Earlier = &n
		}
		out = append(out, row)
	}
	if o.Earlier == nil {
		return out
	}
	for _, gone := range slices.Sorted(maps.Keys(o.Earlier.ErrorsByCode)) {
		if _, still := s.Metrics.ErrorsByCode[gone]; !still && len(out) < 2*maxRows {
			n := o.Earlier.ErrorsByCode[gone]
			out = append(out, code{Code: name(gone), Earlier: &n})
		}
	}
	return out
}

// find returns the code of a taxonomy, or nil.
func find(t taxonomy.Table, value string) *taxonomy.Code {
	if t.Taxonomy == nil {
		return nil
	}
	for _, c := range t.Taxonomy.Codes() {
		if c.Value == value {
			return c
		}
	}
	return nil
}

func sources(counts map[string]int) (out []counted) {
	for key, n := range counts {
		out = append(out, counted{name(key), n})
	}
	slices.SortFunc(out, func(a, b counted) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Name, b.Name))
	})
	return out[:min(len(out), maxRows)]
}

// addGroups adds the largest groups and returns their indexes by the IDs of their errors.
func (d *data) addGroups(b *builder, all []report.Group, limit int) map[string]int {
	all = slices.Clone(all)
	slices.SortStableFunc(all, func(x, y report.Group) int {
		return cmp.Or(cmp.Compare(y.Count, x.Count), y.LastSeen.Compare(x.LastSeen), cmp.Compare(x.ID, y.ID))
	})
	d.note(len(all)-limit, "groups are not shown, those with the fewest errors")
	byID := map[string]int{}
	for i, g := range all[:min(len(all), limit)] {
		row := group{Code: name(g.Sample.Code), Category: name(g.Category), Severity: g.Severity, Count: g.Count,
			Pattern: cmp.Or(line(g.Pattern, lineLimit), line(g.Sample.Message, lineLimit), "no message"),
			First:   millis(g.FirstSeen), Last: millis(g.LastSeen), Sample: b.problem(&g.Sample)}
		row.Sample.Group = i
		codes := map[string]bool{row.Code: true}
		byID[g.Sample.ID] = i
		for _, o := range g.Errors {
			byID[o.ID] = i
			codes[name(o.Code)] = true
		}
		row.Codes = slices.Sorted(maps.Keys(codes))
		d.Groups = append(d.Groups, row)
	}
	return byID
}

// addErrors adds the latest errors, and those of groups that are not among them.
func (d *data) addErrors(b *builder, s report.Snapshot, byID map[string]int, limit int) {
	seen := map[string]bool{}
	add := func(o *report.Occurrence) {
		if seen[o.ID] && o.ID != "" {
			return
		}
		seen[o.ID] = true
		p := b.problem(o)
		if i, ok := byID[o.ID]; ok && o.ID != "" {
			p.Group = i
		}
		d.Errors = append(d.Errors, p)
	}
	for i := range s.Last[max(0, len(s.Last)-limit):] {
		add(&s.Last[len(s.Last)-1-i])
	}
	for i := range s.Groups {
		for j := range s.Groups[i].Errors {
			if len(d.Errors) < 4*limit {
				add(&s.Groups[i].Errors[j])
			}
		}
	}
	slices.SortStableFunc(d.Errors, func(a, b *problem) int { return cmp.Compare(b.At, a.At) })
}

func newRun(r report.Run) run {
	out := run{ID: name(r.ID), Task: line(r.Task, nameLimit), End: line(r.End, nameLimit), Began: millis(r.Began),
		Ended: millis(r.Ended), Cost: r.Cost, Tokens: r.Tokens, Cut: r.Dropped + max(0, len(r.Spans)-maxSpans)}
	for _, s := range r.Spans[:min(len(r.Spans), maxSpans)] {
		out.Spans = append(out.Spans, span{s.Kind, line(s.Label, nameLimit), line(s.Tier, nameLimit),
			line(s.Code, nameLimit), s.Failed, millis(s.Began), s.Took.Milliseconds(), s.Cost})
	}
	return out
}

// problem returns an error with its details, as long as there is room.
func (b *builder) problem(o *report.Occurrence) *problem {
	p := &problem{ID: line(o.ID, nameLimit), At: millis(o.At), Code: name(o.Code), Category: name(o.Category),
		Severity: o.Severity, Message: cmp.Or(line(o.Message, lineLimit), "no message"), Source: source(o.Source),
		Recovery: recovery(o.Recovery), Group: -1}
	if id, ok := o.Metadata["run"].(string); ok {
		p.Run = name(id)
	}
	facts, blocks := facts(o), blocks(o)
	size := 0
	for _, f := range slices.Concat(facts, blocks) {
		size += len(f[0]) + escapedSize(f[1])
	}
	if b.details -= size; b.details < 0 {
		b.details = 0
		b.short++
		return p
	}
	p.Facts, p.Blocks = facts, blocks
	return p
}

// escapedSize returns the size of a text in JSON, where <, > and & take six bytes.
func escapedSize(s string) int {
	return len(s) + 5*(strings.Count(s, "<")+strings.Count(s, ">")+strings.Count(s, "&")) + strings.Count(s, `"`) +
		strings.Count(s, "\n")
}

func facts(o *report.Occurrence) (out [][2]string) {
	add := func(name, value string) {
		if value = line(value, lineLimit); value != "" {
			out = append(out, [2]string{name, value})
		}
	}
	add("Recoverability", o.Recoverability)
	add("Reaction", joined(" → ", o.Reaction, o.Action))
	add("Source code", o.SourceCode)
	if f := o.Finding; f != nil {
		place := f.File + ":" + strconv.Itoa(f.Line)
		if f.Column > 0 {
			place += ":" + strconv.Itoa(f.Column)
		}
		add("Finding", joined(" ", f.Code, place))
	}
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
	if r := o.Repository; r != nil {
		at := r.Owner + "/" + r.Repo
		if r.EntityNumber != 0 {
			at = joined(" ", at, r.EntityType, "#"+strconv.Itoa(r.EntityNumber))
		}
		add("Repository", at)
	}
	add("Fingerprint", o.Fingerprint)
	return out
}

func blocks(o *report.Occurrence) (out [][2]string) {
	add := func(name, value string) {
		if value != "" {
			out = append(out, [2]string{name, value})
		}
	}
	if len(o.Message) > lineLimit || strings.Contains(o.Message, "\n") {
		add("Message", block(o.Message, messageLimit))
	}
	var causes []string
	for c := o.Cause; c != nil && len(causes) < 5; c = c.Cause {
		causes = append(causes, line(joined(": ", c.Code, c.Message), lineLimit))
	}
	add("Caused by", strings.Join(causes, "\n"))
	add("Stack", block(o.Stack, blockLimit))
	add("Context", indented(o.Context))
	if len(o.Metadata) > 0 {
		if b, err := json.Marshal(o.Metadata); err == nil {
			add("Metadata", indented(b))
		}
	}
	return out
}

func indented(b []byte) string {
	var out bytes.Buffer
	if len(b) > 2*blockLimit || json.Indent(&out, b, "", "  ") != nil {
		return block(string(b), blockLimit)
	}
	return block(out.String(), blockLimit)
}

// joined joins the parts that are not empty.
func joined(separator string, parts ...string) string {
	return strings.Join(slices.DeleteFunc(parts, func(p string) bool { return p == "" }), separator)
}

func source(s *report.Source) string {
	if s == nil {
		return unknown
	}
	return name(joined(":", s.Type, s.Component))
}

func recovery(r *report.Recovery) string {
	switch {
	case r == nil:
		return ""
	case r.Successful == nil:
		return fmt.Sprintf("tried, %d of %d", r.Attempts, r.MaxAttempts)
	case *r.Successful:
		return fmt.Sprintf("recovered, %d of %d", r.Attempts, r.MaxAttempts)
	}
	return fmt.Sprintf("failed, %d of %d", r.Attempts, r.MaxAttempts)
}

func millis(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMilli()
}

// named returns counts by the names on the page.
func named(counts map[string]int) map[string]int {
	out := make(map[string]int, len(counts))
	for key, n := range counts {
		out[name(key)] += n
	}
	return out
}
