package predict

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/retry"
)

var start = time.Date(2026, 3, 2, 8, 0, 0, 0, time.UTC)

// fed returns a model that has learnt the codes, one call of provider "p" every half minute, and
// when the last one ended. "-" is a success.
func fed(o Options, codes ...string) (*Model, time.Time) {
	m, now := New(o), start
	for _, code := range codes {
		now = now.Add(30 * time.Second)
		m.Learn(retry.Outcome{At: now, Took: time.Second, Provider: "p", Code: strings.TrimPrefix(code, "-")})
	}
	return m, now
}

func repeated(n int, codes ...string) []string {
	var out []string
	for range n {
		out = append(out, codes...)
	}
	return out
}

// D179
func TestNext(t *testing.T) {
	quiet := repeated(60, "-")
	for _, c := range []struct {
		name  string
		codes []string
		pause time.Duration
		check func(t *testing.T, f []Forecast)
	}{
		{"nothing known", nil, 0, func(t *testing.T, f []Forecast) { assert.Empty(t, f) }},
		{"never a failure", quiet, 0, func(t *testing.T, f []Forecast) { assert.Empty(t, f) }},
		{"a failure among many successes", append(append(repeated(20, "-"), "down"), quiet...), 0,
			func(t *testing.T, f []Forecast) {
				assert.Less(t, f[0].Probability, 0.05)
				assert.Equal(t, 1, f[0].Seen)
			}},
		{"in the middle of an outage", append(append([]string{}, quiet...), repeated(20, "down")...), 29 * time.Second,
			func(t *testing.T, f []Forecast) {
				assert.Greater(t, f[0].Probability, 0.8)
				assert.Greater(t, f[0].Low, 0.5)
			}},
		{"long after an outage", append(append([]string{}, quiet...), repeated(12, "down")...), 5 * time.Hour,
			func(t *testing.T, f []Forecast) {
				assert.Less(t, f[0].Low, 0.5)
			}},
		{"in turns: after a failure", repeated(40, "-", "down"), 29 * time.Second,
			func(t *testing.T, f []Forecast) { assert.Less(t, f[0].Probability, 0.1) }},
		{"in turns: after a success", append(repeated(40, "-", "down"), "-"), 29 * time.Second,
			func(t *testing.T, f []Forecast) { assert.Greater(t, f[0].Low, 0.7) }},
		{"the most probable first", append(append([]string{}, repeated(5, "a")...), repeated(10, "b")...), 0,
			func(t *testing.T, f []Forecast) {
				assert.Equal(t, "b", f[0].Code)
				assert.Equal(t, "a", f[1].Code)
			}},
		{"the latest counts more", append(repeated(300, "down"), repeated(300, "-")...), time.Hour,
			func(t *testing.T, f []Forecast) {
				assert.Less(t, f[0].Probability, 0.35)
			}},
	} {
		t.Run(c.name, func(t *testing.T) {
			m, now := fed(Options{}, c.codes...)
			f := m.Next("p", now.Add(c.pause))
			c.check(t, f)
			for _, x := range f {
				assert.LessOrEqual(t, 0.0, x.Low)
				assert.LessOrEqual(t, x.Low, x.Probability)
				assert.LessOrEqual(t, x.Probability, x.High)
				assert.LessOrEqual(t, x.High, 1.0)
				assert.NotEmpty(t, x.Why)
				bare := x
				bare.Why = ""
				assert.Equal(t, bare, m.Forecast("p", x.Code, now.Add(c.pause)))
			}
		})
	}
}

func TestWhySaysWhatItRestsOn(t *testing.T) {
	m, now := fed(Options{}, append(repeated(20, "-"), repeated(5, "down")...)...)
	assert.Equal(
		t, "73 % after down and a pause as this of 5s (weight 14 %, 0.0 calls); 54 % in the burst, 2.7 times the "+
			"long run (weight 82 %, 4.7 calls); "+
			"20 % in the long run (weight 3 %, 24.3 calls)", m.Next("p", now.Add(5*time.Second))[0].Why)
	assert.Equal(t, "never called; 20 % of the calls of all providers", m.Next("q", now)[0].Why)
}

func TestSharesSumToOne(t *testing.T) {
	m, now := fed(Options{}, repeated(17, "-", "a", "b", "b", "c")...)
	sum := 0.0
	for _, f := range m.Next("p", now) {
		sum += f.Probability
	}
	p, _ := m.known("p")
	o := m.at(p, now)
	sum += o.mean(o.shares("")) + o.mean(o.unseen())
	assert.InDelta(t, 1, sum, 1e-9)
}

func TestAnUnknownProviderIsLikeAll(t *testing.T) {
	m, now := fed(Options{}, repeated(30, "down")...)
	f := m.Next("other", now)
	require.Len(t, f, 1)
	assert.Greater(t, f[0].Probability, 0.9)
	assert.Less(t, f[0].Low, 0.6, "others' calls are little evidence")
	assert.Zero(t, f[0].Seen)
	assert.Len(t, m.providers, 1, "asking remembers nobody")
}

func TestTheWaitIsThePauseWhereNobodySaysHowLongCallsTake(t *testing.T) {
	m := New(Options{})
	m.Learn(retry.Outcome{At: start, Provider: "p", Code: "limit"})
	m.Learn(retry.Outcome{At: start.Add(time.Hour), Provider: "p", After: "limit", Wait: 5 * time.Second})
	s := m.providers["p"].step("limit")
	assert.InDelta(t, 1, s.paused[kindOf(5*time.Second)].total, 1e-9)
}

func TestMemoryIsBounded(t *testing.T) {
	m := New(Options{MaxProviders: 4, MaxCodes: 5})
	for i := range 3000 {
		m.Learn(
			retry.Outcome{At: start.Add(time.Duration(i) * time.Second), Provider: fmt.Sprintf("p%d", i/200),
				Code: fmt.Sprintf("code %d", i%37)})
	}
	assert.Len(t, m.providers, 4)
	assert.Contains(t, m.providers, "p14", "the last heard of stays")
	for _, p := range m.providers {
		assert.LessOrEqual(t, len(p.steps), 5)
		assert.LessOrEqual(t, len(p.long.cells), 5)
		for _, s := range p.steps {
			assert.LessOrEqual(t, len(s.all.cells), 5)
		}
	}
}

func TestNamesAreMaskedAndBounded(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"PROVIDER_RATE_LIMIT", "PROVIDER_RATE_LIMIT"},
		{"two\nlines\x00", "two lines "},
		{"password=hunter2secret", "password=[REDACTED]"},
		{"\xff", "�"},
	} {
		assert.Equal(t, c.want, name(c.in), "%q", c.in)
	}
	long := name(strings.Repeat("ä", 10<<20))
	assert.LessOrEqual(t, len(long), longestName)
	assert.Equal(t, long, name(long))
}

func TestOptionsThatCannotBe(t *testing.T) {
	o := Options{MaxProviders: -1, MaxCodes: math.MaxInt, HalfLife: -5, Burst: -1, Confidence: math.NaN()}.filled()
	assert.Equal(t, Options{MaxProviders: 64, MaxCodes: 256, HalfLife: 300, Burst: 3 * time.Minute, Confidence: 0.9}, o)
}

func TestTimesThatCannotBe(t *testing.T) {
	m := New(Options{})
	for _, at := range []time.Time{{}, start, start.Add(-time.Hour), time.Unix(math.MaxInt64/2, 0),
		time.Unix(-math.MaxInt64/2, 0), start} {
		m.Learn(
			retry.Outcome{At: at, Took: math.MaxInt64, Provider: "p", Code: "down", After: "down", Wait: math.MinInt64})
		for _, now := range []time.Time{{}, start, time.Unix(math.MaxInt64/2, 0)} {
			for _, f := range m.Next("p", now) {
				assert.True(t, f.Low >= 0 && f.Low <= f.Probability && f.Probability <= f.High && f.High <= 1, "%+v", f)
			}
		}
		_, err := json.Marshal(m)
		assert.NoError(t, err)
	}
}

func TestOneViewHasWilsonsInterval(t *testing.T) {
	for _, c := range []struct{ p, n, confidence, low, high float64 }{
		{0.5, 0, 0.9, 0, 1},
		{0.5, 10, 0.95, 0.2366, 0.7634}, // as published tables have it
		{0.1, 20, 0.95, 0.0279, 0.3010},
		{1, 10, 0.9, 0.787, 1},
		{0, 400, 0.9, 0, 0.0067},
		{0, 10, 0.9, 0, 0.213},
	} {
		doubt := (1 - c.confidence) / 2
		low := lastWhere(func(x float64) bool { return below(x, c.p, c.n) < doubt })
		high := lastWhere(func(x float64) bool { return below(x, c.p, c.n) <= 1-doubt })
		assert.InDelta(t, c.low, low, 5e-4, "%+v", c)
		assert.InDelta(t, c.high, high, 5e-4, "%+v", c)
	}
}

// TestWhatAlwaysFailsIsCertain has calls so far apart that little is left of the burst from one to
// the next.
func TestWhatAlwaysFailsIsCertain(t *testing.T) {
	for _, gap := range []time.Duration{time.Second, 30 * time.Second, 2 * time.Minute, 10 * time.Minute, time.Hour,
		1000 * time.Hour} {
		m, now, low, n := New(Options{}), start, 0.0, 0
		for _, want := range []struct {
			calls int
			low   float64
		}{{10, 0.7}, {30, 0.9}, {100, 0.96}, {1000, 0.99}} {
			for ; n < want.calls; n++ {
				now = now.Add(gap)
				m.Learn(retry.Outcome{At: now, Took: time.Second / 2, Provider: "p", Code: "down"})
			}
			f := m.Forecast("p", "down", now.Add(gap-time.Second))
			assert.Greater(t, f.Low, want.low, "%d calls, %s apart", want.calls, gap)
			assert.Greater(t, f.Low, low)
			low = f.Low
		}
	}
}

func TestWhatWasNeverSeenHasAnInterval(t *testing.T) {
	m, now := fed(Options{}, repeated(30, "-")...)
	f := m.Forecast("p", "down", now.Add(29*time.Second))
	assert.Zero(t, f.Probability)
	assert.Zero(t, f.Low)
	assert.InDelta(t, 0.08, f.High, 0.02)
}

func TestConcurrentUse(t *testing.T) {
	m := New(Options{MaxProviders: 3})
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			for j := range 200 {
				m.Learn(
					retry.Outcome{At: start.Add(time.Duration(j) * time.Second), Provider: fmt.Sprint("p", (i+j)%5),
						Code: fmt.Sprint("c", j%7)})
				m.Next("p1", start)
			}
			b, err := json.Marshal(m)
			assert.NoError(t, err)
			assert.NoError(t, json.Unmarshal(b, m))
		})
	}
	all.Wait()
}

func BenchmarkLearn(b *testing.B) {
	m, o := New(Options{}), history(b, "mixed")
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		m.Learn(o[i%len(o)])
	}
}

func BenchmarkNext(b *testing.B) {
	m := New(Options{})
	for _, o := range history(b, "mixed") {
		m.Learn(o)
	}
	b.ReportAllocs()
	for b.Loop() {
		m.Next("anthropic-api", start)
	}
}
