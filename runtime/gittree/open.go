package gittree

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/errgen/errgen/runtime/internal/atomicfile"
	"github.com/errgen/errgen/runtime/internal/filelock"
)

// homeName is errgen's directory in git's directory. It contains the stores of the runs, and the
// lock of the working tree.
const homeName = "errgen"

// treeLock is the name of the lock of a working tree.
const treeLock = "tree"

// Open takes the working tree that dir is in for a run, or continues the run in another process. It
// finishes what a killed process began. If another process has the working tree, the error wraps
// [ErrHeld] and is evidence of source "executor".
func Open(ctx context.Context, dir, run string, opts Options) (*Space, error) {
	s, err := locate(ctx, dir, run, opts)
	if err != nil {
		return nil, err
	}
	if err := s.take(ctx, s.gitDir, treeLock, "the working tree"); err != nil {
		return nil, s.evidence(err, nil)
	}
	if err := s.prepare(ctx, settings{}); err != nil {
		return nil, errors.Join(s.evidence(err, nil), s.Close(false))
	}
	return s, nil
}

// locate returns the space of a run without taking the working tree.
func locate(ctx context.Context, dir, run string, opts Options) (*Space, error) {
	s := &Space{opts: opts, run: run, op: opPrepare}
	s.opts.Binary, s.opts.Remote = cmp.Or(opts.Binary, "git"), cmp.Or(opts.Remote, "origin")
	s.opts.Timeout = cmp.Or(max(opts.Timeout, 0), 5*time.Minute)
	if err := s.locate(ctx, dir); err != nil {
		return nil, s.evidence(err, nil)
	}
	return s, nil
}

func (s *Space) locate(ctx context.Context, dir string) error {
	if err := errors.Join(checkRun(s.run), checkPlaceholders(s.opts.PR), checkPlaceholders(s.opts.FindPR)); err != nil {
		return err
	}
	abs, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	out, err := s.line(ctx, command{in: inNone, dir: abs, args: []string{"rev-parse", "--path-format=absolute",
		"--show-toplevel", "--git-dir", "--git-common-dir", "--show-object-format"}})
	if err != nil {
		return err
	}
	places := strings.Split(out, "\n")
	if len(places) != 4 {
		return fault(typeLayout, "the path of the working tree contains a line end", nil, dir)
	}
	s.made.Format = places[3]
	s.root, s.gitDir = filepath.FromSlash(places[0]), filepath.FromSlash(places[1])
	s.common = filepath.FromSlash(places[2])
	if _, err := os.Lstat(filepath.Join(s.common, "reftable")); err == nil {
		return fault(typeLayout, "references in the reftable format are not supported", nil, s.common)
	}
	s.setStore(storeDir(s.common, s.run))
	return nil
}

func storeDir(common, run string) string { return filepath.Join(common, homeName, run) }

// checkRun returns evidence if a run cannot have the name.
func checkRun(run string) error {
	err := filelock.CheckName(run)
	if err == nil && (strings.HasSuffix(run, ".lock") || strings.HasSuffix(run, ".holder")) {
		err = errors.New("the name ends like a lock")
	}
	if err != nil {
		return fault(typeName, filelock.NameExpected, err)
	}
	return nil
}

// setStore sets the directory of the store, and with it the areas.
func (s *Space) setStore(dir string) {
	s.store = dir
	s.work = &area{Space: s, name: "work", dir: s.root, git: filepath.Join(dir, "work"), store: dir}
	s.inside = &area{Space: s, name: "inside", dir: s.common, git: filepath.Join(dir, "inside"), store: dir}
}

// take takes a lock in a directory of git's.
func (s *Space) take(ctx context.Context, gitDir, name, what string) error {
	s.op = opLock
	home := filepath.Join(gitDir, homeName)
	if err := atomicfile.MakeDir(home); err != nil {
		return err
	}
	lock, err := filelock.Take(ctx, home, name, what, s.run, filelock.DefaultPatience)
	if held, ok := filelock.Evidence(err); ok {
		ev := *held
		ev.Type, ev.Err = typeHeld, ErrHeld
		return &ev
	}
	if err != nil {
		return err
	}
	s.lock, s.op = lock, opPrepare
	return nil
}

// prepare makes the store or continues with it. It resolves what a killed process left.
func (s *Space) prepare(ctx context.Context, wanted settings) error {
	begun, err := s.openStore(ctx, wanted)
	if err != nil {
		return err
	}
	for _, a := range []*area{s.work, s.inside} {
		if err := a.load(ctx); err != nil {
			return err
		}
	}
	if !begun {
		if err := s.begin(ctx); err != nil {
			return err
		}
	} else if err := s.resume(ctx); err != nil {
		return err
	}
	s.seal = s.marks()
	return nil
}

// begin records the state of the working tree and of git itself at the beginning of a run. The
// baseline comes last: without it, all of this is done again.
func (s *Space) begin(ctx context.Context) error {
	if _, err := s.work.snapshot(ctx); err != nil {
		return err
	}
	if err := s.recordRules(ctx); err != nil {
		return err
	}
	return s.recordGit(ctx)
}

// recordGit makes git as it is now the baseline.
func (s *Space) recordGit(ctx context.Context) error {
	if err := s.beginNested(ctx); err != nil {
		return err
	}
	inside, err := s.inside.snapshot(ctx)
	if err != nil {
		return err
	}
	return s.setBaseline(ctx, inside)
}

func (s *Space) resume(ctx context.Context) error {
	err := errors.Join(s.readJSON(modesFile, &s.modes), s.loadNested())
	if err != nil {
		return err
	}
	return s.finishCommits(ctx)
}

// removeStore removes the store, except the saved attempts and the settings, which locate them.
func (s *Space) removeStore() error {
	beforeStep("remove store")
	if err := os.Remove(filepath.Join(s.store, baselineFile)); err != nil && !notFound(err) {
		return err
	}
	var keep map[string]bool
	switch saved := names(filepath.Join(s.store, filepath.FromSlash(savedRefs))); {
	case len(saved) > 0:
		keep = setOf([]string{"objects", "refs", "config", "HEAD", "work", settingsFile})
	case s.made.Clone != "":
		keep = setOf([]string{settingsFile})
	default:
		return os.RemoveAll(s.store)
	}
	for name := range names(s.store) {
		if keep[name] {
			continue
		}
		if err := os.RemoveAll(filepath.Join(s.store, name)); err != nil {
			return err
		}
	}
	return nil
}

// write replaces a file of the store.
func (s *Space) write(name string, content []byte) error {
	beforeStep("write " + name)
	return atomicfile.Replace(filepath.Join(s.store, name), content)
}

func (s *Space) writeJSON(name string, v any) error {
	content, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return s.write(name, content)
}

// readJSON reads a file of the store; it leaves v unchanged if the file is missing.
func (s *Space) readJSON(name string, v any) error {
	content, err := os.ReadFile(filepath.Join(s.store, name))
	if notFound(err) {
		return nil
	}
	if err == nil {
		err = json.Unmarshal(content, v)
	}
	if err != nil {
		return fault(typeStore, "read "+name, err)
	}
	return nil
}

// includedFiles returns the files below the root that the configuration includes, also those that do
// not exist: a change of one is a change of the configuration.
func (s *Space) includedFiles(ctx context.Context) ([]string, error) {
	entries, err := s.list(ctx, command{in: inUsers,
		args: []string{"config", "--list", "--includes", "--show-origin", "-z"}})
	if err != nil {
		return nil, err
	}
	var files []string
	for i := 0; i+1 < len(entries); i += 2 {
		origin, ok := strings.CutPrefix(entries[i], "file:")
		if !ok {
			continue
		}
		if !filepath.IsAbs(origin) {
			origin = filepath.Join(s.root, origin)
		}
		files = append(files, origin)
		key, value, _ := strings.Cut(entries[i+1], "\n")
		if strings.HasPrefix(key, "include") && strings.HasSuffix(key, ".path") {
			files = append(files, expand(value, filepath.Dir(origin)))
		}
	}
	var below []string
	for _, file := range files {
		rel, err := filepath.Rel(s.root, file)
		rel = filepath.ToSlash(rel)
		if first, _, _ := strings.Cut(rel, "/"); err == nil && first != ".." && first != ".git" {
			below = append(below, rel)
		}
	}
	slices.Sort(below)
	return slices.Compact(below), nil
}

// expand returns the absolute path of a path in git's configuration.
func expand(path, dir string) string {
	if rest, ok := strings.CutPrefix(path, "~/"); ok {
		home, _ := os.UserHomeDir()
		return filepath.Join(home, rest)
	}
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(dir, path)
}
