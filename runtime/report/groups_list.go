package report

import (
	"strings"
	"time"

	"github.com/errgen/errgen/runtime/internal/normal"
)

// groupSize is about how many bytes a group takes without its texts, its place in a map included;
// categorySize is what a category that it tells apart takes besides its name.
const (
	groupSize    = 512
	categorySize = 128
)

// sweep is how many groups that are too old are dropped at most while one occurrence is added.
const sweep = 2

// groupOf returns the group that an occurrence belongs to, a new one where there is none or it is
// too old.
func (g *Groups) groupOf(o *Occurrence, now time.Time) *group {
	gr, from, to := g.find(o, now)
	if gr != nil {
		return gr
	}
	// What there is a group for has no secret in its ID; what there is none for may have one.
	named := Occurrence{
		Category: boundedText(o.Category, maxName), Code: boundedText(o.Code, maxName),
		Severity: boundedText(o.Severity, maxName),
		Message:  boundedText(o.Message, maxMessage),
	}
	if named.Category != o.Category || named.Code != o.Code || named.Severity != o.Severity ||
		named.Message != o.Message {
		if gr, from, to = g.find(&named, now); gr != nil {
			return gr
		}
	}
	for len(g.byID) >= g.max {
		g.drop(g.oldest, &g.evicted)
	}
	gr = g.newGroup()
	gr.id = string(g.room)
	gr.severity, gr.pattern = ownSeverity(named.Severity), gr.id[from:to]
	if !g.by.pattern {
		gr.pattern = normal.Text(named.Message)
	}
	gr.category = ownCategory(named.Category, gr.id)
	if g.by.code {
		gr.code = strings.Clone(named.Code)
	}
	g.byID[gr.id] = gr
	gr.size = groupSize + len(gr.id) + len(gr.severity) + len(gr.category) + len(gr.code)
	if !g.by.pattern {
		gr.size += len(gr.pattern)
	}
	g.store.bytes += gr.size
	return gr
}

// ownSeverity returns a severity that is part of nothing greater.
func ownSeverity(s string) string {
	if rank := rankOf(s); rank > 0 {
		return severities[rank]
	}
	return strings.Clone(s)
}

// ownCategory returns a category that is part of nothing greater than the ID of its group, which
// mostly begins with it.
func ownCategory(s, id string) string {
	if strings.HasPrefix(id, s) {
		return id[:len(s)]
	}
	return strings.Clone(s)
}

// newGroup returns a group that is empty.
func (g *Groups) newGroup() *group {
	gr := g.spare
	if g.spare = nil; gr == nil {
		return &group{}
	}
	*gr = group{}
	return gr
}

// find returns the group that an occurrence belongs to, or nil. Its ID is in the room then, and in
// it the pattern.
func (g *Groups) find(o *Occurrence, now time.Time) (gr *group, from, to int) {
	g.room, from, to = g.by.appendID(g.room[:0], o)
	gr = g.byID[string(g.room)]
	if gr != nil && g.isOld(gr, now) {
		g.drop(gr, &g.expired)
		gr = nil
	}
	return gr, from, to
}

func (g *Groups) isOld(gr *group, now time.Time) bool { return now.Sub(gr.touched) > g.maxAge }

// dropOld drops groups that are too old, a few at a time.
func (g *Groups) dropOld(now time.Time) {
	for range sweep {
		if g.oldest == nil || !g.isOld(g.oldest, now) {
			return
		}
		g.drop(g.oldest, &g.expired)
	}
}

// touch makes a group the newest.
func (g *Groups) touch(gr *group) {
	if g.newest == gr {
		return
	}
	g.unlink(gr)
	if gr.older = g.newest; g.newest != nil {
		g.newest.newer = gr
	} else {
		g.oldest = gr
	}
	g.newest = gr
}

// unlink takes a group out of the list, if it is there.
func (g *Groups) unlink(gr *group) {
	switch {
	case gr.older != nil:
		gr.older.newer = gr.newer
	case g.oldest == gr:
		g.oldest = gr.newer
	}
	switch {
	case gr.newer != nil:
		gr.newer.older = gr.older
	case g.newest == gr:
		g.newest = gr.older
	}
	gr.older, gr.newer = nil, nil
}

// drop forgets a group and what is kept of it, and counts it with those that are gone for the same
// reason.
func (g *Groups) drop(gr *group, gone *Gone) {
	gone.count(gr)
	for e := gr.pop(); e != nil; e = gr.pop() {
		if e != gr.sample {
			g.store.drop(e)
		}
	}
	if gr.sample != nil {
		g.store.drop(gr.sample)
	}
	g.unlink(gr)
	delete(g.byID, gr.id)
	g.store.bytes -= gr.size
	g.spare = gr
}

// keep keeps an occurrence of a group, and lets others go for it.
func (g *Groups) keep(gr *group, a *admitted, hash uint64) {
	if gr.entries >= g.maxSize {
		g.forget(gr)
	}
	e := g.store.add(a, hash)
	gr.push(e)
	g.makeRoom(e)
}

// forget lets the oldest occurrence of a group go. The sample stays, but not among the latest.
func (g *Groups) forget(gr *group) {
	e := gr.pop()
	if e == nil {
		return
	}
	if e == gr.sample {
		g.store.unlist(e)
		return
	}
	g.store.drop(e)
}

// makeRoom lets the oldest occurrences go until the others fit, then the oldest groups; never the
// last entry, nor its group.
func (g *Groups) makeRoom(last *entry) {
	for g.store.bytes > g.maxBytes {
		switch {
		case g.store.order.n > 0 && g.store.order.oldest() != last:
			g.forget(g.store.order.oldest().of)
		case g.oldest != last.of:
			g.drop(g.oldest, &g.evicted)
		default:
			return
		}
	}
}
