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

func (v byContent) Validate(_ context.Context, phase executor.Phase) error {
	path := faultyFiles[phase]
	content := v.tree.files[path]
	if !odd(content) {
		return nil
	}
	return &taxonomy.Evidence{Source: "validator", Op: "validate_" + string(phase), Type: "exit", Text: content,
		Files: []string{path}}
}

type byChance struct {
	byContent
	fails func(executor.Phase) error
}

func (v byChance) Validate(ctx context.Context, phase executor.Phase) error {
	return errors.Join(v.fails(phase), v.byContent.Validate(ctx, phase))
}

type byBudget func() error

func (b byBudget) Allow(context.Context, executor.Bill) error { return b() }

// memJournal keeps entries as a file would: as JSON.
type memJournal struct {
	lines [][]byte
	fails func() error
}

func (j *memJournal) Open(context.Context, string) ([]executor.Entry, error) {
	var out []executor.Entry
	for _, line := range j.lines {
		var e executor.Entry
		if err := json.Unmarshal(line, &e); err != nil {
			return nil, err
		}
		out = append(out, e)
	}
	return out, nil
}

func (j *memJournal) Append(_ context.Context, e executor.Entry) error {
	if j.fails != nil {
		if err := j.fails(); err != nil {
			return err
		}
	}
	b, err := json.Marshal(e)
	if err != nil {
		return err
	}
	j.lines = append(j.lines, b)
	return nil
}

func (j *memJournal) Close() error { return nil }
