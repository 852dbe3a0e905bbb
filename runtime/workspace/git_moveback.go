package workspace

import (
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
)

// MoveBack returns the git commands, for a person and a POSIX shell, that put HEAD and the branches
// to where they are to be for a run, in the order in which they have to be carried out. They change
// no file. There is none when all are there.
//
// Nothing gets lost by them: the first ones keep the commits that no branch or tag would have any
// more, as refs/errgen/RUN/kept/COMMIT. A branch that has moved once more since they were named is
// left alone, and the command fails. A branch of another working tree stays; if it is in the way of
// another one's name, it gets another name.
func (g *Git) MoveBack(ctx context.Context, run string) ([]string, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	st, err := g.state(opResume, run)
	if err != nil {
		return nil, err
	}
	now, err := g.readRefs()
	if err != nil {
		return nil, g.unread(opResume, err)
	}
	st.adopt(now)
	if to := st.Git.Head; !isID(string(now.Head)) && !strings.HasPrefix(now.branch(), "refs/") {
		// Without it no command of git does anything here; what else there is can be found out
		// afterwards.
		return []string{`printf '%s\n' ` + shellWord(string(to)) + " > " + shellWord(filepath.Join(g.dir, "HEAD"))}, nil
	}
	m := &moving{Git: g, st: st, now: now, others: g.others()}
	m.compare()
	if err := m.keep(ctx); err != nil {
		return nil, err
	}
	return slices.Concat(m.kept, m.head, m.gone, m.renamed, m.set), nil
}

// moving finds out which commands move references back, by what has to come first: a name can only
// be given when no other one is in its way, as a/b is in that of a.
type moving struct {
	*Git
	st     *state
	now    refState
	others map[raw]struct{}

	left []string // commits that are moved away from

	kept, head, gone, renamed, set []string
}

func (m *moving) compare() {
	if is, to := m.now.Head, m.st.Git.Head; is != to {
		m.leave(is)
		m.head = []string{moveTo("HEAD", to, is)}
	}
	all := maps.Clone(map[raw]raw(m.now.Refs))
	maps.Copy(all, m.st.Git.Refs)
	for _, ref := range slices.Sorted(maps.Keys(all)) {
		is, to := m.now.Refs[ref], m.st.Git.Refs[ref]
		if !strings.HasPrefix(string(ref), branches) || is == to || isOthers(m.others, m.st, ref) {
			continue
		}
		m.leave(is)
		if to == "" {
			m.gone = append(m.gone, removal(string(ref), string(is)))
			continue
		}
		m.set = append(m.set, moveTo(string(ref), to, is))
		if is == "" {
			m.makeWay(ref)
		}
	}
}

// branches is what the names of references of branches begin with.
const branches = "refs/heads/"

// leave remembers a commit that may be known of nowhere else.
func (m *moving) leave(value raw) {
	if id := string(value); isID(id) && !slices.Contains(m.left, id) {
		m.left = append(m.left, id)
	}
}

// makeWay gives the branches of other working trees that are in the way of a reference another
// name.
func (m *moving) makeWay(ref raw) {
	for _, other := range slices.Sorted(maps.Keys(m.now.Refs)) {
		inWay := strings.HasPrefix(string(other), string(ref)+"/") || strings.HasPrefix(string(ref), string(other)+"/")
		if !inWay || !isOthers(m.others, m.st, other) {
			continue
		}
		from := strings.TrimPrefix(string(other), branches)
		to := m.freeName(strings.ReplaceAll(from, "/", "-"))
		m.renamed = append(m.renamed, "git branch -m -- "+shellWord(from)+" "+shellWord(to))
	}
}

// freeName returns a name of a branch that is in nothing's way.
func (m *moving) freeName(name string) string {
	taken := func(name string) bool {
		for _, refs := range []rawMap[raw]{m.now.Refs, m.st.Git.Refs} {
			for ref := range refs {
				if strings.HasPrefix(string(ref)+"/", branches+name+"/") {
					return true
				}
			}
		}
		return false
	}
	free := name
	for n := 2; taken(free); n++ {
		free = fmt.Sprintf("%s-%d", name, n)
	}
	m.now.Refs[raw(branches+free)] = "" // it is not there, but is taken now
	return free
}

// keep has the commits kept that nothing would have any more.
func (m *moving) keep(ctx context.Context) error {
	beyond, err := m.beyond(ctx, m.left, m.st.Git.commits())
	if err != nil {
		return err
	}
	for _, id := range m.left {
		ref := refPrefix + refPart(m.st.Run) + "/kept/" + id
		if beyond[id] && m.refAbsent(ref) == nil {
			m.kept = append(m.kept, "git update-ref "+shellWord(ref)+" "+id)
		}
	}
	return nil
}

// removal returns the command that removes a reference which points somewhere.
func removal(ref, is string) string {
	if strings.HasPrefix(is, "ref:") {
		return "git symbolic-ref -d " + shellWord(ref)
	}
	return strings.TrimSpace("git update-ref --no-deref -d " + shellWord(ref) + " " + is)
}

// moveTo returns the command that has a reference point somewhere, if it still points to where it
// does now.
func moveTo(ref string, to, is raw) string {
	if target, symbolic := strings.CutPrefix(string(to), "ref:"); symbolic {
		return "git symbolic-ref " + shellWord(ref) + " " + shellWord(strings.TrimSpace(target))
	}
	command := "git update-ref --no-deref " + shellWord(ref) + " " + shellWord(string(to))
	switch {
	case is == "":
		command += " ''"
	case isID(string(is)):
		command += " " + string(is)
	}
	return command
}
