package state

import (
	"bytes"
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/internal/filelock"
	"github.com/errgen/errgen/runtime/retry"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// RunStore returns a store for an executor. It serves one run at a time; several of them can be used
// concurrently. The run's task is running until the run is over, and then has its status; a run that
// was cancelled leaves it pending.
func (s *Store) RunStore() executor.Store { return &runStore{s: s} }

type runStore struct {
	s    *Store
	held *filelock.Named
}

// Open implements [executor.Store]. A state that cannot be read is evidence of op "resume", type
// "refused".
func (r *runStore) Open(ctx context.Context, run string) (*executor.RunState, error) {
	if r.held != nil {
		return nil, evidence("executor", executor.OpLock, r.s.path, errors.New("the store has another run open"))
	}
	held, err := r.s.lock(ctx, r.s.locks(), run, "run "+run)
	if err != nil {
		return nil, err
	}
	st, err := r.Peek(ctx, run)
	if err != nil {
		return nil, errors.Join(err, held.Release())
	}
	r.held = held
	return st, nil
}

// Peek implements [executor.Store].
func (r *runStore) Peek(ctx context.Context, run string) (*executor.RunState, error) {
	found, err := list(ctx, r.s, "read run "+run, "SELECT state FROM runs WHERE run = ?", []any{run},
		func(row row) (st *executor.RunState, err error) {
			var body []byte
			if err := row.Scan(&body); err != nil {
				return nil, err
			}
			if err := json.Unmarshal(body, &st); err != nil {
				ev := evidence("executor", executor.OpResume, r.s.path, fmt.Errorf("read the state of run %s: %w", run, err))
				ev.Type = "refused"
				return nil, ev
			}
			return st, nil
		})
	if err != nil || len(found) == 0 {
		return nil, err
	}
	return found[0], nil
}

// Close implements [executor.Store].
func (r *runStore) Close() error {
	c := Claim{r.s, r.held}
	r.held = nil
	return c.Release()
}

// Runs implements [executor.Store].
func (r *runStore) Runs(ctx context.Context) ([]executor.RunInfo, error) {
	all, err := r.s.Runs(ctx, "")
	infos := make([]executor.RunInfo, len(all))
	for i := range all {
		infos[i] = all[i].RunInfo
	}
	return infos, err
}

// Save implements [executor.Store]. The state and what the other tables show of it are one
// transaction.
func (r *runStore) Save(ctx context.Context, st *executor.RunState) error {
	body, err := json.Marshal(st)
	if err == nil {
		body, err = maskJSON(body)
	}
	if err == nil {
		err = checkTask(st.Task.ID)
	}
	if err != nil {
		return r.s.failed("state_write", "save run "+st.Task.Run, err)
	}
	return r.s.write(ctx, "save run "+st.Task.Run, func(t *tx) error {
		p := projection{tx: t, st: st, run: st.Task.Run, at: stamp(st.Now)}
		return p.save(string(body))
	})
}

// maskJSON masks the secrets in the texts of a state. Names, trees and marks do not look like
// secrets, so they stay.
func maskJSON(b []byte) ([]byte, error) {
	if s := string(b); taxonomy.Redact(s) == s && !bytes.ContainsRune(b, '\\') {
		return b, nil
	}
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return nil, err
	}
	return json.Marshal(maskValue(v))
}

func maskValue(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for key, member := range v {
			v[key] = maskValue(member)
		}
	case []any:
		for i, member := range v {
			v[i] = maskValue(member)
		}
	case string:
		return taxonomy.Redact(v)
	}
	return v
}

// projection writes a state and the rows that follow from it.
type projection struct {
	*tx
	st      *executor.RunState
	run, at string
}

const (
	addTask = "INSERT INTO tasks (task_id) VALUES (?) ON CONFLICT DO NOTHING"
	putRun  = `INSERT INTO runs (run, task_id, generation, begun_at, updated_at, ended_at, end_reason, question, phase,
		iteration, tier, failures, counted, not_before, deadline, dir, taxonomy, calls, input_tokens, output_tokens,
		cost_microusd, unknown_tokens, unknown_cost, saves, state)
		VALUES (?, ?2, (SELECT generation FROM tasks WHERE task_id = ?2), ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?,
		?, ?, ?, ?, ?)
		ON CONFLICT (run) DO UPDATE SET updated_at = excluded.updated_at, ended_at = excluded.ended_at,
		end_reason = excluded.end_reason, question = excluded.question, phase = excluded.phase,
		iteration = excluded.iteration, tier = excluded.tier, failures = excluded.failures, counted = excluded.counted,
		not_before = excluded.not_before, deadline = excluded.deadline, dir = excluded.dir, taxonomy = excluded.taxonomy,
		calls = excluded.calls, input_tokens = excluded.input_tokens, output_tokens = excluded.output_tokens,
		cost_microusd = excluded.cost_microusd, unknown_tokens = excluded.unknown_tokens,
		unknown_cost = excluded.unknown_cost, saves = excluded.saves, state = excluded.state
		WHERE runs.saves < excluded.saves AND runs.task_id = excluded.task_id`
	// putStatus sets the status of the task, unless it was reset since the run began.
	putStatus = `UPDATE tasks SET status = ?1, completed_at = ?2,
		started_at = iif(?1 = 'running' AND status <> 'running', ?3, started_at)
		WHERE (task_id, generation) = (SELECT task_id, generation FROM runs WHERE run = ?4)
		AND (status <> ?1 OR completed_at IS NOT ?2)`
)

func (p *projection) save(body string) error {
	st := p.st
	if _, err := p.exec(addTask, st.Task.ID); err != nil {
		return err
	}
	var ended, reason sql.Null[string]
	status, completed := TaskRunning, sql.Null[string]{}
	if st.Step == executor.StepOver {
		ended, reason = optionalStamp(cmp.Or(st.Ended, st.Now)), column(string(st.End))
		status, completed = TaskStatus(st.End.Status()), ended
		if st.End == executor.EndCancelled || st.End == executor.EndDryRun {
			status, completed = TaskPending, sql.Null[string]{}
		}
	}
	u := st.Spent.Usage
	saved, err := p.changed(putRun, p.run, st.Task.ID, stamp(st.Began), p.at, ended, reason, head(st.Question, maxError),
		string(st.Step), st.Iter.Number, st.Tier, st.Failures, st.Counted, optionalStamp(st.NotBefore),
		optionalStamp(st.Deadline), head(st.Dir, maxError), name(st.Taxonomy), st.Spent.Calls, u.InputTokens.Or(0),
		u.OutputTokens.Or(0), microUSD(u.CostUSD).V, st.Spent.UnknownTokens, st.Spent.UnknownCost, st.Saves, body)
	if err != nil {
		return err
	}
	if !saved {
		return errors.New("the stored state is newer, or of another task")
	}
	if _, err := p.exec(putStatus, string(status), completed, p.at, p.run); err != nil {
		return err
	}
	if st.Iter.Open {
		return p.call()
	}
	if err := p.attempt(); err != nil {
		return err
	}
	return p.lists()
}

const putCall = `INSERT INTO calls (run, iteration, call, started_at, ended_at, provider, tier, lane, input_tokens,
	output_tokens, cost_microusd, code, retry_of, policy, attempt, wait_seconds)
	VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
	ON CONFLICT (run, iteration, call) DO UPDATE SET ended_at = excluded.ended_at, provider = excluded.provider,
	lane = excluded.lane, input_tokens = excluded.input_tokens, output_tokens = excluded.output_tokens,
	cost_microusd = excluded.cost_microusd, code = excluded.code WHERE ended_at IS NULL`

// call writes the row of the open iteration's last call: before it begins, and at the first save
// after it ended. Its cost is that of the iteration without the earlier calls.
func (p *projection) call() error {
	st, it := p.st, &p.st.Iter
	if it.Calls == 0 {
		return nil
	}
	var began string
	var rows, failed int
	var known [3]int64 // rows with a number of input tokens, output tokens, a cost
	var sums [3]int64
	err := p.scan(`SELECT coalesce(max(iif(call = ?3, started_at, '')), ''), count(*) FILTER (WHERE call <> ?3),
		count(code) FILTER (WHERE call <> ?3), count(input_tokens) FILTER (WHERE call <> ?3),
		count(cost_microusd) FILTER (WHERE call <> ?3), coalesce(sum(iif(call = ?3, 0, input_tokens)), 0),
		coalesce(sum(iif(call = ?3, 0, output_tokens)), 0), coalesce(sum(iif(call = ?3, 0, cost_microusd)), 0)
		FROM calls WHERE run = ?1 AND iteration = ?2`, []any{p.run, it.Number, it.Calls}, &began, &rows, &failed,
		&known[0], &known[2], &sums[0], &sums[1], &sums[2])
	if err != nil {
		return err
	}
	var retryOf, policy, ended, code, provider, lane sql.Null[string]
	var attempt sql.Null[int]
	var wait sql.Null[float64]
	if f := st.Retried; f != nil {
		retryOf = name(cmp.Or(f.Code, executor.Uncategorized))
		attempt = sql.Null[int]{V: f.Decision.Attempt + 1, Valid: true}
		wait = sql.Null[float64]{V: f.Decision.Wait.Seconds(), Valid: true}
		if f.Decision.Reaction.Policy != nil {
			policy = name(f.Decision.Reaction.Policy.Name)
		}
	}
	var in, out, cost sql.Null[int64]
	if st.Step != executor.StepCall && !it.Interrupted {
		ended = column(p.at)
		u := it.Spent.Usage
		if it.Spent.UnknownTokens <= rows-int(known[0]) {
			in = sql.Null[int64]{V: u.InputTokens.Or(0) - sums[0], Valid: true}
			out = sql.Null[int64]{V: u.OutputTokens.Or(0) - sums[1], Valid: true}
		}
		if it.Spent.UnknownCost <= rows-int(known[2]) {
			cost = sql.Null[int64]{V: max(0, microUSD(u.CostUSD).V-sums[2]), Valid: true}
		}
		for i := range it.Failures {
			f := &it.Failures[i]
			if f.Op != executor.OpCall {
				continue
			}
			if failed--; failed < 0 {
				code, provider, lane = name(cmp.Or(f.Code, executor.Uncategorized)), name(f.Source), name(f.Credential)
			}
		}
	}
	_, err = p.exec(putCall, p.run, it.Number, it.Calls, cmp.Or(began, p.at), ended, provider, st.Tier, lane, in, out,
		cost, code, retryOf, policy, attempt, wait)
	return err
}

// attempt writes the row of the iteration that was closed last, and its errors. A row that exists
// stays.
func (p *projection) attempt() error {
	st, n := p.st, p.st.Iter.Number
	var exists int
	err := p.scan("SELECT count(*) FROM attempts WHERE run = ? AND iteration = ?", []any{p.run, n}, &exists)
	if err != nil || n == 0 || exists > 0 {
		return err
	}
	a := Attempt{Task: st.Task.ID, Run: p.run, Iteration: n, At: st.Now, Outcome: Failed,
		Counted: taxonomy.Some(false)}
	var began sql.Null[string]
	var in, out, cost sql.Null[int64]
	var answered bool
	var tier sql.Null[int]
	err = p.scan(`SELECT min(started_at), count(*), iif(count(input_tokens) = count(*), sum(input_tokens), NULL),
		iif(count(output_tokens) = count(*), sum(output_tokens), NULL),
		iif(count(cost_microusd) = count(*), sum(cost_microusd), NULL),
		coalesce(max(ended_at IS NOT NULL AND code IS NULL), 0), max(tier),
		(SELECT generation FROM runs WHERE run = ?1) FROM calls WHERE run = ?1 AND iteration = ?2`, []any{p.run, n},
		&began, &a.calls, &in, &out, &cost, &answered, &tier, &a.Generation)
	if err != nil {
		return err
	}
	var start time.Time
	if err := times(map[*time.Time]sql.Null[string]{&start: began}); err != nil {
		return err
	}
	if !start.IsZero() {
		a.Duration = max(0, st.Now.Sub(start))
	}
	a.Usage, a.Tier = usage(in, out, cost), opt(tier)
	if answered {
		a.Output = st.Text
	}
	p.describe(&a)
	for _, f := range st.Feedback {
		if f.Iteration == n {
			a.Feedback += f.Text + "\n\n"
		}
	}
	if _, err := p.insertAttempt(p.s.completed(a)); err != nil {
		return err
	}
	return p.errors(n)
}

// describe fills in how an attempt ended: its outcome, and the error that decided.
func (p *projection) describe(a *Attempt) {
	st := p.st
	var last *executor.ErrorRecord
	for i := range st.Errors {
		rec := &st.Errors[i]
		if rec.Iteration != a.Iteration {
			continue
		}
		if rec.Counted {
			a.Counted = taxonomy.Some(true)
		}
		if rec.Op == executor.OpResume {
			a.Outcome = Interrupted
		}
		if !rec.Retried {
			last = rec
		}
		if rec.Op == executor.OpCall {
			a.Provider = rec.Source
		}
	}
	if st.LastError != nil && st.LastError.Iteration == a.Iteration {
		last = st.LastError
	}
	switch {
	case st.Iter.Cancelled:
		a.Outcome, a.Action, last = Cancelled, "cancelled", nil
	case st.End == executor.EndBlockedSignal:
		a.Outcome, last = Question, nil
	case st.LastError == nil && a.Outcome != Interrupted:
		a.Success, last = true, nil
	}
	if last != nil {
		a.Error, a.CodeAsWritten, a.Category = last.Message, last.Code, last.Category
		a.Reaction, a.Action = last.Reaction, last.Action
	}
}

// errors writes the errors of an iteration, and those of setups.
func (p *projection) errors(iteration int) error {
	_, err := p.exec("DELETE FROM errors WHERE run = ? AND iteration IN (0, ?)", p.run, iteration)
	for i := range p.st.Errors {
		rec := &p.st.Errors[i]
		if err != nil || rec.Iteration != 0 && rec.Iteration != iteration {
			continue
		}
		details := sql.Null[string]{}
		if b, err := maskJSON(rec.Details); err == nil && len(b) > 0 {
			details = column(string(b))
		}
		_, err = p.exec(`INSERT INTO errors (run, iteration, seq, tier, op, source, code, category, message, rule,
			reaction, action, counted, retried, fingerprint, details) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
			p.run, rec.Iteration, i, rec.Tier, name(rec.Op).V, name(rec.Source).V, name(rec.Code), name(rec.Category),
			head(rec.Message, maxError).V, name(rec.Why), name(rec.Reaction), name(rec.Action), rec.Counted, rec.Retried,
			name(rec.Fingerprint), details)
	}
	return err
}

// lists writes the commits, waits and refs that have no rows yet. The lists of the state are bounded,
// so their rows are, too.
func (p *projection) lists() error {
	st := p.st
	var commits, waits, refs int
	err := p.scan(`SELECT (SELECT count(*) FROM commits WHERE run = ?1), (SELECT count(*) FROM waits WHERE run = ?1),
		(SELECT count(*) FROM refs WHERE run = ?1)`, []any{p.run}, &commits, &waits, &refs)
	if err != nil {
		return err
	}
	for _, c := range st.Commits[min(commits, len(st.Commits)):] {
		list, err := paths(c.Paths)
		if err == nil {
			_, err = p.exec("INSERT INTO commits (run, id, iteration, paths) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING",
				p.run, c.ID, st.Iter.Number, cmp.Or(list.V, "[]"))
		}
		if err != nil {
			return err
		}
	}
	for i := waits; i < len(st.Waits); i++ {
		w := st.Waits[i]
		_, err := p.exec("INSERT INTO waits (run, seq, iteration, reason, seconds) VALUES (?, ?, ?, ?, ?)", p.run, i,
			w.Iteration, name(w.For).V, time.Duration(w.Took).Seconds())
		if err != nil {
			return err
		}
	}
	for _, ref := range st.Refs[min(refs, len(st.Refs)):] {
		if _, err := p.exec("INSERT INTO refs (run, ref) VALUES (?, ?) ON CONFLICT DO NOTHING", p.run, ref); err != nil {
			return err
		}
	}
	return nil
}

// Run describes a run.
type Run struct {
	executor.RunInfo
	// Generation is that of the task when the run began.
	Generation int
	// Began and Ended are its times; Ended is zero if the run can be resumed.
	Began, Ended time.Time
	Spent        executor.Spending
	// Holder is the process that has the run, nil if none has, such as after a kill.
	Holder *Holder
}

// Runs returns the runs of a task, or all runs if it is empty, the latest first.
func (s *Store) Runs(ctx context.Context, task string) ([]Run, error) {
	return s.runs(ctx, "(?1 = '' OR task_id = ?1)", task)
}

// Unfinished returns the runs that are not over, the latest first. An executor that gets the name of
// one resumes it.
func (s *Store) Unfinished(ctx context.Context) ([]Run, error) {
	return s.runs(ctx, "ended_at IS NULL AND ?1 = ''", "")
}

func (s *Store) runs(ctx context.Context, where, task string) ([]Run, error) {
	return list(ctx, s, "list the runs", `SELECT run, task_id, generation, coalesce(json_extract(state, '$.task.title'), ''),
		coalesce(dir, ''), phase, coalesce(end_reason, ''), iteration, coalesce(question, ''),
		coalesce(json_extract(state, '$.uncommitted'), '[]'), begun_at, updated_at, ended_at, calls, input_tokens,
		output_tokens, cost_microusd, unknown_tokens, unknown_cost
		FROM runs WHERE `+where+` ORDER BY begun_at DESC, run`, []any{task}, func(r row) (run Run, err error) {
		var uncommitted string
		var began, updated, ended sql.Null[string]
		var calls, unknownTokens, unknownCost int
		var in, out, cost int64
		if err := r.Scan(&run.Run, &run.Task, &run.Generation, &run.Title, &run.Dir, &run.Step, &run.End, &run.Iteration,
			&run.Question, &uncommitted, &began, &updated, &ended, &calls, &in, &out, &cost, &unknownTokens,
			&unknownCost); err != nil {
			return run, err
		}
		run.Spent = spentOf(calls, in, out, cost, unknownTokens, unknownCost)
		if !ended.Valid {
			run.Holder = s.holder(run.Run)
		}
		return run, errors.Join(json.Unmarshal([]byte(uncommitted), &run.Uncommitted),
			times(map[*time.Time]sql.Null[string]{&run.Began: began, &run.Updated: updated, &run.Ended: ended}))
	})
}

// Outcomes calls f with the outcome of each call that ended at since or later, in the order of their
// ends, for learners such as retry.Adaptive. An error of f ends it and is returned.
func (s *Store) Outcomes(ctx context.Context, since time.Time, f func(retry.Outcome) error) error {
	var stopped error
	err := s.view(ctx, "read the outcomes of calls", func(v *view) error {
		return v.query(`SELECT started_at, ended_at, coalesce(provider, ''), coalesce(lane, ''), coalesce(code, ''),
			coalesce(retry_of, ''), coalesce(policy, ''), coalesce(attempt, 1), coalesce(wait_seconds, 0)
			FROM calls WHERE ended_at >= ? ORDER BY ended_at, run, iteration, call`, []any{stamp(since)}, func(r row) error {
			var o retry.Outcome
			var began time.Time
			var from, to sql.Null[string]
			var wait float64
			if err := r.Scan(&from, &to, &o.Provider, &o.Lane, &o.Code, &o.After, &o.Policy, &o.Attempt,
				&wait); err != nil {
				return err
			}
			if err := times(map[*time.Time]sql.Null[string]{&began: from, &o.At: to}); err != nil {
				return err
			}
			o.Took, o.Wait = o.At.Sub(began), duration(wait)
			if stopped = f(o); stopped != nil {
				return errEnough
			}
			return nil
		})
	})
	if stopped != nil {
		return stopped
	}
	return err
}

// hotQueries are the statements that each attempt and each save need.
var hotQueries = []string{putTask, putAttempt, addTask, putRun, putStatus, putCall}

// Budget returns the budget of an executor that uses this state; see [Store.SetBudget]. The costs of
// the run come from its bill, all others from the state. Runs beside each other can exceed a limit
// by the calls that they have in progress.
//
// If calls of the run could not be saved, other runs do not know their cost. Then no limit that is
// shared with them allows another call. If the state cannot be read, no call is allowed.
func (s *Store) Budget(o BudgetOptions) executor.Budget { return budget{s, o} }

type budget struct {
	s *Store
	o BudgetOptions
}

// Allow implements [executor.Budget].
func (b budget) Allow(ctx context.Context, bill executor.Bill) error {
	return b.s.allow(ctx, b.o, bill.Run, bill.Task, bill.Attempt, bill.Total)
}

// PromptOptions configure the prompts of [Store.Prompt].
type PromptOptions struct {
	// MaxAttempts is the most attempts; 0 is unknown.
	MaxAttempts int
	// Limit is the most bytes about earlier attempts; 16 KiB by default.
	Limit int
	// Base makes the prompt; [executor.DefaultPrompt] by default.
	Base func(executor.PromptInput) string
}

// Prompt returns the function for [executor.Config].Prompt that replaces the executor's feedback by
// the retry context, which has the attempts of earlier runs, too. The executor's feedback stays if
// the state cannot be read, does not have the iteration before, or has nothing to report, and if the
// limit is too small.
func (s *Store) Prompt(o PromptOptions) func(executor.PromptInput) string {
	if o.Base == nil {
		o.Base = executor.DefaultPrompt
	}
	return func(in executor.PromptInput) string {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		c, last, err := s.history(ctx, in.Task.ID, o.MaxAttempts)
		if err != nil || c == nil {
			return o.Base(in)
		}
		current := in.Iteration <= 1
		if last.Run != "" && last.Run == in.Task.Run {
			current = last.Iteration == in.Iteration-1
		}
		if section := c.Render(cmp.Or(o.Limit, 16<<10), in.Mark); current && section != "" {
			in.Feedback, in.Introduced = section, true
		}
		return o.Base(in)
	}
}
