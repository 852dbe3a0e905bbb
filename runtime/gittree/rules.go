package gittree

import (
	"context"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/errgen/errgen/runtime/internal/atomicfile"
)

// rulesDir contains the .gitignore files that apply in the run: those of its beginning, with the
// changes that were accepted. A rule that nothing has judged yet neither hides a file nor turns a
// person's ignored file into an addition.
const (
	rulesDir  = "rules"
	ruleName  = ".gitignore"
	probeName = ".errgen-probe" // a file that no directory has
)

func isRule(p string) bool { return path.Base(p) == ruleName }

// recordRules makes the .gitignore files of the working tree apply.
func (s *Space) recordRules(ctx context.Context) error {
	if err := os.RemoveAll(filepath.Join(s.store, rulesDir)); err != nil {
		return err
	}
	if err := atomicfile.MakeDir(filepath.Join(s.store, rulesDir)); err != nil {
		return err
	}
	entries, err := s.list(ctx, command{args: []string{"ls-files", "-s", "-z", "--full-name"}})
	if err != nil {
		return err
	}
	var rules []change
	for _, e := range entries {
		head, p, _ := strings.Cut(e, "\t")
		if f := strings.Fields(head); isRule(p) && f[0] != modeLink && len(f) == 3 {
			rules = append(rules, change{Path: p, OldMode: f[0], OldID: f[1]})
		}
	}
	return s.contents(ctx, rules, s.writeRule)
}

func (s *Space) writeRule(c change, content io.Reader) error {
	b, err := io.ReadAll(content)
	if err != nil {
		return err
	}
	name := filepath.Join(s.store, rulesDir, filepath.FromSlash(c.Path))
	if err := atomicfile.MakeDir(filepath.Dir(name)); err != nil {
		return err
	}
	return atomicfile.Replace(name, b)
}

// acceptRules makes the changed .gitignore files among the changes apply, and returns the tree that
// contains the files that were ignored until then: they were there before, so they are no additions.
func (s *Space) acceptRules(ctx context.Context, tree Tree, changes []change) (Tree, error) {
	rules := slices.DeleteFunc(slices.Clone(changes), func(c change) bool { return !isRule(c.Path) })
	if len(rules) == 0 {
		return tree, nil
	}
	before, err := s.work.snapshot(ctx)
	if err != nil {
		return "", err
	}
	var written []change
	for _, c := range rules {
		name := filepath.Join(s.store, rulesDir, filepath.FromSlash(c.Path))
		if c.NewMode == absent || c.NewMode == modeLink {
			if err := os.Remove(name); err != nil && !notFound(err) {
				return "", err
			}
			continue
		}
		written = append(written, change{Path: c.Path, OldMode: c.NewMode, OldID: c.NewID})
	}
	if err := s.contents(ctx, written, s.writeRule); err != nil {
		return "", err
	}
	after, err := s.work.snapshot(ctx)
	if err != nil {
		return "", err
	}
	revealed, err := s.work.diff(ctx, before, after)
	if err != nil || len(revealed) == 0 {
		return tree, err
	}
	paths := make([]string, len(revealed))
	for i, c := range revealed {
		paths[i] = c.Path
	}
	return s.work.accept(ctx, tree, after, paths)
}

// rulesChanged reports whether the .gitignore file at p differs from the one that applies.
func (s *Space) rulesChanged(p string) bool {
	if !isRule(p) {
		return false
	}
	applies, err := os.ReadFile(filepath.Join(s.store, rulesDir, filepath.FromSlash(p)))
	if err != nil && !notFound(err) {
		return true
	}
	now, nerr := os.ReadFile(filepath.Join(s.root, filepath.FromSlash(p)))
	return (err == nil) != (nerr == nil) || string(applies) != string(now)
}

// applyRules corrects the entries of git's status if a .gitignore file differs from the one that
// applies. Such a file is in the status once, and then in the index.
func (a *area) applyRules(ctx context.Context, entries []string) ([]string, error) {
	if _, err := os.Stat(filepath.Join(a.store, rulesDir)); err != nil {
		return entries, nil // the first snapshot
	}
	if a.changedRules == nil {
		if err := a.findChangedRules(ctx); err != nil {
			return nil, err
		}
	}
	for _, e := range entries {
		if isRule(e[3:]) {
			a.changedRules[e[3:]] = true
		}
	}
	for p := range a.changedRules {
		if !a.rulesChanged(p) {
			delete(a.changedRules, p)
		}
	}
	if len(a.changedRules) == 0 {
		return entries, nil
	}
	return a.reclassify(ctx, entries)
}

// findChangedRules finds the changed .gitignore files in the index that another process made.
func (a *area) findChangedRules(ctx context.Context) error {
	files, err := a.list(ctx, command{area: a, args: []string{"ls-files", "-z", "--full-name"}})
	a.changedRules = map[string]bool{}
	for _, p := range files {
		if isRule(p) {
			a.changedRules[p] = true
		}
	}
	return err
}

// reclassify corrects entries of git's status, which applies the .gitignore files as they are now, by
// the rules that apply in the run.
func (a *area) reclassify(ctx context.Context, entries []string) ([]string, error) {
	var in strings.Builder
	probe := func(p string) string {
		if strings.HasSuffix(p, "/") {
			p += probeName
		}
		return "./" + p
	}
	for _, e := range entries {
		if e[:2] == "??" || e[:2] == "!!" {
			in.WriteString(probe(e[3:]) + "\x00")
		}
	}
	ignored, err := a.ignoredByRules(ctx, in.String())
	if err != nil {
		return nil, err
	}
	var out []string
	var below strings.Builder
	for _, e := range entries {
		code, p := e[:2], e[3:]
		switch {
		case isRule(p):
			out = append(out, e)
		case code == "??" && ignored[probe(p)]:
			out = append(out, "!! "+p)
		case code == "!!" && !ignored[probe(p)] && strings.HasSuffix(p, "/"):
			for _, file := range a.walk(p, nil, func(string) bool { return true }) {
				out = append(out, "!! "+file)
				below.WriteString("./" + file + "\x00")
			}
		case code == "!!" && !ignored[probe(p)]:
			out = append(out, "?? "+p)
		default:
			out = append(out, e)
		}
	}
	if below.Len() == 0 {
		return out, nil
	}
	stillIgnored, err := a.ignoredByRules(ctx, below.String())
	for i, e := range out {
		if p := e[3:]; e[:2] == "!!" && strings.Contains(below.String(), "./"+p+"\x00") && !stillIgnored["./"+p] {
			out[i] = "?? " + p
		}
	}
	return out, err
}

// ignoredByRules returns which of the paths are ignored by the rules that apply in the run.
func (a *area) ignoredByRules(ctx context.Context, paths string) (map[string]bool, error) {
	if paths == "" {
		return nil, nil
	}
	found, err := a.list(ctx, command{area: a, dir: filepath.Join(a.store, rulesDir),
		stdin: strings.NewReader(paths), none: 1, env: []string{"GIT_LITERAL_PATHSPECS=0"},
		args: []string{"check-ignore", "--no-index", "-z",
			"--stdin"}})
	return setOf(found), err
}
