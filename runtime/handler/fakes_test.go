package handler

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/errgen/errgen/runtime/taxonomy"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// coded is an error of a taxonomy that a test has made.
type coded struct {
	t     *taxonomy.Taxonomy
	row   taxonomy.Row
	text  string
	hints taxonomy.Hints
	cause error
}

func (c *coded) Error() string                { return c.text }
func (c *coded) Unwrap() error                { return c.cause }
func (c *coded) Taxonomy() *taxonomy.Taxonomy { return c.t }
func (c *coded) Row() taxonomy.Row            { return c.row }
func (c *coded) Hints() taxonomy.Hints        { return c.hints }
func (c *coded) AppendMessage(dst []byte) []byte {
	return append(dst, c.text...)
}
func (c *coded) AppendContext(dst []byte) []byte { return append(dst, `{}`...) }
func (c *coded) AppendJSON(dst []byte) []byte {
	b, _ := json.Marshal(map[string]any{"message": c.text})
	return append(dst, b...)
}

// kinds is a taxonomy whose codes are called like their reactions. Evidence has the code that is
// called like its type.
type kinds struct {
	taxonomy *taxonomy.Taxonomy
	rows     map[string]taxonomy.Row
}

func kindsOf(reactions map[string]taxonomy.Reaction) *kinds {
	t := &taxonomy.Taxonomy{Package: "test", Domain: "test", Uncategorized: &taxonomy.Reaction{Name: "uncategorized"}}
	category := &taxonomy.Category{Name: "test", Codes: make([]taxonomy.Code, 1)}
	t.Categories = []*taxonomy.Category{category}
	k := &kinds{taxonomy: t, rows: map[string]taxonomy.Row{}}
	for i, name := range slices.Sorted(maps.Keys(reactions)) {
		r := reactions[name]
		r.Name = name
		category.Codes = append(category.Codes, taxonomy.Code{
			Value: name, Traits: taxonomy.Traits{Reaction: &r, Retryable: true, Severity: taxonomy.SeverityHigh},
		})
		k.rows[name] = taxonomy.At(0, uint16(i+1))
	}
	return k
}

func (k *kinds) table() taxonomy.Table { return taxonomy.Table{Taxonomy: k.taxonomy} }

//lint:ignore ST1008 it is a Classifier
func (k *kinds) classify(err error, source, op string) (error, string) {
	if errors.Is(err, context.Canceled) {
		return err, "cancelled"
	}
	var ev *taxonomy.Evidence
	if errors.As(err, &ev) {
		if row, ok := k.rows[ev.Type]; ok {
			return &coded{k.taxonomy, row, ev.Error(),
				taxonomy.Hints{RetryAfter: ev.RetryAfter, Credential: ev.Credential}, err}, "rule " + ev.Type
		}
	}
	return err, "no rule"
}

// The reactions of the tests.
func reactions() map[string]taxonomy.Reaction {
	fail := &taxonomy.Reaction{Name: "fail"}
	policy := &taxonomy.Policy{Name: "three", MaxAttempts: 3, InitialDelay: time.Second, MaxDelay: time.Minute,
		Multiplier: 2}
	at := &taxonomy.Policy{Name: "four", MaxAttempts: 4, MaxDelay: time.Minute, Multiplier: 2}
	again := taxonomy.Reaction{Action: taxonomy.RetryOperation, Policy: policy, Then: fail, HonorRetryAfter: true}
	return map[string]taxonomy.Reaction{
		"again":   again,
		"iterate": {Action: taxonomy.Retry, Policy: policy, Then: fail},
		"never":   {},
		"ask":     {Action: taxonomy.Block},
		"endless": {Action: taxonomy.Retry, CountFailure: true},
		"mend": {Action: taxonomy.Recover, Strategy: "mend", Policy: at, Resume: taxonomy.ResumeOperation,
			Then: fail},
		"timeout": again,
		"panic":   {Action: taxonomy.RetryOperation, Policy: &taxonomy.Policy{Name: "two", MaxAttempts: 2}, Then: fail},
	}
}

// fails returns evidence of the type.
func fails(typ string) error {
	return &taxonomy.Evidence{Source: "fake", Op: opCall, Type: typ, Text: typ + " it is"}
}

// plays returns an operation that fails as said, and then does what the last one says; "" is
// success.
func plays(types ...string) func(context.Context) error {
	call := 0
	return func(context.Context) error {
		typ := types[min(call, len(types)-1)]
		call++
		if typ == "" {
			return nil
		}
		return fails(typ)
	}
}

// clock is one on which waits take no time, and are noted.
type clock struct {
	mu    sync.Mutex
	now   time.Time
	slept []time.Duration
}

func newClock() *clock { return &clock{now: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)} }

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) Sleep(ctx context.Context, d time.Duration) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(max(0, d))
	c.slept = append(c.slept, d)
	return nil
}
