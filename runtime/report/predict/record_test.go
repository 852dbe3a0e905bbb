package predict

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/gen/errs"
	"github.com/errgen/errgen/runtime/detect"
	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/retry"
	"github.com/errgen/errgen/runtime/taxonomy"
)

var update = flag.Bool("update", false, "record testdata/*.jsonl anew")

// recorded is how many calls a history has.
const recorded = 500

// weather is what a simulated service does: it returns how a call that begins at now fails, or nil.
type weather func(now time.Time, r *rand.Rand) *taxonomy.Evidence

// histories are the simulated services, by the name of the file that their outcomes are recorded
// in.
var histories = []struct {
	name string
	seed uint64
	make func(*rand.Rand) weather
}{
	{"steady", 1, func(*rand.Rand) weather { return unrelated(0.08) }},
	{"outages", 2, func(r *rand.Rand) weather { return spells(r, 45*time.Minute, 8*time.Minute, 1, down) }},
	{"overload", 3, func(r *rand.Rand) weather { return spells(r, 25*time.Minute, 6*time.Minute, 0.6, overloaded) }},
	{"ratelimit", 4, func(*rand.Rand) weather { return quota(6, 10*time.Minute) }},
	{"login", 5, func(r *rand.Rand) weather { return spells(r, 4*time.Hour, 90*time.Minute, 1, loggedOut) }},
	{"mixed", 6, func(r *rand.Rand) weather {
		return first(quota(30, 20*time.Minute), spells(r, time.Hour, 10*time.Minute, 0.9, down),
			spells(r, 40*time.Minute, 5*time.Minute, 0.5, overloaded), unrelated(0.03))
	}},
}

var (
	down       = taxonomy.Evidence{Source: "anthropic-api", Op: "call", Status: 503, Type: "api_error"}
	overloaded = taxonomy.Evidence{Source: "anthropic-api", Op: "call", Status: 529, Type: "overloaded_error"}
	limited    = taxonomy.Evidence{Source: "anthropic-api", Op: "call", Status: 429, Type: "rate_limit_error"}
	loggedOut  = taxonomy.Evidence{Source: "anthropic-api", Op: "call", Status: 401, Type: "authentication_error"}
	broken     = taxonomy.Evidence{Source: "anthropic-api", Op: "call", Type: "start"}
)

// unrelated fails with the share, whatever was before.
func unrelated(share float64) weather {
	return func(_ time.Time, r *rand.Rand) *taxonomy.Evidence {
		kinds := []taxonomy.Evidence{broken, overloaded, limited}
		if r.Float64() >= share {
			return nil
		}
		return &kinds[r.IntN(len(kinds))]
	}
}

// spells fails with the share in spells, which have a mean length and a mean time between, and
// hardly ever otherwise.
func spells(r *rand.Rand, between, length time.Duration, share float64, what taxonomy.Evidence) weather {
	var begins, ends time.Time
	return func(now time.Time, calls *rand.Rand) *taxonomy.Evidence {
		for !now.Before(ends) {
			begins = later(ends, now, between, r)
			ends = begins.Add(exponential(r, length))
		}
		within := share
		if now.Before(begins) {
			within = 0.01
		}
		if calls.Float64() >= within {
			return nil
		}
		return &what
	}
}

func later(after, now time.Time, mean time.Duration, r *rand.Rand) time.Time {
	if after.IsZero() {
		after = now
	}
	return after.Add(exponential(r, mean))
}

// quota lets a number of calls through in each window.
func quota(calls int, window time.Duration) weather {
	var opened time.Time
	left := 0
	return func(now time.Time, _ *rand.Rand) *taxonomy.Evidence {
		if at := now.Truncate(window); !at.Equal(opened) {
			opened, left = at, calls
		}
		if left--; left >= 0 {
			return nil
		}
		return &limited
	}
}

func first(all ...weather) weather {
	return func(now time.Time, r *rand.Rand) *taxonomy.Evidence {
		for _, w := range all {
			if ev := w(now, r); ev != nil {
				return ev
			}
		}
		return nil
	}
}

func exponential(r *rand.Rand, mean time.Duration) time.Duration {
	return time.Duration(float64(mean) * r.ExpFloat64())
}

// simClock is a clock on which time passes only by waits.
type simClock struct {
	mu  sync.Mutex
	now time.Time
}

func (c *simClock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *simClock) Sleep(ctx context.Context, d time.Duration) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(max(0, d))
	return nil
}

// service is the provider of a recording: an agent's call takes a minute or so, a failure a second.
type service struct {
	clock   *simClock
	random  *rand.Rand
	weather weather
}

func (*service) Name() string                    { return "anthropic-api" }
func (*service) Available(context.Context) error { return nil }

func (s *service) Call(ctx context.Context, _ executor.Request) (executor.Answer, error) {
	if ev := s.weather(s.clock.Now(), s.random); ev != nil {
		_ = s.clock.Sleep(ctx, time.Second+exponential(s.random, 2*time.Second))
		copied := *ev
		return executor.Answer{}, &copied
	}
	_ = s.clock.Sleep(ctx, 20*time.Second+exponential(s.random, 40*time.Second))
	answer := executor.Answer{Text: "more to do"}
	if s.random.Float64() < 0.3 {
		answer.Signal = executor.SignalDone
	}
	return answer, nil
}

// outcomes keeps what it is told.
type outcomes struct{ all []retry.Outcome }

func (o *outcomes) Learn(outcome retry.Outcome) { o.all = append(o.all, outcome) }

// record runs the executor against a service until there are enough outcomes: task after task, with
// the reactions of the shipped taxonomy, and a pause between tasks in which a person thinks.
func record(t *testing.T, seed uint64, made func(*rand.Rand) weather) []retry.Outcome {
	t.Helper()
	random := rand.New(rand.NewPCG(seed, seed))
	clock := &simClock{now: time.Date(2026, 3, 2, 8, 0, 0, 0, time.UTC)}
	heard := &outcomes{}
	x, err := executor.New(executor.Config{
		Table: errs.Table, Classify: detect.Classifier(errs.Explain), Clock: clock, Random: random.Float64,
		Provider: &service{clock: clock, random: random, weather: made(rand.New(rand.NewPCG(seed, 0)))},
		Learners: []retry.Learner{heard},
	})
	require.NoError(t, err)
	for n := 0; len(heard.all) < recorded; n++ {
		require.Less(t, n, 10*recorded, "runs that make calls")
		x.Run(t.Context(), executor.Task{Run: fmt.Sprintf("run-%d", n), ID: "task", Prompt: "Do it."})
		_ = clock.Sleep(t.Context(), exponential(random, 2*time.Minute))
	}
	return heard.all[:recorded]
}

// line is an outcome as it is recorded.
type line struct {
	At       time.Time `json:"at"`
	Took     float64   `json:"took"` // seconds
	Provider string    `json:"provider"`
	Code     string    `json:"code,omitempty"`
}

func lineOf(o retry.Outcome) line {
	return line{At: o.At.Truncate(time.Millisecond), Took: math.Round(o.Took.Seconds()*1000) / 1000,
		Provider: o.Provider, Code: o.Code}
}

func (l line) outcome() retry.Outcome {
	return retry.Outcome{At: l.At, Took: time.Duration(l.Took * float64(time.Second)), Provider: l.Provider,
		Code: l.Code}
}

// TestRecordings proves that the histories are what running the executor comes to; with -update it
// records them.
func TestRecordings(t *testing.T) {
	for _, h := range histories {
		t.Run(h.name, func(t *testing.T) {
			var b bytes.Buffer
			for _, o := range record(t, h.seed, h.make) {
				l, err := json.Marshal(lineOf(o))
				require.NoError(t, err)
				b.Write(append(l, '\n'))
			}
			path := filepath.Join("testdata", h.name+".jsonl")
			if *update {
				require.NoError(t, os.WriteFile(path, b.Bytes(), 0o600))
			}
			want, err := os.ReadFile(path)
			require.NoError(t, err)
			wanted, got := strings.Split(string(want), "\n"), strings.Split(b.String(), "\n")
			require.Len(t, got, len(wanted))
			for i := range got {
				require.Equal(t, wanted[i], got[i], "line %d", i+1)
			}
		})
	}
}

// history reads a recorded history.
func history(t testing.TB, name string) []retry.Outcome {
	t.Helper()
	f, err := os.Open(filepath.Join("testdata", name+".jsonl"))
	require.NoError(t, err)
	defer f.Close()
	var out []retry.Outcome
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		var l line
		require.NoError(t, json.Unmarshal(lines.Bytes(), &l))
		out = append(out, l.outcome())
	}
	require.NoError(t, lines.Err())
	return out
}
