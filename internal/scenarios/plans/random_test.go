package plans_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/executor/plan"
	"github.com/errgen/errgen/runtime/executor/plan/verify"
	"github.com/errgen/errgen/runtime/taxonomy"

	"orchestrator.example.com/runner/errs"
)

// TestDoneMeansVerified plays plans with random tiers, reviewers, checks, failures of git,
// reactions and deaths. Whenever a step is reported as done, its criteria, the gate and the review
// hold on exactly the committed files. Each plan ends.
func TestDoneMeansVerified(t *testing.T) {
	seeds := 400
	if testing.Short() {
		seeds = 60
	}
	ends, total := map[string]int{}, 0
	for seed := range int64(seeds) {
		r := rand.New(rand.NewSource(seed))
		k, p := newKit(t), steps(onePlan(), "2")
		p.Review = r.Intn(3) == 0
		exists := plan.Command{Run: []string{"test", "-e", "two"}}
		p.Steps[1].Criteria = []plan.Criterion{{Path: "two"}, {Command: exists}}
		p.Gate = []plan.Command{{Run: []string{"sh", "-c", "test ! -e broken"}}}
		if r.Intn(3) == 0 {
			table, err := errs.Table.Profile([]taxonomy.ProfileName{"chains", "tasks"}[r.Intn(2)])
			require.NoError(t, err)
			k.cfg.Table = table
		}
		restore := func() {}
		if r.Intn(2) == 0 {
			restore = twist(r)
		}
		reviewed := map[string]bool{} // trees that a review passed
		for _, a := range []*agent{k.haiku, k.sonnet, k.opus} {
			a.do = randomAgent(t, k, r, a, reviewed)
		}
		k.cfg.Facts = &littering{Verifier: k.cfg.Facts, kit: k, random: r}
		for _, op := range []string{"commit", "diff", "save", "restore"} {
			for range r.Intn(2) * r.Intn(3) {
				failure := &taxonomy.Evidence{Source: "git", Op: op, ExitCode: taxonomy.Some(1)}
				k.tree.fails[op] = append(k.tree.fails[op], nil, failure)
			}
		}
		kill := &killer{n: -1}
		if r.Intn(2) == 0 {
			kill.n = 1 + r.Intn(90)
		}
		finished := 0
		k.saved = func(s *executor.RunState) {
			completed := s.Step == "over" && s.End == executor.EndCompleted
			if !completed || strings.Contains(s.Task.Run, ".review") {
				return
			}
			finished++
			i := slices.IndexFunc(p.Steps, func(step plan.Step) bool { return "run."+step.ID == s.Task.ID })
			facts := committed(t, k.tree.head)
			found := append(facts.Criteria(t.Context(), p.Steps[i].Criteria), facts.Gate(t.Context(), p.Gate)...)
			if len(found) > 0 {
				t.Errorf("seed %d: step %s is done, and %s: %v", seed, s.Task.ID, found[0].Text, k.tree.head)
			}
			if p.Review && !reviewed[key(k.tree.head)] {
				t.Errorf("seed %d: step %s is done without a review of %v", seed, s.Task.ID, k.tree.head)
			}
		}
		res := k.play(p, kill)
		restore()
		ends[res.Status]++
		total += finished
		all := !slices.ContainsFunc(res.Steps, func(s plan.StepResult) bool { return s.Status != "completed" })
		require.Equal(t, res.Status == "completed", all, "seed %d", seed)
	}
	t.Log(ends, "steps done:", total)
	require.Len(t, ends, 3, "completed, blocked and failed")
	require.Greater(t, total, seeds/2)
}

func key(files map[string]string) string {
	b, _ := json.Marshal(files) // texts always marshal
	return string(b)
}

// committed returns the facts of a tree of its own with the committed files.
func committed(t *testing.T, head map[string]string) *verify.Facts {
	dir := t.TempDir()
	for path, content := range head {
		require.NoError(t, os.WriteFile(filepath.Join(dir, path), []byte(content), 0o600))
	}
	facts := verify.New(dir)
	return facts
}

func randomAgent(
	t *testing.T, k *kit, r *rand.Rand, a *agent, reviewed map[string]bool,
) func(string) (string, error) {
	return func(prompt string) (string, error) {
		if len(a.calls) > 300 {
			t.Fatal("the plan does not end")
		}
		if strings.HasPrefix(prompt, "Review ") {
			if r.Intn(3) > 0 {
				reviewed[key(k.tree.files())] = true
				return passed, nil
			}
			return []string{"REVIEW FAILED MARK", "It is fine.",
				"```json\n{\"findings\":[{\"type\":\"drift\"}]}\n```\nREVIEW PASSED MARK"}[r.Intn(3)], nil
		}
		quality := r.Intn(3)
		if quality > 0 {
			k.tree.write("out", "done")
			k.tree.write("two", fmt.Sprint(r.Intn(3)))
			k.tree.write("broken", "-")
		}
		if quality == 2 {
			return done, nil
		}
		changes := []string{"out=done", "out=wrong", "two=x", "broken=1", "broken=-", "out=-", "two=-", "litter=-"}
		for _, change := range changes {
			if r.Intn(4) == 0 && quality == 0 {
				path, content, _ := strings.Cut(change, "=")
				k.tree.write(path, content)
			}
		}
		answers := []string{done, done, done, "STEP DONE wrong", "odd" + failed, labelled("AMBIGUITY_ERROR", ""),
			labelled("EXECUTION_ERROR", `, "exit_code": 1`), "cat: a: No such file or directory" + failed,
			labelled("X", "") + "\nSTEP DONE MARK", ""}
		errors := []error{nil, nil, nil, nil, nil, nil, away(429), fmt.Errorf("oh"),
			&taxonomy.Evidence{Source: "p", Op: "call", Type: "timeout"}}
		return answers[r.Intn(len(answers))], errors[r.Intn(len(errors))]
	}
}

// littering are facts whose checks change files now and then.
type littering struct {
	plan.Verifier
	*kit
	random *rand.Rand
}

func (l *littering) Gate(ctx context.Context, gate []plan.Command) []*taxonomy.Evidence {
	l.point("before the gate")
	found := l.Verifier.Gate(ctx, gate)
	if l.random.Intn(6) == 0 {
		l.tree.write([]string{"litter", "out", "broken"}[l.random.Intn(3)], "by a check")
	}
	l.point("after the gate")
	return found
}

// twist gives the taxonomy random reactions, until restore.
func twist(r *rand.Rand) (restore func()) {
	restore = func() {}
	change := func(traits *taxonomy.Traits) {
		was, undo := traits.Reaction, restore
		if was == nil || r.Intn(2) == 0 {
			return
		}
		restore = func() { undo(); traits.Reaction = was }
		traits.Reaction = &taxonomy.Reaction{
			Name: "twisted", Action: taxonomy.Action(r.Intn(7)),
			Agent: taxonomy.AgentReaction{Revert: taxonomy.Revert(r.Intn(3)), AcceptCompletion: r.Intn(2) == 0,
				FeedBack: true, Session: taxonomy.Session(r.Intn(3))},
			Policy: &taxonomy.Policy{Name: "p", MaxAttempts: 1 + r.Intn(3), InitialDelay: time.Second},
			Then:   &taxonomy.Reaction{Name: "then", Action: taxonomy.Action(r.Intn(7))},
		}
	}
	for _, code := range errs.Table.Taxonomy.Codes() {
		change(&code.Traits)
		for i := range code.When {
			change(&code.When[i])
		}
	}
	return restore
}
