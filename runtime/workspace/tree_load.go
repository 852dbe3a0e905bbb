package workspace

import (
	"context"
	"errors"
	"strconv"
	"strings"

	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/internal/text"
)

// maxSnapshots is how many checked trees are held in memory; others are read again.
const maxSnapshots = 4

// load returns a checked tree.
func (g *Git) load(ctx context.Context, op string, id executor.Checked) (*snapshot, error) {
	if s, ok := g.snaps[id]; ok {
		g.last = s
		return s, nil
	}
	if !isID(string(id)) {
		return nil, fault(op, "not a checked tree: "+text.Quote(string(id), maxQuoted), nil, nil)
	}
	if err := g.makeShadow(ctx, op); err != nil {
		return nil, err
	}
	commit, err := g.git(ctx, call{op: op, shadow: true, args: []string{"cat-file", "commit", string(id)}})
	if err != nil {
		return nil, err
	}
	list, err := g.git(
		ctx, call{op: op, shadow: true, args: []string{"ls-tree", "-r", "-z", "--full-tree", string(id)}})
	if err != nil {
		return nil, err
	}
	s := &snapshot{id: id, entries: map[string]*entry{}}
	if err := s.tree(string(list)); err != nil {
		return nil, fault(op, "", nil, err)
	}
	if err := s.decode(string(commit)); err != nil {
		return nil, fault(op, "", nil, err)
	}
	g.remember(s.derive())
	return s, nil
}

// tree reads what ls-tree has listed.
func (s *snapshot) tree(list string) error {
	for line := range strings.SplitSeq(list, "\x00") {
		if line == "" {
			continue
		}
		mode, id, p, err := listed(line)
		if err != nil {
			return err
		}
		s.entries[p] = &entry{mode: mode, id: id, perm: usual(mode)}
	}
	return nil
}

var errListed = errors.New("a list of git cannot be read")

// listed reads a line "MODE TYPE ID\tPATH" or "MODE ID STAGE\tPATH".
func listed(line string) (mode uint32, id, p string, err error) {
	head, p, ok := strings.Cut(line, "\t")
	fields := strings.Fields(head)
	if !ok || len(fields) != 3 {
		return 0, "", "", errListed
	}
	n, err := strconv.ParseUint(fields[0], 8, 32)
	if err != nil {
		return 0, "", "", errListed
	}
	id = fields[2]
	if len(fields[1]) >= 40 {
		id = fields[1]
	}
	return uint32(n), id, p, nil
}

// isID reports whether s can be the name of an object.
func isID(s string) bool {
	if len(s) != 40 && len(s) != 64 {
		return false
	}
	return strings.Trim(s, "0123456789abcdef") == ""
}

// remember holds a checked tree in memory.
func (g *Git) remember(s *snapshot) {
	if len(g.snaps) >= maxSnapshots {
		clear(g.snaps)
	}
	g.snaps[s.id] = s
	g.last = s
}
