package plans_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/executor/plan"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// killer ends the process at its n-th point: its goroutine exits, so that nothing else of it
// happens.
type killer struct {
	n, at int
	what  string
	dead  bool
}

func (k *killer) point(what string) {
	if k.at++; k.at == k.n {
		k.what, k.dead = what, true
	}
	if k.dead {
		runtime.Goexit()
	}
}

// outcome is what must be the same, wherever the process was killed.
func (k *kit) outcome(res *plan.Result) string {
	var steps []string
	for _, s := range res.Steps {
		steps = append(steps, fmt.Sprint(s.ID, " ", s.Status, " ", s.Tier, " ", s.Instructions, " ", len(s.Commits)))
	}
	b, _ := json.Marshal([]any{res.Status, steps, k.tree.files(), k.tree.head, len(k.tree.log)}) // plain data
	return string(b)
}

// play carries out a plan in as many processes as that takes, and answers a question.
func (k *kit) play(p *plan.Plan, kill *killer) *plan.Result {
	k.t.Helper()
	k.point = kill.point
	var answer *plan.Answer
	for range 10 {
		res, died := k.process(p, answer, kill)
		switch {
		case died:
			kill.dead, kill.n = false, -1
		case res.Question != nil && answer == nil:
			answer = &plan.Answer{Step: res.Question.Step, Text: "It is 500 cents."}
		default:
			return res
		}
	}
	k.t.Fatal("the plan does not end")
	return nil
}

// process is one process, and reports whether it died.
func (k *kit) process(p *plan.Plan, answer *plan.Answer, kill *killer) (res *plan.Result, died bool) {
	var err error
	over := make(chan struct{})
	go func() {
		defer close(over)
		var r *plan.Runner
		if r, err = plan.New(k.cfg); err != nil {
			return
		}
		if answer != nil {
			res, err = r.Answer(context.Background(), "run", p, *answer)
		} else {
			res, err = r.Run(context.Background(), "run", p)
		}
	}()
	<-over
	if kill.dead {
		k.died()
	} else {
		require.NoError(k.t, err)
	}
	return res, kill.dead
}

// scenes are plans whose outcome does not depend on where a process was killed.
func scenes() map[string]func(t *testing.T) (*kit, *plan.Plan) {
	return map[string]func(t *testing.T) (*kit, *plan.Plan){
		"walk": walk,
		"reviewed walk": func(t *testing.T) (*kit, *plan.Plan) {
			k, p := walk(t)
			p.Review = true
			k.sonnet.reviewed()
			k.opus.reviewed()
			return k, p
		},
		"limited": func(t *testing.T) (*kit, *plan.Plan) {
			k, p := walk(t)
			work, until := k.haiku.do, k.clock.now.Add(5*time.Minute)
			k.haiku.do = func(prompt string) (string, error) {
				if left := until.Sub(k.clock.now); left > 0 {
					return "", &taxonomy.Evidence{Source: "p", Op: "call", Status: 429, RetryAfter: taxonomy.Some(left)}
				}
				return work(prompt)
			}
			return k, p
		},
		"the same error three times": func(t *testing.T) (*kit, *plan.Plan) {
			k, p := newKit(t), onePlan()
			for _, id := range []string{"2", "3", "4"} {
				steps(p, id)
				p.Steps[len(p.Steps)-1].Criteria = []plan.Criterion{{Path: "out" + id}}
			}
			k.haiku.do = k.writes("bash: fd: command not found"+failed, "half=x")
			k.sonnet.do = func(prompt string) (string, error) {
				for _, id := range []string{"", "2", "3", "4"} {
					if strings.Contains(prompt, "out"+id+" exists") {
						k.tree.write("out"+id, "done")
					}
				}
				return done, nil
			}
			return k, p
		},
		"review finds": func(t *testing.T) (*kit, *plan.Plan) {
			k, p := newKit(t), onePlan()
			p.Review = true
			k.haiku.do = k.writes(done, "out=done", "extra=x")
			for _, a := range []*agent{k.sonnet, k.opus} {
				a.do = func(prompt string) (string, error) {
					switch {
					case !strings.HasPrefix(prompt, "Review "):
						k.tree.write("out", "done")
						return done, nil
					case k.tree.files()["extra"] != "":
						return "```json\n{\"findings\": [{\"type\": \"drift\"}]}\n```\nREVIEW FAILED MARK", nil
					}
					return passed, nil
				}
			}
			return k, p
		},
		"question": func(t *testing.T) (*kit, *plan.Plan) {
			k, p := walk(t)
			work := k.haiku.do
			k.haiku.do = func(prompt string) (string, error) {
				if strings.Contains(prompt, "500 cents") {
					k.tree.write("r.md", "# Tests\n\n# Prices\n\ncents\n")
					return done, nil
				}
				if !strings.Contains(prompt, "Write out.") {
					k.tree.write("half", "x")
				}
				return work(prompt)
			}
			k.sonnet.do = says(labelled("AMBIGUITY_ERROR", `, "needed": "the price"`))
			k.opus.do = k.writes(labelled("AMBIGUITY_ERROR", `, "needed": "the price"`), "half=y")
			return k, p
		},
	}
}

// labelled is the report of a failure with a label.
func labelled(label, more string) string {
	return "I saw it.\n```json\n{\"label\": \"" + label + "\"" + more + "}\n```" + failed
}

// walk is the walkthrough of O21: the second step names a file that does not exist.
func walk(t *testing.T) (*kit, *plan.Plan) {
	k, p := newKit(t), onePlan()
	p.Steps[0].ID = "2.2"
	p.Steps = append(p.Steps, plan.Step{ID: "2.3", Title: "Two", Instructions: "Read CLAUDE.md, and write r.md.",
		Criteria: []plan.Criterion{{Path: "r.md", Sections: []string{"Tests", "Prices"}, Matches: "cents"}}})
	k.haiku.do = func(prompt string) (string, error) {
		if strings.Contains(prompt, "Read CLAUDE.md") {
			return "Error: File not found - CLAUDE.md referenced in plan but file doesn't exist" + failed, nil
		}
		k.tree.write("out", "done")
		return done, nil
	}
	k.sonnet.do = func(string) (string, error) {
		k.tree.write("r.md", "# Tests\n\ngo test\n\n# Prices\n\ncents\n")
		return "It is AGENTS.md.\n```json\n{\"instructions\": \"Read AGENTS.md, and write r.md.\"}\n```\n" + done, nil
	}
	return k, p
}

// TestKilledAnywhere kills the process of each scene at each point: before and after each operation
// on the tree, each save, and each call. With -short it takes a sample.
func TestKilledAnywhere(t *testing.T) {
	stride := 1
	if testing.Short() {
		stride = 7
	}
	for _, name := range slices.Sorted(maps.Keys(scenes())) {
		t.Run(strings.ReplaceAll(name, " ", "_"), func(t *testing.T) {
			t.Parallel()
			k, p := scenes()[name](t)
			count := &killer{n: -1}
			want := k.outcome(k.play(p, count))
			for n := 1; n <= count.at; n += stride {
				k, p := scenes()[name](t)
				kill := &killer{n: n}
				got := k.outcome(k.play(p, kill))
				require.Equal(t, want, got, "killed at point %d of %d: %s", n, count.at, kill.what)
			}
			t.Logf("%d points: %s", count.at, want)
		})
	}
}
