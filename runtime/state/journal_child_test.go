package state

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strconv"
	"testing"
	"time"

	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// JournalChild returns a process that goes on with the runs in a file until it dies, or that holds
// one, if that is named.
func JournalChild(t testing.TB, path string, hold ...string) *exec.Cmd {
	return childCommand(t, "journal", append([]string{path}, hold...)...)
}

// journalChild writes the entries of one run after another, as an executor would, says each that
// was acknowledged, and dies at a random moment soon after one of them. A run that somebody has
// left is gone on with first.
func journalChild(args []string) error {
	ctx := context.Background()
	s, err := Open(ctx, args[0], Options{})
	if err != nil {
		return err
	}
	if len(args) > 1 {
		if _, err := s.Journal().Open(ctx, args[1]); err != nil {
			return err
		}
		fmt.Println("held")
		_, err := os.Stdin.Read(make([]byte, 1))
		return err
	}
	left := rand.N(2 * len(storyOf("")))
	acknowledged := func() {
		if left--; left < 0 {
			time.AfterFunc(rand.N(3*time.Millisecond), dieNow)
		}
	}
	for {
		name, err := nextRun(ctx, s)
		if err != nil {
			return err
		}
		if err := goOn(ctx, s, name, acknowledged); err != nil {
			return err
		}
	}
}

func dieNow() {
	if self, err := os.FindProcess(os.Getpid()); err == nil {
		_ = self.Kill()
	}
}

// nextRun returns the run to go on with, or to begin.
func nextRun(ctx context.Context, s *Store) (string, error) {
	runs, err := s.Unfinished(ctx)
	if err != nil {
		return "", err
	}
	if len(runs) > 1 {
		return "", fmt.Errorf("%d runs are not ended", len(runs))
	}
	if len(runs) == 1 {
		return runs[0].Name, nil
	}
	n := 0
	err = s.query(ctx, "count", "SELECT count(*) FROM runs", nil, func(r row) error { return r.Scan(&n) })
	return "run-" + strconv.Itoa(n), err
}

// goOn brings a run to its end, and calls acknowledged after each entry.
func goOn(ctx context.Context, s *Store, run string, acknowledged func()) error {
	j := s.Journal()
	entries, err := j.Open(ctx, run)
	if err != nil {
		return err
	}
	story := storyOf(run)
	for n := len(entries); n < len(story); n++ {
		if err := j.Append(ctx, story[n]); err != nil {
			return err
		}
		fmt.Println(run, n+1)
		acknowledged()
	}
	return j.Close()
}

// storyOf returns all entries of a run: three iterations, of which the second was interrupted.
func storyOf(run string) []executor.Entry {
	var story []executor.Entry
	add := func(e executor.Entry) {
		e.At = time.Date(2026, 1, 2, 3, 4, len(story), 0, time.UTC)
		story = append(story, e)
	}
	usage := executor.Usage{InputTokens: taxonomy.Some(int64(10)), OutputTokens: taxonomy.Some(int64(3)),
		CostUSD: taxonomy.Some(0.07)}
	add(executor.Entry{Point: executor.PointBegun,
		Begun: &executor.Begun{Version: 1, Run: run, Task: "task of " + run}})
	for n := 1; n <= 3; n++ {
		add(executor.Entry{Point: executor.PointStarted, Iteration: n,
			Started: &executor.Started{Call: 1, Provider: "p"}})
		if n != 2 {
			add(executor.Entry{Point: executor.PointAnswered, Iteration: n,
				Answered: &executor.Answered{Call: 1, Text: "done", Usage: usage}})
		}
		rec := executor.ErrorRecord{Iteration: n, Op: "call", Code: "C", Message: "no"}
		closed := &executor.Closed{Count: n == 1, Clean: n == 3}
		if n < 3 {
			closed.Errors, closed.LastError = []executor.ErrorRecord{rec}, &rec
		}
		add(executor.Entry{Point: executor.PointClosed, Iteration: n, Closed: closed})
	}
	add(executor.Entry{Point: executor.PointEnded, Iteration: 3,
		Ended: &executor.Result{Status: executor.StatusCompleted, EndReason: executor.EndCompleted}})
	return story
}
