package gittree

import (
	"context"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// The ignore rules of a run are the rules at its beginning, and those of changed .gitignore files
// that were accepted. They are in one file of the store, because git itself would apply the current
// .gitignore files: an agent could hide files, or make a person's ignored files look like
// additions. Within a run, rules are added and never removed.

func isRuleFile(p string) bool { return path.Base(p) == ".gitignore" }

// readRules returns the rules that apply in the working tree. It adds .gitignore files that rules
// ignore to the index.
func (s *Space) readRules(ctx context.Context, tree Tree) (string, error) {
	files, err := s.filesOf(ctx, tree)
	if err != nil {
		return "", err
	}
	ignored, err := s.list(ctx, command{args: []string{"status", "--porcelain=v1", "-z", "-uall", "--ignored=matching",
		"--no-renames", "--ignore-submodules=all"}})
	if err != nil {
		return "", err
	}
	var hidden []string // .gitignore files that a rule ignores
	for _, entry := range ignored {
		if p, ok := strings.CutPrefix(entry, "!! "); ok && isRuleFile(p) {
			hidden = append(hidden, p)
		}
	}
	if err := s.work.update(ctx, hidden, nil); err != nil {
		return "", err
	}
	files = append(slices.DeleteFunc(files, func(p string) bool { return !isRuleFile(p) }), hidden...)
	slices.SortStableFunc(files, func(p, q string) int { return strings.Count(p, "/") - strings.Count(q, "/") })
	rules := s.state.Excludes
	for _, p := range files {
		content, err := os.ReadFile(s.abs(p))
		if err != nil && !notFound(err) {
			return "", err
		}
		rules += rulesOf(p, string(content))
	}
	return rules, nil
}

var escapeRule = strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`)

// rulesOf returns the rules of a .gitignore file with paths relative to the root.
func rulesOf(p, content string) string {
	dir := path.Dir(p)
	if strings.Contains(dir, "\n") {
		return ""
	}
	var b strings.Builder
	for line := range strings.Lines(strings.TrimPrefix(content, "\ufeff")) {
		rule, negated := strings.CutPrefix(strings.TrimRight(line, "\r\n"), "!")
		if strings.TrimSpace(rule) == "" || rule[0] == '#' && !negated {
			continue
		}
		if dir != "." {
			anchor := "/" + escapeRule.Replace(dir) + "/"
			if !strings.Contains(strings.TrimRight(rule, "/ "), "/") {
				anchor += "**/"
			}
			rule = anchor + strings.TrimPrefix(rule, "/")
		}
		if negated {
			rule = "!" + rule
		}
		b.WriteString(rule + "\n")
	}
	return b.String()
}

// acceptRules adds the rules of the .gitignore files among the accepted changes. It ignores
// exceptions, because they could turn a person's ignored files into additions.
func (s *Space) acceptRules(ctx context.Context, accepted []change) error {
	rules := ""
	for _, c := range accepted {
		if !isRuleFile(c.Path) || c.NewMode == absent || c.NewMode == modeLink {
			continue
		}
		content, err := s.git(ctx, command{args: []string{"cat-file", "blob", c.NewID}})
		if err != nil {
			return err
		}
		for rule := range strings.Lines(rulesOf(c.Path, string(content))) {
			if rule[0] != '!' && !strings.Contains("\n"+s.state.Rules, "\n"+rule) {
				rules += rule
			}
		}
	}
	if rules == "" {
		return nil
	}
	s.state.Rules += rules
	if err := s.saveState(); err != nil {
		return err
	}
	return s.configure()
}

// filesOf returns the paths of the files of a tree.
func (s *Space) filesOf(ctx context.Context, tree Tree) ([]string, error) {
	return s.list(ctx, command{args: []string{"ls-tree", "-r", "-z", "--name-only", "--full-tree", string(tree)}})
}

// ignored returns which of the paths are ignored by the rules of the run, and are not in the user's
// index.
func (s *Space) ignored(ctx context.Context, paths []string) (map[string]bool, error) {
	if len(paths) == 0 {
		return nil, nil
	}
	const prefix = "./"                                         // because check-ignore has no literal paths
	c := command{dir: filepath.Join(s.store, "empty"), none: 1, // a directory without .gitignore files
		env:   []string{"GIT_LITERAL_PATHSPECS=0", "GIT_INDEX_FILE=" + filepath.Join(s.gitDir, "index")},
		stdin: strings.NewReader(prefix + strings.Join(paths, "\x00"+prefix) + "\x00"),
		args:  []string{"check-ignore", "-z", "--stdin"}}
	found, err := s.list(ctx, c)
	if err != nil && ctx.Err() == nil { // a path is in a submodule, or the index is split
		c.args = append(c.args, "--no-index")
		c.stdin = strings.NewReader(prefix + strings.Join(paths, "\x00"+prefix) + "\x00")
		found, err = s.list(ctx, c)
	}
	ignored := map[string]bool{}
	for _, p := range found {
		ignored[strings.TrimPrefix(p, prefix)] = true
	}
	return ignored, err
}
