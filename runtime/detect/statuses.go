package detect

import (
	"maps"
	"slices"
)

// statuses are the lists of rules for the statuses of a node, from the least one that a rule names
// on. They are apart from [table] because a status is what is asked most.
type statuses struct {
	least int
	lists []list
}

// maxStatus bounds the statuses that are kept in this way.
const maxStatus = 1023

// find returns the list of a status, or nil.
func (s *statuses) find(status int) *list {
	if i := uint(status - s.least); i < uint(len(s.lists)) {
		return &s.lists[i]
	}
	return nil
}

// statuses returns the lists for the ranks of each status.
func (x *index) statuses(ranks map[int][]uint16) statuses {
	if len(ranks) == 0 {
		return statuses{}
	}
	named := slices.Sorted(maps.Keys(ranks))
	s := statuses{least: named[0], lists: make([]list, named[len(named)-1]-named[0]+1)}
	for _, status := range named {
		s.lists[status-s.least] = x.list(ranks[status])
	}
	return s
}
