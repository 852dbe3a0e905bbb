package escalate_test

import (
	"fmt"
	"maps"
	"runtime"

	"github.com/stretchr/testify/assert"

	"github.com/errgen/errgen/runtime/escalate"
	"github.com/errgen/errgen/runtime/executor"
)

// memoryCommit is a commit of a working tree in memory.
type memoryCommit struct {
	executor.CommitDone
	attempt int
	// files is all that the repository has then.
	files map[string]string
}

// commit adds a commit, which is found by the number of its call.
func (t *memoryTree) commit(c executor.Commit) executor.CommitDone {
	done := executor.CommitDone{ID: fmt.Sprintf("commit%d", len(t.history)+1), Paths: c.Paths}
	files := map[string]string{}
	if n := len(t.history); n > 0 {
		files = maps.Clone(t.history[n-1].files)
	}
	for _, path := range c.Paths {
		if content, ok := t.trees[c.Checked][path]; ok {
			files[path] = content
		} else {
			delete(files, path)
		}
	}
	t.history = append(t.history, memoryCommit{done, c.Attempt, files})
	return done
}

// disturbCommit sometimes has the world end, or break, when a commit is made already and nobody
// knows that.
func (c *worldCase) disturbCommit() {
	switch c.rand.IntN(20) {
	case 0:
		c.tell("cancelled in a commit")
		c.cancel()
	case 1:
		c.tell("died in a commit")
		runtime.Goexit()
	case 2:
		c.tell("a commit is made, and fails")
		c.tree.fails["commit_end"]++
	case 3:
		c.tell("a commit is made, fails and cannot be looked for")
		c.tree.fails["commit_end"]++
		c.tree.fails["committed"] += 1 + c.rand.IntN(2)
	}
}

// unsure reports that it could not be found out in this round whether a commit was made. Then
// everything stays as it is.
func (c *worldCase) unsure() bool { return c.tree.failed["committed"] }

// judgeCommits finds out whether what counts is committed, once, and nothing else is.
func (c *worldCase) judgeCommits(res *escalate.Result) {
	if !c.cfg.Commit {
		assert.Empty(c.t, c.tree.history)
		return
	}
	counting := map[string]bool{}
	for i, s := range res.Steps {
		if s.State != escalate.StepDone || len(s.Files) == 0 {
			assert.Empty(c.t, s.Commit, "step %s is %s and has changed %v", s.ID, s.State, s.Files)
			continue
		}
		assert.NotEmpty(c.t, s.Commit, "step %s is done", s.ID)
		counting[s.Commit] = true
		for _, made := range c.tree.history {
			if made.ID != s.Commit {
				continue
			}
			assert.Equal(c.t, s.Files, made.Paths)
			assert.NotContains(c.t, made.files, "bad.go", "the gate fails")
			if path := c.plan.Steps[i].Criteria[0].Path; c.hers[path] == "" {
				assert.Contains(c.t, made.files[path], "found", "step %s is done", s.ID)
			}
		}
	}
	if c.unsure() {
		return
	}
	for _, made := range c.tree.history {
		assert.True(c.t, counting[made.ID], "%s of call %d counts", made.ID, made.attempt)
	}
	assert.Len(c.t, counting, len(c.tree.history))
}
