package main

import "strings"

// checkDependencies finds IDs that are there twice, names that are no task's, and circles. Each
// task's own dependencies are filled in.
func (r *taskReader) checkDependencies() {
	byID := make(map[string]*draft, len(r.drafts))
	for _, d := range r.drafts {
		if first := byID[d.ID]; first != nil {
			r.wrong(d.line, "task %s is there already, in line %d", d.ID, first.line)
			continue
		}
		byID[d.ID] = d
	}
	for _, d := range r.drafts {
		seen := map[string]bool{}
		for _, ref := range d.named {
			if byID[ref.id] == nil {
				r.wrong(ref.line, "task %s depends on %s, which is no task of the file", d.ID, ref.id)
			} else if !seen[ref.id] {
				d.DependsOn = append(d.DependsOn, ref.id)
			}
			seen[ref.id] = true
		}
	}
	if circle := circleIn(r.drafts, byID); len(circle) > 0 {
		names := make([]string, 0, len(circle)+1)
		for _, d := range append(circle, circle[0]) {
			names = append(names, d.ID)
		}
		r.wrong(circle[0].line, "tasks depend on each other in a circle: %s", strings.Join(shortened(names), " → "))
	}
}

// shortened leaves out the middle of a long list.
func shortened(names []string) []string {
	const ends = 5
	if len(names) <= 2*ends {
		return names
	}
	out := append([]string{}, names[:ends]...)
	return append(append(out, "..."), names[len(names)-ends:]...)
}

// circleIn returns tasks of which each depends on the next one, and the last one on the first; nil
// when there are none. The first one is the one that comes first in the file.
func circleIn(drafts []*draft, byID map[string]*draft) []*draft {
	open := unorderable(drafts, byID)
	for _, d := range drafts {
		if open[d] {
			return walkCircle(d, open, byID)
		}
	}
	return nil
}

// unorderable returns the tasks that wait for a circle, those in it among them: they are left when
// all that waits for nothing is taken away, again and again.
func unorderable(drafts []*draft, byID map[string]*draft) map[*draft]bool {
	waits, followers := map[*draft]int{}, map[*draft][]*draft{}
	open := map[*draft]bool{}
	var free []*draft
	for _, d := range drafts {
		open[d], waits[d] = true, len(d.DependsOn)
		for _, id := range d.DependsOn {
			followers[byID[id]] = append(followers[byID[id]], d)
		}
		if waits[d] == 0 {
			free = append(free, d)
		}
	}
	for len(free) > 0 {
		d := free[len(free)-1]
		free = free[:len(free)-1]
		delete(open, d)
		for _, f := range followers[d] {
			if waits[f]--; waits[f] == 0 {
				free = append(free, f)
			}
		}
	}
	return open
}

// walkCircle goes from a task to what it waits for until it comes by a task again.
func walkCircle(d *draft, open map[*draft]bool, byID map[string]*draft) []*draft {
	at := map[*draft]int{}
	var path []*draft
	for d != nil {
		if i, ok := at[d]; ok {
			return fromFirst(path[i:])
		}
		at[d] = len(path)
		path = append(path, d)
		d = nextOpen(path[len(path)-1], open, byID)
	}
	return nil
}

func nextOpen(d *draft, open map[*draft]bool, byID map[string]*draft) *draft {
	for _, id := range d.DependsOn {
		if next := byID[id]; open[next] {
			return next
		}
	}
	return nil
}

// fromFirst turns a circle so that it begins with what comes first in the file.
func fromFirst(circle []*draft) []*draft {
	first := 0
	for i, d := range circle {
		if d.line < circle[first].line {
			first = i
		}
	}
	return append(append([]*draft{}, circle[first:]...), circle[:first]...)
}
