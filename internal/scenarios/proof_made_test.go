package scenarios_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"time"

	"github.com/errgen/errgen/runtime/taxonomy"
)

// madeTaxonomy is a taxonomy with random reactions. Evidence whose type is the name of a code has
// that code; of the rest, what an operation of the executor has, the operation has a code in byOp
// or none.
type madeTaxonomy struct {
	taxonomy *taxonomy.Taxonomy
	byOp     map[string]int
}

// madeCodes is how many codes a madeTaxonomy has, besides none.
const madeCodes = 8

// madeOps are the operations that the executor reports.
var madeOps = []string{
	"prepare", "lock", "resume", "available", "detect_changes", "save", "revert", "scope", "ask", "budget", "call",
	"validate_pre_commit", "validate_pre_push", "validate_pre_pr", "commit", "push", "pr", "file_task", "notify",
}

func makeTaxonomy(rng *rand.Rand) *madeTaxonomy {
	category := &taxonomy.Category{Name: "made", Codes: make([]taxonomy.Code, 1)}
	t := &taxonomy.Taxonomy{
		Package: "made", Domain: "made", Categories: []*taxonomy.Category{category},
		Tiers: []taxonomy.Tier{{Name: "low"}, {Name: "high"}, {Name: "person", Person: true}}[:rng.IntN(4)],
	}
	t.Strategies = []taxonomy.Named{{Name: "mend"}}
	t.Uncategorized = makeReaction(rng, t, 3)
	t.None, t.Permanent = taxonomy.Traits{Reaction: makeReaction(rng, t,
		3)}, taxonomy.Traits{Reaction: makeReaction(rng, t, 3)}
	for i := range madeCodes {
		category.Codes = append(category.Codes, taxonomy.Code{
			Value: fmt.Sprint("C", i), Traits: taxonomy.Traits{Reaction: makeReaction(rng, t, 3), Retryable: true},
		})
	}
	m := &madeTaxonomy{taxonomy: t, byOp: map[string]int{}}
	for _, op := range madeOps {
		if code := rng.IntN(madeCodes + 2); code < madeCodes {
			m.byOp[op] = code
		}
	}
	return m
}

// makeReaction returns a random reaction that the language allows.
func makeReaction(rng *rand.Rand, t *taxonomy.Taxonomy, depth int) *taxonomy.Reaction {
	actions := []taxonomy.Action{
		taxonomy.Abort, taxonomy.Block, taxonomy.Continue, taxonomy.Retry, taxonomy.Retry, taxonomy.Retry,
		taxonomy.RetryOperation, taxonomy.Recover,
	}
	if len(t.Tiers) > 0 {
		actions = append(actions, taxonomy.Escalate)
	}
	coin := func() bool { return rng.IntN(2) == 0 }
	r := &taxonomy.Reaction{
		Name: fmt.Sprint("r", rng.IntN(1000)), Action: actions[rng.IntN(len(actions))],
		Revert:   taxonomy.Revert(rng.IntN(3)),
		LogLevel: taxonomy.LogLevel(rng.IntN(5)), CountFailure: coin(),
	}
	r.AcceptCompletion = r.Revert != taxonomy.RevertNone && coin()
	r.FeedBack = r.Action != taxonomy.Abort && coin()
	switch r.Action {
	case taxonomy.Abort, taxonomy.Block:
		r.Extent = taxonomy.Extent(rng.IntN(2))
		return r
	case taxonomy.Continue:
		return r
	case taxonomy.Escalate:
		r.To = t.Tiers[rng.IntN(len(t.Tiers))].Name
	default:
		r.HonorRetryAfter, r.Shared = coin(), taxonomy.Shared(rng.IntN(2))
		// What does not count as a failure needs a policy that bounds it.
		if !r.CountFailure || coin() {
			r.Policy = makePolicy(rng)
		}
	}
	r.Session = taxonomy.Session(rng.IntN(3))
	if r.Action == taxonomy.Recover {
		r.Strategy, r.Resume = "mend", taxonomy.Resume(rng.IntN(2))
	}
	if r.Action == taxonomy.RetryOperation || coin() {
		r.Then = &taxonomy.Reaction{Name: "block", Action: taxonomy.Block}
		if depth > 0 {
			r.Then = makeReaction(rng, t, depth-1)
		}
	}
	return r
}

func makePolicy(rng *rand.Rand) *taxonomy.Policy {
	delay := time.Duration(rng.IntN(5)) * time.Second
	return &taxonomy.Policy{
		Name: "p", MaxAttempts: 1 + rng.IntN(5), InitialDelay: delay, MaxDelay: delay * time.Duration(1+rng.IntN(10)),
		Multiplier: 1 + 2*rng.Float64(), MaxElapsed: time.Duration(rng.IntN(3)) * 20 * time.Second,
		MaxRetryAfter: time.Duration(rng.IntN(3)) * 30 * time.Second, Jitter: rng.Float64(),
		Backoff: taxonomy.Backoff(rng.IntN(3)), JitterKind: taxonomy.JitterKind(rng.IntN(4)),
	}
}

// profile returns the table, under a random profile now and then.
func (m *madeTaxonomy) table(rng *rand.Rand) taxonomy.Table {
	table := taxonomy.Table{Taxonomy: m.taxonomy}
	if rng.IntN(3) > 0 {
		return table
	}
	table.Overlay = &taxonomy.Profile{
		Name: "made", Recovery: taxonomy.Recovery{Enabled: rng.IntN(3) > 0, MaxAttempts: rng.IntN(3)},
		Retry: taxonomy.RetryDefaults{Enabled: rng.IntN(4) > 0},
	}
	if rng.IntN(2) == 0 {
		table.Overlay.Retry.Policy = makePolicy(rng)
	}
	return table
}

// classify is the classifier of the taxonomy.
//
//lint:ignore ST1008 an executor's classifier returns the error first
func (m *madeTaxonomy) classify(err error, _, op string) (error, string) {
	if errors.Is(err, context.Canceled) {
		return err, "cancelled"
	}
	made := &madeError{t: m.taxonomy, text: err.Error(), cause: err}
	ev, ok := errors.AsType[*taxonomy.Evidence](err)
	if ok {
		op = ev.Op
		made.hints = taxonomy.Hints{RetryAfter: ev.RetryAfter, Files: ev.Files, Credential: ev.Credential,
			Output: ev.Output}
		if !ev.ResetAt.IsZero() {
			made.hints.ResetAt = taxonomy.Some(ev.ResetAt)
		}
	}
	code, known := m.byOp[op]
	if digits, ok := strings.CutPrefix(typeOf(ev), "C"); ok {
		n, failed := strconv.Atoi(digits)
		code, known = n, failed == nil && n < madeCodes
	}
	if !known {
		return err, "no rule"
	}
	made.row = taxonomy.At(0, uint16(code+1))
	return made, fmt.Sprint("rule ", code)
}

func typeOf(ev *taxonomy.Evidence) string {
	if ev == nil {
		return ""
	}
	return ev.Type
}

// madeError is an error of a madeTaxonomy.
type madeError struct {
	t     *taxonomy.Taxonomy
	row   taxonomy.Row
	text  string
	hints taxonomy.Hints
	cause error
}

func (e *madeError) Error() string                   { return e.text }
func (e *madeError) Unwrap() error                   { return e.cause }
func (e *madeError) Taxonomy() *taxonomy.Taxonomy    { return e.t }
func (e *madeError) Row() taxonomy.Row               { return e.row }
func (e *madeError) Hints() taxonomy.Hints           { return e.hints }
func (e *madeError) AppendMessage(dst []byte) []byte { return append(dst, e.text...) }
func (e *madeError) AppendContext(dst []byte) []byte { return append(dst, `{}`...) }

// madeWire is a madeError in a journal.
type madeWire struct {
	Row        taxonomy.Row
	Text       string
	RetryAfter taxonomy.Opt[time.Duration]
	ResetAt    taxonomy.Opt[time.Time]
	Files      []string
	Credential string
}

func (e *madeError) AppendJSON(dst []byte) []byte {
	b, err := json.Marshal(
		madeWire{e.row, e.text, e.hints.RetryAfter, e.hints.ResetAt, e.hints.Files, e.hints.Credential})
	if err != nil {
		panic(err)
	}
	return append(dst, b...)
}

func (m *madeTaxonomy) decode(b []byte) (error, error) {
	var w madeWire
	if err := json.Unmarshal(b, &w); err != nil {
		return nil, err
	}
	hints := taxonomy.Hints{RetryAfter: w.RetryAfter, ResetAt: w.ResetAt, Files: w.Files, Credential: w.Credential}
	return &madeError{t: m.taxonomy, row: w.Row, text: w.Text, hints: hints}, nil
}
