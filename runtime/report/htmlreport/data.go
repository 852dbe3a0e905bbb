package htmlreport

import (
	"bytes"
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strconv"

	"github.com/errgen/errgen/runtime/report"
)

// Bounds of the page. Limits of texts are in bytes.
const (
	defaultGroups = 500
	defaultLatest = 200
	maxRows       = 200 // of codes, reactions and forecasts
	maxRuns       = 50
	maxSpans      = 200

	maxText = 3000
	// detailBudget bounds the errors with all details. Texts of later ones have at most maxShort.
	detailBudget = 2 << 20
	maxShort     = 120
)

// builder makes the content of a page.
type builder struct {
	left  int // bytes of the budget
	short int // errors without details
	notes []string
	err   error // the first
}

// meaning is the taxonomy's declaration of a code.
type meaning struct {
	Doc        string `json:"doc"`
	Resolution string `json:"resolution"`
}

// newData returns the content of the page: the JSON form of the snapshot, with the largest groups
// and the latest errors.
func newData(s report.Snapshot, o Options) (map[string]any, error) {
	b := &builder{left: detailBudget}
	groups, groupOf := b.groups(s.Groups, cmp.Or(max(o.MaxGroups, 0), defaultGroups))
	latest := b.latest(s, groupOf, cmp.Or(max(o.MaxLatest, 0), defaultLatest))
	b.note(len(s.Runs)-maxRuns, "runs are not shown")
	b.note(b.short, "errors are shown without details, because the page is full")
	content := struct {
		report.Snapshot
		Empty     bool               `json:"empty"`
		Meanings  map[string]meaning `json:"meanings"` // by code
		Earlier   map[string]int     `json:"earlier"`  // by code; null without an earlier report
		Forecasts []Forecast         `json:"forecasts"`
		Notes     []string           `json:"notes"` // on what the page omits
	}{Snapshot: s, Meanings: map[string]meaning{}, Notes: b.notes,
		Empty:     s.Metrics.TotalErrors == 0 && len(s.Groups) == 0 && len(s.Last) == 0 && len(s.Runs) == 0,
		Forecasts: o.Forecasts[:min(len(o.Forecasts), maxRows)]}
	content.Title, content.Groups, content.Last = cmp.Or(s.Title, "Error report"), nil, nil
	content.Codes, content.Outcomes = s.Codes[:min(len(s.Codes), maxRows)], s.Outcomes[:min(len(s.Outcomes), maxRows)]
	content.Runs = slices.Clone(s.Runs[max(0, len(s.Runs)-maxRuns):])
	for i := range content.Runs {
		r := &content.Runs[i]
		n := min(len(r.Spans), maxSpans)
		r.Spans, r.Dropped = r.Spans[:n], r.Dropped+len(r.Spans)-n
	}
	if o.Table.Taxonomy != nil {
		for _, c := range content.Codes {
			if known, ok := o.Table.Code(c.Code); ok {
				content.Meanings[c.Code] = meaning{known.Doc, known.Resolution}
			}
		}
	}
	if o.Earlier != nil {
		content.Earlier = o.Earlier.ErrorsByCode
	}
	d := b.shown(content, maxText)
	d["groups"], d["errors"] = groups, latest
	return d, b.err
}

// note adds an omission, unless n is 0.
func (b *builder) note(n int, text string) {
	if n > 0 {
		b.notes = append(b.notes, strconv.Itoa(n)+" "+text+".")
	}
}

// groups returns the groups with the most errors, and their indexes by the IDs of their errors.
func (b *builder) groups(all []report.Group, limit int) (out []map[string]any, groupOf map[string]int) {
	all = slices.Clone(all)
	slices.SortStableFunc(all, func(x, y report.Group) int {
		return cmp.Or(cmp.Compare(y.Count, x.Count), y.LastSeen.Compare(x.LastSeen), cmp.Compare(x.ID, y.ID))
	})
	b.note(len(all)-limit, "groups are not shown, those with the fewest errors")
	groupOf = map[string]int{}
	for i, g := range all[:min(len(all), limit)] {
		codes := map[string]bool{}
		for _, o := range append(slices.Clone(g.Errors), g.Sample) {
			groupOf[o.ID] = i
			codes[o.Code] = true
		}
		sample := b.error(&g.Sample, i)
		g.ID, g.Errors, g.Sample = "", nil, report.Occurrence{}
		row := b.shown(struct {
			Group report.Group `json:"group"`
			Codes []string     `json:"codes"`
		}{g, slices.Sorted(maps.Keys(codes))}, 2*maxShort)
		row["sample"] = sample
		out = append(out, row)
	}
	return out, groupOf
}

// latest returns the latest errors and those of all groups, without duplicates, the latest first.
func (b *builder) latest(s report.Snapshot, groupOf map[string]int, limit int) (out []map[string]any) {
	all := slices.Clone(s.Last[max(0, len(s.Last)-limit):])
	slices.Reverse(all)
	for i := range s.Groups {
		all = append(all, s.Groups[i].Errors...)
	}
	seen := map[string]bool{}
	all = slices.DeleteFunc(all, func(o report.Occurrence) bool {
		known := seen[o.ID] && o.ID != ""
		seen[o.ID] = true
		return known
	})
	all = all[:min(len(all), 4*limit)]
	slices.SortStableFunc(all, func(x, y report.Occurrence) int { return y.At.Compare(x.At) })
	for i := range all {
		group, ok := groupOf[all[i].ID]
		if !ok || all[i].ID == "" {
			group = -1
		}
		out = append(out, b.error(&all[i], group))
	}
	return out
}

// error returns an error with the index of its group. The details are included while the budget
// lasts. An index of -1 means that the group is not on the page.
func (b *builder) error(o *report.Occurrence, group int) map[string]any {
	var out map[string]any
	if b.left > 0 {
		out = b.shown(o, maxText)
		form, err := json.Marshal(out)
		b.left, b.err = b.left-len(form), cmp.Or(b.err, err)
	}
	if b.left <= 0 {
		b.short++
		out = b.shown(&report.Occurrence{ID: o.ID, At: o.At, Category: o.Category, Code: o.Code, Severity: o.Severity,
			Message: o.Message, Source: o.Source, Recovery: o.Recovery,
			Metadata: map[string]any{"run": o.Metadata["run"]}}, maxShort)
	}
	out["group"] = group
	return out
}

// shown returns the JSON object of a value. Its texts are masked and visible, and have at most
// limit bytes.
func (b *builder) shown(v any, limit int) (out map[string]any) {
	body, err := json.Marshal(v)
	d := json.NewDecoder(bytes.NewReader(body))
	d.UseNumber()
	if err = cmp.Or(err, d.Decode(&out)); err != nil {
		b.err = cmp.Or(b.err, err)
		return map[string]any{}
	}
	return visibleIn(out, limit).(map[string]any)
}

func visibleIn(v any, limit int) any {
	switch v := v.(type) {
	case string:
		return visible(v, limit)
	case []any:
		for i := range v {
			v[i] = visibleIn(v[i], limit)
		}
	case map[string]any:
		out := make(map[string]any, len(v))
		for key, member := range v {
			out[visible(key, limit)] = visibleIn(member, limit)
		}
		return out
	}
	return v
}
