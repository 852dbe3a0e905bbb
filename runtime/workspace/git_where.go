package workspace

import (
	"context"
	"maps"
	"slices"
	"strings"
)

// Kept returns the references that have what a run has found and what counts since: the tree as it is to be, and the one before it. There is none for
// a run of which nothing is kept.
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

// MoveBack returns the git commands, for a person and a POSIX shell, that put HEAD and the branches to where they are to be for a run. They change
// no file. There is none when all are there.
func (g *Git) MoveBack(_ context.Context, run string) ([]string, error) {
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
	var commands []string
	if now.Head != st.Git.Head {
		commands = append(commands, moveTo("HEAD", st.Git.Head))
	}
	others := g.others()
	all := maps.Clone(map[raw]raw(now.Refs))
	maps.Copy(all, st.Git.Refs)
	for _, ref := range slices.Sorted(maps.Keys(all)) {
		if !strings.HasPrefix(string(ref), "refs/heads/") || isOthers(others, st, ref) || now.Refs[ref] == st.Git.Refs[ref] {
			continue
		}
		commands = append(commands, moveTo(string(ref), st.Git.Refs[ref]))
	}
	return commands, nil
}

// moveTo returns the command that has a reference point somewhere; to "" removes it.
func moveTo(ref string, to raw) string {
	target, symbolic := strings.CutPrefix(string(to), "ref:")
	switch {
	case to == "":
		return "git update-ref -d " + shellWord(ref)
	case symbolic:
		return "git symbolic-ref " + shellWord(ref) + " " + shellWord(strings.TrimSpace(target))
	}
	return "git update-ref --no-deref " + shellWord(ref) + " " + shellWord(string(to))
}

// shellWord returns a text as one word of a shell.
func shellWord(s string) string {
	const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./@"
	if s != "" && strings.Trim(s, plain) == "" {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// Missing returns those of the commits that are not in the history of HEAD, in their order. What is no name of a commit is missing.
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
	var in strings.Builder
	for _, id := range commits {
		if there[id] {
			in.WriteString(id + "\n")
		}
	}
	beside := map[string]bool{}
	if in.Len() > 0 {
		in.WriteString("^" + head + "\n")
		out, err := g.git(ctx, call{op: opResume, args: []string{"rev-list", "--stdin"}, stdin: strings.NewReader(in.String())})
		if err != nil {
			return nil, err
		}
		for line := range strings.Lines(string(out)) {
			beside[strings.TrimSpace(line)] = true
		}
	}
	var missing []string
	for _, id := range commits {
		if !there[id] || beside[id] {
			missing = append(missing, id)
		}
	}
	return missing, nil
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
	out, err := g.git(ctx, call{op: opResume, args: []string{"cat-file", "--batch-check=%(objectname) %(objecttype)"}, stdin: strings.NewReader(in.String())})
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
