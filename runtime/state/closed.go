package state

import (
	"database/sql"
	"encoding/json"
	"slices"
	"strings"

	"github.com/errgen/errgen/runtime/executor"
)

// maxDetails bounds the context of an error, in bytes.
const maxDetails = 64 << 10

// closed adds the attempt that an iteration is, and its errors. Of an iteration that is closed
// again the last word holds.
func (p *projection) closed(c *executor.Closed) error {
	if err := p.callsLost(); err != nil {
		return err
	}
	bill, err := p.bill()
	if err != nil {
		return err
	}
	id, err := p.attempt(c, bill)
	if err != nil {
		return err
	}
	if _, err := p.exec("DELETE FROM errors WHERE attempt_id = ?", id); err != nil {
		return err
	}
	for i := range c.Errors {
		if err := p.error(id, i+1, &c.Errors[i]); err != nil {
			return err
		}
	}
	return nil
}

// bill is what the calls of an iteration have cost, and who was called last. What is not known of
// one is not known of all.
type bill struct {
	provider      sql.Null[string]
	tier          sql.Null[int64]
	in, out, cost sql.Null[int64]
}

func (p *projection) bill() (b bill, err error) {
	r, err := p.row(`SELECT
		iif(count(input_tokens) = count(*), coalesce(sum(input_tokens), 0), NULL),
		iif(count(output_tokens) = count(*), coalesce(sum(output_tokens), 0), NULL),
		iif(count(cost_microusd) = count(*), coalesce(sum(cost_microusd), 0), NULL),
		(SELECT provider FROM calls WHERE run = ?1 AND iteration = ?2 ORDER BY call DESC LIMIT 1),
		(SELECT tier FROM calls WHERE run = ?1 AND iteration = ?2 ORDER BY call DESC LIMIT 1)
		FROM calls WHERE run = ?1 AND iteration = ?2`, p.run, p.entry.Iteration)
	if err != nil {
		return bill{}, err
	}
	err = r.Scan(&b.in, &b.out, &b.cost, &b.provider, &b.tier)
	return b, err
}

const putAttempt = `INSERT INTO attempts (task_id, generation, run, iteration, timestamp, success,
	duration_seconds, error, error_code,
	claude_output, category, understood_code, rule, reaction, action, counted, not_before, provider, tier,
	input_tokens, output_tokens,
	cost_microusd, fingerprint, feedback, changed_files)
	SELECT task_id, generation, run, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18,
	?19, ?20, ?21, ?22, ?23
	FROM runs WHERE run = ?1
	ON CONFLICT (run, iteration) DO UPDATE SET timestamp = excluded.timestamp, success = excluded.success,
	duration_seconds = excluded.duration_seconds, error = excluded.error, error_code = excluded.error_code,
	claude_output = excluded.claude_output, category = excluded.category, understood_code = excluded.understood_code,
	rule = excluded.rule, reaction = excluded.reaction, action = excluded.action, counted = excluded.counted,
	not_before = excluded.not_before, provider = excluded.provider, tier = excluded.tier,
	input_tokens = excluded.input_tokens,
	output_tokens = excluded.output_tokens, cost_microusd = excluded.cost_microusd, fingerprint = excluded.fingerprint,
	feedback = excluded.feedback, changed_files = excluded.changed_files
	RETURNING id`

// attempt writes the row of the attempt and returns its ID.
func (p *projection) attempt(c *executor.Closed, b bill) (id int64, err error) {
	seen := *p.seen
	if seen.iteration != p.entry.Iteration {
		seen = progress{}
	}
	seconds := 0.0
	if !seen.began.IsZero() {
		seconds = max(0, p.entry.At.Sub(seen.began).Seconds())
	}
	files, err := fileList(c.Changed)
	if err != nil {
		return 0, err
	}
	d := decisive(p.entry.Iteration, c)
	if cancelled(p.entry.Iteration, c, seen) {
		d = executor.ErrorRecord{Action: actionCancelled}
	}
	err = p.one(&id, putAttempt, p.run, p.entry.Iteration, p.at, c.Clean, seconds,
		boundedColumn(d.Message, maxError), boundedColumn(d.Code, maxName),
		column(textMask.Ending(seen.text, maxOutput)),
		boundedColumn(d.Category, maxName), boundedColumn(d.Understood, maxName), boundedColumn(d.Why, maxError),
		boundedColumn(d.Reaction, maxName), boundedColumn(d.Action, maxName), c.Count, optionalStamp(c.NotBefore),
		b.provider, b.tier,
		b.in, b.out, b.cost,
		boundedColumn(d.Fingerprint, maxName), boundedColumn(fedBack(p.entry.Iteration, c), maxOutput), files)
	return id, err
}

// actionCancelled is the action of an attempt that was stopped by a person. What had failed before
// that is among its errors.
const actionCancelled = "cancelled"

// cancelled reports that an iteration was stopped by a person, and has not failed by the agent's
// fault before.
func cancelled(iteration int, c *executor.Closed, seen progress) bool {
	return !c.Clean && !c.Count && (c.End == executor.EndCancelled || seen.cancelled) && fedBack(iteration, c) == ""
}

// decisive returns the error that an iteration failed with; the zero record when there is none, as
// of a success.
func decisive(iteration int, c *executor.Closed) executor.ErrorRecord {
	if c.Clean {
		return executor.ErrorRecord{}
	}
	if last := c.LastError; last != nil && last.Iteration == iteration {
		return *last
	}
	for _, rec := range slices.Backward(c.Errors) {
		if !rec.Overcome {
			return rec
		}
	}
	return executor.ErrorRecord{}
}

// fedBack returns what an iteration has left for the next attempt to be told.
func fedBack(iteration int, c *executor.Closed) string {
	var texts []string
	for _, f := range c.Feedback {
		if f.Iteration == iteration {
			texts = append(texts, f.Text)
		}
	}
	return strings.Join(texts, "\n\n")
}

// fileList returns paths as a JSON array; none are NULL.
func fileList(paths []string) (sql.Null[string], error) {
	if len(paths) == 0 {
		return sql.Null[string]{}, nil
	}
	kept := make([]string, 0, len(paths))
	for _, path := range paths {
		kept = append(kept, textMask(path))
	}
	b, err := json.Marshal(kept)
	return column(string(b)), err
}

// error writes the row of an error.
func (p *projection) error(attempt int64, seq int, rec *executor.ErrorRecord) error {
	_, err := p.exec(`INSERT INTO errors (attempt_id, seq, op, source, code, understood_code, category, message,
		rule, reaction, action,
		counted, overcome, fingerprint, details) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		attempt, seq, boundedColumn(rec.Op, maxName), boundedColumn(rec.Source, maxName),
		boundedColumn(rec.Code, maxName),
		boundedColumn(rec.Understood, maxName), boundedColumn(rec.Category, maxName),
		boundedColumn(rec.Message, maxError).V, boundedColumn(rec.Why, maxError), boundedColumn(rec.Reaction, maxName),
		boundedColumn(rec.Action, maxName), rec.Counted, rec.Overcome,
		boundedColumn(rec.Fingerprint, maxName), details(rec.Details))
	return err
}

// details returns the context of an error, a JSON object; NULL when there is none that can be kept.
func details(raw json.RawMessage) sql.Null[string] {
	if len(raw) > maxDetails {
		return sql.Null[string]{}
	}
	kept := textMask(string(raw))
	if !json.Valid([]byte(kept)) {
		return sql.Null[string]{}
	}
	return column(kept)
}

// boundedColumn returns the beginning of a text that others wrote, secrets masked; the empty one
// is NULL.
func boundedColumn(s string, n int) sql.Null[string] { return column(textMask.Beginning(s, n)) }
