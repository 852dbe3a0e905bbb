package state

import "github.com/errgen/errgen/runtime/taxonomy"

// understood returns the code that a stored one is taken for: itself, the one that bears its name
// now, the one that it was taken for when it was stored, or the fallback. Without a taxonomy it is
// as it was stored.
func (s *Store) understood(written, stored string) string {
	table := s.options.Table
	if table.Taxonomy == nil {
		if stored != "" {
			return stored
		}
		return written
	}
	for _, value := range []string{written, stored} {
		if code, ok := table.Code(value); ok {
			return code.Value
		}
	}
	return table.Taxonomy.Fallback
}

// meaning is what the taxonomy says of a code.
type meaning struct {
	code, category string
	reaction       taxonomy.Reaction
	known          bool // whether there is a taxonomy at all
}

// meaningOf returns what the taxonomy says of the code, or else of the fallback, or else of what
// has no category.
func (s *Store) meaningOf(written string) meaning {
	table := s.options.Table
	if table.Taxonomy == nil {
		return meaning{code: written}
	}
	value := s.understood(written, "")
	row, ok := table.Taxonomy.Find(value)
	if !ok {
		return meaning{code: value, reaction: table.Reaction(errUncategorized), known: true}
	}
	return meaning{
		code: value, category: table.Taxonomy.Categories[row.Category()].Name, reaction: *table.Row(row).Reaction,
		known: true,
	}
}

// counts reports whether a failure of this meaning counts. Without a taxonomy every one does.
func (m meaning) counts() bool { return !m.known || m.reaction.CountFailure }

// leaves returns how a task stands after a failure of this meaning.
func (m meaning) leaves() TaskStatus {
	switch {
	case !m.known:
		return TaskRunning
	case m.reaction.Action == taxonomy.Abort:
		return TaskFailed
	case m.reaction.Action == taxonomy.Block:
		return TaskBlocked
	}
	return TaskRunning
}

// other returns the code if it is not the one that was written.
func (m meaning) other(written string) string {
	if m.code == written {
		return ""
	}
	return m.code
}
