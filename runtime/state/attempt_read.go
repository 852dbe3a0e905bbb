package state

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"iter"
	"math"
	"slices"
	"time"

	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/taxonomy"
)

const selectAttempts = `
	SELECT id, task_id, generation, timestamp, success, duration_seconds, error, error_code, claude_output, run,
	iteration, category,
		understood_code, rule, reaction, action, counted, not_before, provider, tier, input_tokens, output_tokens,
		cost_microusd,
		fingerprint, feedback, changed_files
	FROM attempts `

// Attempts returns the last n attempts of the task's current generation, the newest last.
func (s *Store) Attempts(ctx context.Context, task string, n int) ([]Attempt, error) {
	if n <= 0 {
		return nil, nil
	}
	var attempts []Attempt
	err := s.query(ctx, "read attempts", selectAttempts+`
		WHERE task_id = ?1 AND generation = (SELECT generation FROM tasks WHERE task_id = ?1) ORDER BY id DESC
		LIMIT ?2`,
		[]any{task, n}, func(r row) error {
			a, err := s.attempt(r)
			attempts = append(attempts, a)
			return err
		})
	if err != nil {
		return nil, err
	}
	slices.Reverse(attempts)
	return attempts, nil
}

// AllAttempts yields all attempts at the task, of all generations, the oldest first, as of one
// moment. It ends with the first error, which comes with the zero Attempt.
func (s *Store) AllAttempts(ctx context.Context, task string) iter.Seq2[Attempt, error] {
	return stream(ctx, s, "read attempts", selectAttempts+`WHERE task_id = ? ORDER BY generation, id`, []any{task},
		s.attempt)
}

// attempt reads a row of selectAttempts.
func (s *Store) attempt(r row) (Attempt, error) {
	var (
		a                                                                     Attempt
		at                                                                    string
		seconds                                                               float64
		failure, code, output, run, category, understood, rule                sql.Null[string]
		reaction, action, notBefore, provider, fingerprint, feedback, changed sql.Null[string]
		iteration, tier, in, out, cost                                        sql.Null[int64]
		counted                                                               bool
	)
	err := r.Scan(&a.ID, &a.Task, &a.Generation, &at, &a.Success, &seconds, &failure, &code, &output, &run, &iteration,
		&category,
		&understood, &rule, &reaction, &action, &counted, &notBefore, &provider, &tier, &in, &out, &cost, &fingerprint,
		&feedback, &changed)
	if err != nil {
		return Attempt{}, err
	}
	a.Duration = inSeconds(seconds)
	a.Error, a.CodeAsWritten, a.Output, a.Run, a.Category, a.Rule = failure.V, code.V, output.V, run.V, category.V,
		rule.V
	a.Reaction, a.Action, a.Provider, a.Fingerprint, a.Feedback = reaction.V, action.V, provider.V, fingerprint.V,
		feedback.V
	a.Iteration, a.Counted = int(iteration.V), taxonomy.Some(counted)
	if tier.Valid {
		a.Tier = taxonomy.Some(int(tier.V))
	}
	a.Usage = executor.Usage{InputTokens: opt(in), OutputTokens: opt(out), CostUSD: optionalDollars(cost)}
	a.Code = s.codeOf(&a, understood.V)
	return a, a.readColumns(at, notBefore, changed)
}

func (a *Attempt) readColumns(at string, notBefore, changed sql.Null[string]) (err error) {
	if a.At, err = parseStamp(at); err != nil {
		return fmt.Errorf("attempt %d: %w", a.ID, err)
	}
	if a.NotBefore, err = parseOptionalStamp(notBefore); err != nil {
		return fmt.Errorf("attempt %d: %w", a.ID, err)
	}
	if !changed.Valid {
		return nil
	}
	if err := json.Unmarshal([]byte(changed.V), &a.Changed); err != nil {
		return fmt.Errorf("attempt %d: changed files: %w", a.ID, err)
	}
	return nil
}

// inSeconds returns a number of seconds; more than a Duration can hold is the longest one.
func inSeconds(seconds float64) time.Duration {
	d := math.Round(seconds * float64(time.Second))
	switch {
	case math.IsNaN(d) || d < 0:
		return 0
	case d >= math.MaxInt64:
		return math.MaxInt64
	}
	return time.Duration(d)
}

// Errors returns all errors of the attempt, in the order in which they came about, with what the
// table of errors keeps of them. Why is what gave an error its code.
func (s *Store) Errors(ctx context.Context, attempt int64) ([]executor.ErrorRecord, error) {
	var records []executor.ErrorRecord
	err := s.query(ctx, "read the errors of an attempt", `
		SELECT coalesce(a.iteration, 0), e.op, e.source, e.code, e.understood_code, e.category, e.message, e.rule,
		e.reaction, e.action,
			e.counted, e.overcome, e.fingerprint, e.details
		FROM errors e JOIN attempts a ON a.id = e.attempt_id WHERE e.attempt_id = ? ORDER BY e.seq`,
		[]any{attempt}, func(r row) error {
			rec, err := errorRecord(r)
			records = append(records, rec)
			return err
		})
	if err != nil {
		return nil, err
	}
	return records, nil
}

func errorRecord(r row) (executor.ErrorRecord, error) {
	var (
		rec                                          executor.ErrorRecord
		op, source, code, understood, category       sql.Null[string]
		rule, reaction, action, fingerprint, details sql.Null[string]
	)
	err := r.Scan(&rec.Iteration, &op, &source, &code, &understood, &category, &rec.Message, &rule, &reaction, &action,
		&rec.Counted,
		&rec.Overcome, &fingerprint, &details)
	rec.Op, rec.Source, rec.Code, rec.Category, rec.Why = op.V, source.V, code.V, category.V, rule.V
	rec.Reaction, rec.Action, rec.Understood, rec.Fingerprint = reaction.V, action.V, understood.V, fingerprint.V
	if json.Valid([]byte(details.V)) {
		rec.Details = json.RawMessage(details.V)
	}
	return rec, err
}
