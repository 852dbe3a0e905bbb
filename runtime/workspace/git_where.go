package workspace

import (
	"context"
	"maps"
	"path/filepath"
	"slices"
	"strings"
)

// Kept returns the references that have what a run has found and what counts since: the tree as it
// is to be, and the one before it. There is none for a run of which nothing is kept.
func (g *Git) Kept(ctx context.Context, run string) ([]string, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if err := checkRun(opResume, run); err != nil {
		return nil, err
	}
	there, err := g.ownRefs(ctx)
	if err != nil {
		return nil, err
	}
	var refs []string
	for _, ref := range []string{checkedRef(run), previousRef(run)} {
		if _, ok := there[ref]; ok {
			refs = append(refs, ref)
		}
	}
	return refs, nil
}

// Missing returns those of the commits that are not in the history of HEAD, in their order. What is
// no name of a commit is missing.
func (g *Git) Missing(ctx context.Context, commits []string) ([]string, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	refs, err := g.readRefs()
	if err != nil {
		return nil, g.unread(opResume, err)
	}
	head := refs.commit()
	if !isID(head) {
		return slices.Clone(commits), nil
	}
	there, err := g.commitsThere(ctx, commits)
	if err != nil {
		return nil, err
	}
	beside, err := g.beyond(ctx, commits, []string{head})
	if err != nil {
		return nil, err
	}
	var missing []string
	for _, id := range commits {
		if !there[id] || beside[id] {
			missing = append(missing, id)
		}
	}
	return missing, nil
}

// New returns those of the commits that a run does not know of: which are in no history of what
// HEAD, the branches and the tags are to be for it, and of what it keeps. What is no name of a
// commit that the repository has is none of them.
func (g *Git) New(ctx context.Context, run string, commits []string) ([]string, error) {
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
	known := st.Git.commits()
	for _, ref := range []string{checkedRef(run), previousRef(run)} {
		if id, err := readLine(filepath.Join(g.common, filepath.FromSlash(ref))); err == nil {
			known = append(known, id)
		}
	}
	beyond, err := g.beyond(ctx, commits, known)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(slices.Clone(commits), func(id string) bool { return !beyond[id] }), nil
}

// commits returns what HEAD and the references stand for.
func (r refState) commits() []string {
	var ids []string
	for _, value := range append(slices.Collect(maps.Values(r.Refs)), r.Head) {
		if isID(string(value)) {
			ids = append(ids, string(value))
		}
	}
	return ids
}

// beyond returns the commits that are in the history of some commits and of none that is known.
// Names of what the repository does not have count for nothing.
func (g *Git) beyond(ctx context.Context, commits, known []string) (map[string]bool, error) {
	there, err := g.commitsThere(ctx, slices.Concat(commits, known))
	if err != nil {
		return nil, err
	}
	var in strings.Builder
	for _, id := range commits {
		if there[id] {
			in.WriteString(id + "\n")
		}
	}
	beyond := map[string]bool{}
	if in.Len() == 0 {
		return beyond, nil
	}
	for _, id := range known {
		if there[id] {
			in.WriteString("^" + id + "\n")
		}
	}
	out, err := g.git(
		ctx, call{op: opResume, args: []string{"rev-list", "--stdin"}, stdin: strings.NewReader(in.String())})
	if err != nil {
		return nil, err
	}
	for line := range strings.Lines(string(out)) {
		beyond[strings.TrimSpace(line)] = true
	}
	return beyond, nil
}

// commitsThere returns which of the names are those of commits that the repository has.
func (g *Git) commitsThere(ctx context.Context, commits []string) (map[string]bool, error) {
	var in strings.Builder
	for _, id := range commits {
		if isID(id) {
			in.WriteString(id + "\n")
		}
	}
	there := map[string]bool{}
	if in.Len() == 0 {
		return there, nil
	}
	out, err := g.git(
		ctx, call{op: opResume, args: []string{"cat-file", "--batch-check=%(objectname) %(objecttype)"},
			stdin: strings.NewReader(in.String())})
	if err != nil {
		return nil, err
	}
	for line := range strings.Lines(string(out)) {
		if id, ok := strings.CutSuffix(strings.TrimSpace(line), " commit"); ok {
			there[id] = true
		}
	}
	return there, nil
}
