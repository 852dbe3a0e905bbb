package plan

import (
	"cmp"
	"maps"
	"math"
	"path"
	"slices"

	"github.com/errgen/errgen/runtime/internal/text"
)

// criterionConflicts looks for criteria of a step that cannot all hold.
func (c *checking) criterionConflicts(criteria []Criterion) {
	c.boundConflicts(criteria)
	c.formatConflicts(criteria)
	var places places
	for i := range criteria {
		places.criterion(&criteria[i])
	}
	c.placeConflicts(&places)
}

// measured is what a criterion counts or measures.
type measured struct {
	kind       CriterionKind
	path, text string
}

// span is what the criteria of one thing leave of the numbers.
type span struct{ low, high int64 }

func (c *checking) boundConflicts(criteria []Criterion) {
	spans := map[measured]span{}
	for i := range criteria {
		k := &criteria[i]
		if k.Kind != Size && k.Kind != Count || k.Max > 0 && k.Min > k.Max {
			continue // the bounds alone are a fault
		}
		of := measured{kind: k.Kind, path: path.Clean(k.Path)}
		if k.Kind == Count {
			of.text = k.Text
		}
		was, again := spans[of]
		if !again {
			was = span{high: math.MaxInt64}
		}
		now := span{low: max(was.low, k.Min), high: was.high}
		if k.Max > 0 {
			now.high = min(was.high, k.Max)
		}
		if now.low > now.high {
			c.add(Conflicting, k.Line,
				"the criteria %s of %s ask for at least %d and for at most %d: no number is both, so mend one of them",
				k.Kind, text.Quote(k.Path, maxShown), now.low, now.high)
			continue
		}
		spans[of] = now
	}
}

// formatConflicts looks for files that have to be JSON and XML. Every other pair of formats has
// texts that are both.
func (c *checking) formatConflicts(criteria []Criterion) {
	json, xml, told := map[string]bool{}, map[string]bool{}, map[string]bool{}
	for i := range criteria {
		k := &criteria[i]
		if k.Kind != Format {
			continue
		}
		name := path.Clean(k.Path)
		json[name] = json[name] || k.Text == "json"
		xml[name] = xml[name] || k.Text == "xml"
		if json[name] && xml[name] && !told[name] {
			told[name] = true
			c.add(Conflicting, k.Line, "%s has to be JSON and XML: decide for one of them",
				text.Quote(k.Path, maxShown))
		}
	}
}

// places are the paths that have to be files, and those that have to be directories, with the line
// that says so. The zero places are none.
type places struct {
	files, directories map[string]int
	settled            map[string]bool
}

func (p *places) prerequisite(k *Prerequisite) {
	switch {
	case k.Kind == File, k.Kind == Program && isPath(k.Name):
		p.file(k.Name, k.Line)
	case k.Kind == Directory:
		p.directory(k.Name, k.Line)
	}
}

func (p *places) criterion(k *Criterion) {
	switch k.Kind {
	case Format, Sections, Size, Content:
		p.file(k.Path, k.Line)
	case Count:
		if k.Text != "" {
			p.file(k.Path, k.Line)
		}
	case Exists:
		p.above(k.Path, k.Line)
	}
}

func (p *places) file(name string, line int) {
	if badPath(name) != "" {
		return
	}
	note(&p.files, path.Clean(name), line)
	p.above(name, line)
}

func (p *places) directory(name string, line int) {
	if badPath(name) != "" {
		return
	}
	note(&p.directories, path.Clean(name), line)
	p.above(name, line)
}

// above notes the directories that a path is in.
func (p *places) above(name string, line int) {
	if badPath(name) != "" {
		return
	}
	name = path.Clean(name)
	for i := len(name) - 1; i > 0; i-- {
		if name[i] == '/' {
			note(&p.directories, name[:i], line)
		}
	}
}

func note(in *map[string]int, name string, line int) {
	if *in == nil {
		*in = map[string]int{}
	}
	if _, ok := (*in)[name]; !ok {
		(*in)[name] = line
	}
}

// settle has what is in conflict already not be told again.
func (p *places) settle() {
	p.settled = map[string]bool{}
	for _, name := range p.conflicts() {
		p.settled[name] = true
	}
}

// conflicts returns the paths that have to be both, in order.
func (p *places) conflicts() []string {
	var both []string
	for _, name := range slices.Sorted(maps.Keys(p.files)) {
		if _, ok := p.directories[name]; ok && !p.settled[name] {
			both = append(both, name)
		}
	}
	return both
}

func (c *checking) placeConflicts(p *places) {
	for _, name := range p.conflicts() {
		line := cmp.Or(max(p.files[name], p.directories[name]), c.line)
		c.add(Conflicting, line, "%s has to be a file and a directory: mend one of the paths",
			text.Quote(name, maxShown))
	}
}
