package report_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/errgen/errgen/runtime/report"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const secret = "ghp_abcdefghijABCDEFGHIJ0123456789abcdef"

var moment = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

// clock is a clock that tests advance.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func newClock() *clock { return &clock{now: moment} }

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) pass(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

func (c *clock) Sleep(ctx context.Context, d time.Duration) error {
	c.pass(d)
	return ctx.Err()
}

func occurrence(category, severity, message string) *report.Occurrence {
	return &report.Occurrence{ID: report.NewID(), At: moment, Category: category, Severity: severity, Message: message}
}

func tried(attempts int, successful ...bool) *report.Recovery {
	r := &report.Recovery{Attempts: attempts, MaxAttempts: 3, Strategy: "fix"}
	if len(successful) > 0 {
		r.Successful = &successful[0]
	}
	return r
}
