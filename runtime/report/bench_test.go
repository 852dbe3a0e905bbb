package report

import (
	"errors"
	"fmt"
	"os"
	"regexp"
	"runtime"
	"strconv"
	"testing"
	"time"

	"github.com/errgen/errgen/runtime/internal/normal"
)

// millions is how many errors one run of BenchmarkMillions takes.
func millions() int {
	if n, err := strconv.Atoi(os.Getenv("ERRGEN_REPORT_ERRORS")); err == nil {
		return n
	}
	return 10_000_000
}

// stream returns errors as a program has them: of some categories, severities and sources, with
// messages of which a part is different each time.
type stream struct{ at time.Time }

var (
	streamCategories = []string{"network", "provider", "validation", "git", "timeout", "config", "scope"}
	streamSeverities = []string{"low", "medium", "high", "critical"}
	streamMessages   = []string{
		"connect to 10.0.%d.7:443: connection refused",
		"request %d failed: status 529: overloaded, please try again",
		"open '/srv/work/%d/main.go': no such file or directory",
		"commit 1f0c9a%d7be: nothing to push",
		`parse "task-%d.yaml": line 12: mapping values are not allowed`,
		"validator ended with exit code 2 after %d ms",
	}
)

func newStream() *stream {
	return &stream{at: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)}
}

// prepared returns so many different errors.
func (s *stream) prepared(n int) []Occurrence {
	out := make([]Occurrence, n)
	for i := range out {
		out[i] = *s.next(i)
		out[i].ID = ""
	}
	return out
}

func (s *stream) next(i int) *Occurrence {
	ok := i%3 == 0
	o := &Occurrence{
		ID: NewID(), At: s.at.Add(time.Duration(i) * time.Millisecond), Domain: "bench",
		Category: streamCategories[i%len(streamCategories)], Code: "CODE_" + strconv.Itoa(i%23),
		Severity: streamSeverities[i%len(streamSeverities)], Recoverability: "retryable", Retryable: true,
		Message:     fmt.Sprintf(streamMessages[i%len(streamMessages)], i),
		Fingerprint: "0123456789abcdef", SourceCode: "529",
		Source:    &Source{Type: "llm", Component: "component-" + strconv.Itoa(i%11), Method: "POST"},
		Execution: &Execution{Mode: "run", Skill: "skill", TaskID: "task", SessionID: "session"},
		Reaction:  "retry_with_backoff", Action: "retry_operation",
	}
	if i%5 == 0 {
		o.Recovery = &Recovery{Attempts: 1, MaxAttempts: 3, Strategy: "fix", Successful: &ok}
	}
	return o
}

// BenchmarkErrors is what one error costs in groups and reporter together. The others are what it
// is to be compared with: the grouping by regular expressions, and a plain map that counts.
func BenchmarkErrors(b *testing.B) {
	errs := (&stream{time.Now()}).prepared(8192)
	b.Run("groups_and_reporter", func(b *testing.B) {
		sinks := Sinks{NewReporter(ReporterOptions{}), NewGroups(GroupOptions{})}
		b.ReportAllocs()
		i := 0
		for b.Loop() {
			o := &errs[i%len(errs)]
			o.ID = strconv.Itoa(i)
			sinks.Report(o)
			i++
		}
	})
	b.Run("parallel", func(b *testing.B) {
		sinks := Sinks{NewReporter(ReporterOptions{}), NewGroups(GroupOptions{})}
		b.ReportAllocs()
		b.RunParallel(func(pb *testing.PB) {
			for i := 0; pb.Next(); i++ {
				o := errs[i%len(errs)]
				o.ID = NewID()
				sinks.Report(&o)
			}
		})
	})
	b.Run("distinct", func(b *testing.B) {
		sinks := Sinks{NewReporter(ReporterOptions{}), NewGroups(GroupOptions{})}
		o := errs[1]
		b.ReportAllocs()
		for b.Loop() {
			o.ID = NewID()
			o.Message = "failed in " + words(o.ID)
			sinks.Report(&o)
		}
	})
	b.Run("metadata", func(b *testing.B) {
		sinks := Sinks{NewReporter(ReporterOptions{}), NewGroups(GroupOptions{})}
		o := errs[1]
		o.Metadata = map[string]any{"run": "r", "iteration": 1.0, enrichedAt: 1.0, enrichmentSource: enricher}
		b.ReportAllocs()
		for b.Loop() {
			o.ID = NewID()
			sinks.Report(&o)
		}
	})
	b.Run("baseline_regexp", func(b *testing.B) {
		counts := map[string]int{}
		b.ReportAllocs()
		i := 0
		for b.Loop() {
			o := &errs[i%len(errs)]
			counts[o.Category+":"+naiveNormalise(o.Message)]++
			i++
		}
	})
	b.Run("baseline_map", func(b *testing.B) {
		counts := map[string]int{}
		b.ReportAllocs()
		i := 0
		for b.Loop() {
			counts[errs[i%len(errs)].Category]++
			i++
		}
	})
}

// words returns text without digits that is different for each ID.
func words(id string) string {
	b := []byte(id)
	for i, c := range b {
		b[i] = 'g' + c%20
	}
	return string(b)
}

// BenchmarkMillions takes ten million errors in one run, and says how the heap has grown by them.
func BenchmarkMillions(b *testing.B) {
	if testing.Short() {
		b.Skip("takes ten million errors")
	}
	errs := (&stream{time.Now()}).prepared(8192)
	for b.Loop() {
		reporter, groups := NewReporter(ReporterOptions{}), NewGroups(GroupOptions{})
		sinks := Sinks{reporter, groups}
		n, before, began := millions(), heap(), time.Now()
		var middle uint64
		for i := range n {
			if i == n/10 {
				middle = heap()
			}
			o := &errs[i%len(errs)]
			o.ID = strconv.Itoa(i)
			sinks.Report(o)
		}
		took, after := time.Since(began), heap()
		if got := reporter.Metrics().TotalErrors; got != n {
			b.Fatalf("%d errors of %d", got, n)
		}
		b.ReportMetric(float64(took.Nanoseconds())/float64(n), "ns/error")
		b.ReportMetric(float64(after-min(before, after))/(1<<20), "MiB")
		b.ReportMetric(float64(int64(after)-int64(middle))/(1<<20), "MiB-since-a-tenth")
		runtime.KeepAlive(groups)
	}
}

// heap returns how many bytes are in use.
func heap() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

func BenchmarkNew(b *testing.B) {
	err := fmt.Errorf("run task: %w", errors.New("connect to 10.0.0.7:443: connection refused"))
	b.ReportAllocs()
	for b.Loop() {
		_ = New(err, Options{})
	}
}

func BenchmarkNormalise(b *testing.B) {
	for _, message := range streamMessages {
		message = fmt.Sprintf(message, 4711)
		b.Run(message[:8], func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				_ = normal.Text(message)
			}
		})
		b.Run(message[:8]+"/regexp", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				_ = naiveNormalise(message)
			}
		})
	}
}

var (
	naiveQuoted = regexp.MustCompile(`'[^']*'|"[^"]*"`)
	naiveHash   = regexp.MustCompile(`(?i)[a-f0-9]{8,}`)
	naiveNumber = regexp.MustCompile(`[0-9]+`)
)

// naiveNormalise does by regular expressions what costs most of normalising.
func naiveNormalise(message string) string {
	s := naiveQuoted.ReplaceAllString(message, "'X'")
	return naiveNumber.ReplaceAllString(naiveHash.ReplaceAllString(s, "HASH"), "N")
}
