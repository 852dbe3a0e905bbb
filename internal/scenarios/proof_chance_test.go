package scenarios_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// obedience notes what must not follow a reaction.
type obedience struct {
	tree *memTree
	over string // why there must be no further call
}

func (o *obedience) Observe(e executor.Event) {
	switch e.Kind {
	case executor.RunStarted:
		o.over = ""
	case executor.CallStarted:
		if o.over != "" {
			o.tree.violated("a call after %s", o.over)
		}
	case executor.ReactionTaken:
		guards := slices.Contains([]string{"detect_changes", "save", "revert", "scope", "ask"}, e.Op)
		if guards && e.Action == taxonomy.Continue {
			o.tree.violated("%s failed, and the run goes on", e.Op)
		}
		// A conversation that fails without a category is called once more, whatever the reaction.
		beside := e.Op == "file_task" || e.Op == "notify" || e.Op == "call" && taxonomy.CodeOf(e.Err) == ""
		if stops := e.Action == taxonomy.Abort || e.Action == taxonomy.Block; stops && !beside {
			o.over = e.Op + " " + e.Action.String()
		}
	}
}

// consent is a person who says yes to files that are called so.
type consent struct{ tree *memTree }

func (c consent) Ask(_ context.Context, q executor.Question) (bool, error) {
	for _, path := range q.Paths {
		if !strings.HasSuffix(path, "yes") {
			return false, nil
		}
	}
	for _, path := range q.Paths {
		c.tree.approved[path] = true
		c.tree.allow(path, c.tree.files[path])
	}
	return true, nil
}

// byContent finds fault with some files, each before another step: with what odd turns have
// written.
type byContent struct{ tree *memTree }

var faultyFiles = map[executor.Phase]string{executor.PreCommit: "src/bad", executor.PrePush: "src/b",
	executor.PrePR: "src/c"}

func (v byContent) Validate(_ context.Context, c executor.Check) error {
	path := faultyFiles[c.Phase]
	content := v.tree.files[path]
	if !odd(content) {
		return nil
	}
	return &taxonomy.Evidence{Source: "validator", Op: "validate_" + string(c.Phase), Type: "exit", Text: content,
		Files: []string{path}}
}

type byChance struct {
	byContent
	fails func(executor.Phase) error
}

func (v byChance) Validate(ctx context.Context, c executor.Check) error {
	return errors.Join(v.fails(c.Phase), v.byContent.Validate(ctx, c))
}

type byBudget func() error

func (b byBudget) Allow(context.Context, executor.Bill) error { return b() }

// memStore keeps a state as a file would: as JSON.
type memStore struct {
	state []byte
	fails func() error
}

func (m *memStore) Open(ctx context.Context, run string) (*executor.RunState, error) {
	return m.Peek(ctx, run)
}
func (m *memStore) Close() error                                     { return nil }
func (m *memStore) Runs(context.Context) ([]executor.RunInfo, error) { return nil, nil }

func (m *memStore) Peek(context.Context, string) (s *executor.RunState, err error) {
	if m.state != nil {
		err = json.Unmarshal(m.state, &s)
	}
	return s, err
}

func (m *memStore) Save(_ context.Context, s *executor.RunState) (err error) {
	if m.fails != nil {
		if err := m.fails(); err != nil {
			return err
		}
	}
	m.state, err = json.Marshal(s)
	return err
}
