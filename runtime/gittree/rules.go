package gittree

import (
	"context"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// rulesDir contains the .gitignore files that apply in the run: those of its beginning, with the
// changes that were accepted. A new rule that is not accepted yet neither hides a file nor turns
// a person's ignored file into an addition.
const (
	rulesDir  = "rules"
	probeName = ".errgen-probe" // a file that no directory has
)

func isRule(p string) bool { return path.Base(p) == ".gitignore" }

// setRules makes the .gitignore files of a tree apply.
func (s *Space) setRules(ctx context.Context, tree Tree) error {
	dir := filepath.Join(s.store, rulesDir)
	files, err := s.filesOf(ctx, tree)
	if err != nil {
		return err
	}
	s.work.rulesOf = ""
	return s.export(ctx, tree, slices.DeleteFunc(files, func(p string) bool { return !isRule(p) }), dir)
}

// readTracked reads which files the rules ignore although git tracks them.
func (s *Space) readTracked(ctx context.Context) (err error) {
	s.state.Tracked, err = s.list(ctx, command{in: inUsers, args: []string{"ls-files", "-z", "--full-name",
		"--cached", "--ignored", "--exclude-standard"}})
	s.setTracked()
	return err
}

func (s *Space) setTracked() {
	s.tracked = map[string]bool{}
	for _, p := range s.state.Tracked {
		for ; p != "." && !s.tracked[p]; p = path.Dir(p) {
			s.tracked[p] = true
		}
	}
}

// filesOf returns the paths of the files of a tree.
func (s *Space) filesOf(ctx context.Context, tree Tree) ([]string, error) {
	return s.list(ctx, command{args: []string{"ls-tree", "-r", "-z", "--name-only", "--full-tree", string(tree)}})
}

// export makes a directory that contains files of a tree and nothing else.
func (s *Space) export(ctx context.Context, tree Tree, paths []string, dir string) error {
	if err := os.RemoveAll(dir); err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	return s.work.checkOut(ctx, tree, paths, dir)
}

// checkOut writes files of a tree to a directory, byte for byte.
func (a *area) checkOut(ctx context.Context, tree Tree, paths []string, dir string) error {
	if len(paths) == 0 {
		return nil
	}
	c := command{area: a, dir: dir, env: a.otherIndex("export.index"), args: []string{"read-tree", string(tree)}}
	if _, err := a.Space.git(ctx, c); err != nil {
		return err
	}
	c.args, c.stdin = []string{"checkout-index", "-f", "-z", "--stdin"}, zeroTerminated(paths)
	_, err := a.Space.git(ctx, c)
	return err
}

// acceptRules makes the .gitignore files of a tree apply if they are among the changes. It returns
// the tree with the files that were ignored until then. They existed before, so they are not
// additions.
func (s *Space) acceptRules(ctx context.Context, tree Tree, changes []change) (Tree, error) {
	if !slices.ContainsFunc(changes, func(c change) bool { return isRule(c.Path) }) {
		return tree, nil
	}
	before, err := s.work.snapshot(ctx)
	if err != nil {
		return "", err
	}
	if err := s.setRules(ctx, tree); err != nil {
		return "", err
	}
	s.state.Rules = tree
	if err := s.readTracked(ctx); err != nil {
		return "", err
	}
	after, err := s.work.snapshot(ctx)
	if err != nil {
		return "", err
	}
	revealed, err := s.work.diff(ctx, before, after)
	if err != nil {
		return "", err
	}
	if s.state.Revealed == nil {
		s.state.Revealed = map[string]string{}
	}
	for _, c := range revealed {
		s.state.Revealed[c.Path] = c.NewID
	}
	others, err := s.work.diff(ctx, tree, after)
	if err != nil {
		return "", err
	}
	if tree, err = s.work.accept(ctx, tree, after, others, only(others, pathsOf(revealed))); err != nil {
		return "", err
	}
	return tree, s.saveState()
}

// applyRules corrects the entries of git's status if a .gitignore file differs from the one that
// applies. Such a file is in the status once, and then in the index.
func (a *area) applyRules(ctx context.Context, entries []string) ([]string, error) {
	if a.state.Rules == "" {
		return entries, nil // the first snapshot
	}
	if a.rulesOf != a.last {
		changes, err := a.diff(ctx, a.state.Rules, a.last)
		if err != nil {
			return nil, err
		}
		a.rulesOf = a.last
		a.newRules = slices.ContainsFunc(changes, func(c change) bool { return isRule(c.Path) })
	}
	if a.newRules || slices.ContainsFunc(entries, func(e string) bool { return isRule(e[3:]) }) {
		return a.reclassify(ctx, entries)
	}
	return entries, nil
}

// reclassify corrects entries of git's status by the rules that apply in the run, because git
// applies the current .gitignore files.
func (a *area) reclassify(ctx context.Context, entries []string) ([]string, error) {
	ignored, err := a.ignoredEntries(ctx, entries)
	if err != nil {
		return nil, err
	}
	var all []string
	for _, e := range entries {
		if p := e[3:]; e[:2] == "!!" && strings.HasSuffix(p, "/") && !ignored[p] {
			for _, file := range a.walk(p, nil, func(string) bool { return true }) {
				all = append(all, "!! "+file)
			}
		} else {
			all = append(all, e)
		}
	}
	if ignored, err = a.ignoredEntries(ctx, all); err != nil {
		return nil, err
	}
	for i, e := range all {
		if p := e[3:]; !isUntracked(e) || isRule(p) {
			continue
		} else if ignored[p] {
			all[i] = "!! " + p
		} else {
			all[i] = "?? " + p
		}
	}
	return all, nil
}

func isUntracked(entry string) bool { return entry[:2] == "??" || entry[:2] == "!!" }

// ignoredEntries returns which of the untracked entries of git's status are ignored by the rules
// that apply in the run.
func (a *area) ignoredEntries(ctx context.Context, entries []string) (map[string]bool, error) {
	var paths []string
	for _, e := range entries {
		if !isUntracked(e) {
			continue
		}
		if p := e[3:]; strings.HasSuffix(p, "/") {
			paths = append(paths, p+probeName)
		} else {
			paths = append(paths, p)
		}
	}
	found, err := a.ignored(ctx, paths)
	ignored := map[string]bool{}
	for p := range found {
		ignored[strings.TrimSuffix(p, probeName)] = true
	}
	return ignored, err
}

// ignored returns which of the paths are ignored by the rules that apply in the run, and not tracked.
func (s *Space) ignored(ctx context.Context, paths []string) (map[string]bool, error) {
	if len(paths) == 0 {
		return nil, nil
	}
	const prefix = "./" // because check-ignore has no literal paths
	found, err := s.list(ctx, command{dir: filepath.Join(s.store, rulesDir), none: 1,
		env:   []string{"GIT_LITERAL_PATHSPECS=0"},
		stdin: strings.NewReader(prefix + strings.Join(paths, "\x00"+prefix) + "\x00"),
		args:  []string{"check-ignore", "--no-index", "-z", "--stdin"}})
	ignored := map[string]bool{}
	for _, p := range found {
		if p = strings.TrimPrefix(p, prefix); !s.tracked[p] {
			ignored[p] = true
		}
	}
	return ignored, err
}
