package plans_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// tree is a working tree in a directory, with the trees and commits that git would keep. It
// outlives the processes of a test, as a repository does.
type tree struct {
	dir     string
	trees   map[executor.Tree]map[string]string
	head    map[string]string // the files of the last commit
	commits map[string]string // the id by run and attempt
	log     []map[string]string
	fails   map[string][]error // by operation, in their order; nil succeeds
	point   func(what string)
}

func newTree(dir string) *tree {
	t := &tree{dir: dir, trees: map[executor.Tree]map[string]string{}, commits: map[string]string{},
		fails: map[string][]error{}, point: func(string) {}}
	t.head = t.files()
	return t
}

// files returns the contents of the directory by path.
func (t *tree) files() map[string]string {
	files := map[string]string{}
	err := fs.WalkDir(os.DirFS(t.dir), ".", func(path string, d fs.DirEntry, err error) error {
		switch {
		case d != nil && d.Name() == ".git":
			return fs.SkipDir
		case err != nil || d.IsDir():
			return err
		}
		b, err := os.ReadFile(filepath.Join(t.dir, path))
		files[path] = string(b)
		return err
	})
	if err != nil {
		panic(err)
	}
	return files
}

// write changes a file; "-" removes it.
func (t *tree) write(path, content string) {
	full := filepath.Join(t.dir, path)
	if content == "-" {
		_ = os.Remove(full)
		return
	}
	if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
		panic(err)
	}
	if err := os.WriteFile(full, []byte(content), 0o600); err != nil {
		panic(err)
	}
}

func (t *tree) store(files map[string]string) executor.Tree {
	b, _ := json.Marshal(files) // texts always marshal
	sum := sha256.Sum256(b)
	name := executor.Tree(hex.EncodeToString(sum[:8]))
	t.trees[name] = files
	return name
}

// do is a point at which a process can die, before and after an operation that can fail.
func (t *tree) do(op string, f func()) error {
	t.point("before " + op)
	if queue := t.fails[op]; len(queue) > 0 {
		t.fails[op] = queue[1:]
		if queue[0] != nil {
			return queue[0]
		}
	}
	f()
	t.point("after " + op)
	return nil
}

// Dir and Open implement executor.Workspace.
func (t *tree) Dir() string { return t.dir }

func (t *tree) Open(_ context.Context, run string) (executor.Space, error) {
	return &space{t, run}, nil
}

type space struct {
	*tree
	run string
}

func (*space) BeforeCall(context.Context) error            { return nil }
func (*space) AfterCall(context.Context) ([]string, error) { return nil, nil }
func (*space) Deliver(context.Context) (string, error)     { return "", nil }
func (*space) Update(context.Context) error                { return nil }
func (*space) Push(context.Context) error                  { return nil }
func (*space) Close(bool) error                            { return nil }
func (*space) Discard() error                              { return nil }

func (*space) Forward(context.Context) (why, next string, err error) { return "", "", nil }

func (*space) OpenPR(context.Context, string, string) (string, error) { return "", nil }

func (s *space) Snapshot(context.Context) (name executor.Tree, err error) {
	err = s.do("snapshot", func() { name = s.store(s.files()) })
	return name, err
}

func (s *space) Diff(_ context.Context, from, to executor.Tree) (changes []executor.Change, err error) {
	err = s.do("diff", func() {
		a, b := s.trees[from], s.trees[to]
		all := maps.Clone(a)
		maps.Copy(all, b)
		for _, path := range slices.Sorted(maps.Keys(all)) {
			was, before := a[path]
			is, after := b[path]
			switch {
			case !before:
				changes = append(changes, executor.Change{Path: path, Kind: executor.Added, Hash: is})
			case !after:
				changes = append(changes, executor.Change{Path: path, Kind: executor.Removed})
			case was != is:
				changes = append(changes, executor.Change{Path: path, Kind: executor.Modified, Hash: is})
			}
		}
	})
	return changes, err
}

func (s *space) Save(_ context.Context, name string, _, found executor.Tree) (ref string, err error) {
	err = s.do("save", func() { ref = fmt.Sprint("refs/", s.run, "/", name, "/", found) })
	return ref, err
}

func (s *space) Restore(_ context.Context, to executor.Tree, paths []string) (after executor.Tree, err error) {
	err = s.do("restore", func() {
		for _, path := range paths {
			s.point("restore " + path)
			if content, ok := s.trees[to][path]; ok {
				s.write(path, content)
			} else {
				s.write(path, "-")
			}
		}
		after = s.store(s.files())
	})
	return after, err
}

func (s *space) Accept(_ context.Context, base, from executor.Tree, paths []string) (name executor.Tree, err error) {
	err = s.do("accept", func() { name = s.store(s.with(s.trees[base], from, paths)) })
	return name, err
}

// with returns files with the paths as a tree has them.
func (s *space) with(files map[string]string, from executor.Tree, paths []string) map[string]string {
	files = maps.Clone(files)
	for _, path := range paths {
		if content, ok := s.trees[from][path]; ok {
			files[path] = content
		} else {
			delete(files, path)
		}
	}
	return files
}

func (s *space) Head(context.Context) (executor.Tree, error) { return s.store(s.head), nil }

func (s *space) Commit(_ context.Context, c executor.Commit) (id string, err error) {
	err = s.do("commit", func() {
		key := fmt.Sprint(s.run, " ", c.Step, " ", c.Attempt)
		if id = s.commits[key]; id != "" {
			return
		}
		s.head = s.with(s.head, c.Tree, c.Paths)
		s.log = append(s.log, s.head)
		id = fmt.Sprint(len(s.log))
		s.commits[key] = id
	})
	return id, err
}

// memory keeps states as JSON.
type memory map[string][]byte

func (m memory) open(point func(what string), saved func(*executor.RunState)) func() executor.Store {
	return func() executor.Store { return &store{m, point, saved} }
}

type store struct {
	memory
	point func(what string)
	saved func(*executor.RunState)
}

func (s *store) Open(ctx context.Context, run string) (*executor.RunState, error) {
	return s.Peek(ctx, run)
}

func (s *store) Peek(_ context.Context, run string) (state *executor.RunState, err error) {
	if b := s.memory[run]; b != nil {
		err = json.Unmarshal(b, &state)
	}
	return state, err
}

func (s *store) Save(_ context.Context, state *executor.RunState) error {
	s.point("before save " + string(state.Step))
	b, err := json.Marshal(state)
	if err != nil {
		return &taxonomy.Evidence{Source: "state", Op: "state_write", Err: err}
	}
	s.memory[state.Task.Run] = b
	s.saved(state)
	s.point("after save " + string(state.Step))
	return nil
}

func (*store) Close() error                                     { return nil }
func (*store) Runs(context.Context) ([]executor.RunInfo, error) { return nil, nil }
