package contract_test

import (
	"encoding/csv"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/gen/errs"
)

var updateReports = flag.Bool("update", false, "write the golden reports anew")

// ReportSubject counts what happens. Run reports a stream on a clock that begins at reportStart,
// and returns all that a user can ask for afterwards.
type ReportSubject interface {
	Run(t *testing.T, limits ReportLimits, stream []ReportEvent) ReportOutcome
}

// ReportLimits bound the stored occurrences and groups; 0 is the default.
type ReportLimits struct {
	Errors, Keys, Groups, GroupSize int
	GroupAge                        time.Duration
}

var reportStart = time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)

// ReportEvent is an error, the recovery of an earlier error (with the same ID), or a retried
// operation.
type ReportEvent struct {
	After             time.Duration // the event before
	ID                string
	Err               *ReportError
	Source, Component string
	Tried             *ReportTried
	Retry             *ReportRetry
}

// ReportError is an error, and what its taxonomy states. A severity is that of a profile, because
// the taxonomy has none.
type ReportError struct {
	Err                                      error
	Category, Code, Severity, Recoverability string
}

// ReportTried is a recovery that was tried; Helped is nil while that is not known.
type ReportTried struct {
	Attempts int
	Helped   *bool
}

// ReportRetry is an operation that was called so many times more.
type ReportRetry struct {
	Reaction, Action string
	Calls            int
	Succeeded        bool
}

// ReportOutcome is the report at the end. Times count from reportStart.
type ReportOutcome struct {
	Totals    ReportTotals
	Codes     []ReportCode  // the most frequent first
	Groups    []ReportGroup // the one seen last first
	Gone      int           // groups that were forgotten
	Step      time.Duration
	Buckets   []ReportBucket // those that are not empty
	Outside   int            // errors in no bucket
	Reactions []ReportReaction
	Kept      []string // the IDs, the oldest first
	// Files are what users read, by name: summary.txt, report.json, report.csv, and metrics.txt as
	// Prometheus scrapes it.
	Files map[string]string
}

// ReportTotals count all that was reported.
type ReportTotals struct {
	Errors                                                     int
	ByCategory, ByCode, BySeverity, BySource, ByRecoverability map[string]int
	Recoveries, Recovered, NotRecovered                        int
	RetryCalls, RetriesSucceeded, RetriesFailed                int
}

// ReportCode is a line of the list of codes.
type ReportCode struct {
	Code, Category, Severity string
	Count                    int
	Latest                   time.Duration
}

// ReportGroup is a group of errors that are alike.
type ReportGroup struct {
	ID, Severity string
	Count        int
	First, Last  time.Duration
	Kept         []string // IDs
	Sample       string   // the ID of the first
}

// ReportBucket counts the errors of a step.
type ReportBucket struct {
	At         time.Duration
	ByCategory map[string]int
}

// ReportReaction is what came of a reaction.
type ReportReaction struct {
	Name                              string
	Count, Recovered, Failed, Pending int
	RetriesSucceeded, RetriesFailed   int
}

var (
	yes, no = true, false

	reportLimit = &ReportError{errs.NewProviderRateLimit("anthropic-api"), "provider", "PROVIDER_RATE_LIMIT",
		"", "retryable"}
	reportCrash = &ReportError{errs.NewProviderCrash("claude-code", "exit status 139"), "provider", "PROVIDER_CRASH",
		"", "retryable"}
	reportPush = &ReportError{errs.NewGitPushFailed("remote 'origin' hung up after 12 s"), "git", "GIT_PUSH_FAILED",
		"", "retryable"}
	reportConfig = &ReportError{errs.NewConfigEnvVarMissing("TOKEN"), "config",
		"CONFIG_ENV_VAR_MISSING", "", "permanent"}
	reportRated = &ReportError{errs.NewProviderAPIError("cli", "overloaded"), "provider", "PROVIDER_API_ERROR", "high",
		"retryable"}
	reportOther = &ReportError{errors.New("password=hunter2hunter2 was refused at 10.0.0.1"), "unknown", "unknown",
		"", ""}
	reportWrapped = &ReportError{fmt.Errorf("push: %w", reportPush.Err), "git", "GIT_PUSH_FAILED", "", "retryable"}
)

// reportDay is a stream with some of everything.
func reportDay() []ReportEvent {
	return []ReportEvent{
		{ID: "a", Err: reportLimit, Source: "anthropic-api", Component: "call"},
		{ID: "b", Err: reportLimit, Source: "anthropic-api", Component: "call", After: 2 * time.Second,
			Tried: &ReportTried{Attempts: 1}},
		{Retry: &ReportRetry{"wait", "retry", 2, true}, After: time.Second},
		{ID: "c", Err: reportCrash, Source: "claude-code", Component: "call", After: 90 * time.Second,
			Tried: &ReportTried{1, &no}},
		{ID: "b", Err: reportLimit, After: time.Second, Tried: &ReportTried{2, &yes}},
		{ID: "d", Err: reportPush, Source: "git", Component: "push", After: 10 * time.Minute,
			Tried: &ReportTried{1, nil}},
		{ID: "e", Err: reportWrapped, Source: "git", Component: "push", After: time.Minute},
		{ID: "f", Err: reportConfig, After: time.Minute},
		{ID: "g", Err: reportOther, Source: "shell", Component: "run", After: time.Minute},
		{ID: "h", Err: reportRated, Source: "cli", Component: "call", After: time.Minute},
		{Retry: &ReportRetry{"again", "retry", 3, false}},
		{Retry: &ReportRetry{"again", "retry", 0, true}}, // was not tried again
		{ID: "a", Err: reportLimit, After: time.Second},  // is known already
	}
}

// reportSuite judges a subject.
func reportSuite(t *testing.T, subject ReportSubject) {
	t.Run("day", func(t *testing.T) {
		t.Parallel()
		got := subject.Run(t, ReportLimits{}, reportDay())
		for name, text := range got.Files {
			assert.NotContains(t, text, "hunter2", name)
			text = numbered(text)
			if name == "report.csv" {
				text = rewritten(t, text)
			}
			golden := filepath.Join("testdata", "report", name)
			if *updateReports {
				require.NoError(t, os.WriteFile(golden, []byte(text), 0o644))
			}
			want, err := os.ReadFile(golden)
			require.NoError(t, err)
			assert.Equal(t, string(want), text, name)
		}
		got.Files = nil
		assert.Equal(t, reportOfDay(), got)
	})
	t.Run("recounted", func(t *testing.T) {
		t.Parallel()
		for seed := range uint64(map[bool]int{true: 5, false: 30}[testing.Short()]) {
			stream := randomReports(seed)
			got := subject.Run(t, ReportLimits{}, stream)
			require.Equal(t, recount(stream), got.Totals, "seed %d", seed)
			requireSumsAgree(t, got)
		}
	})
	t.Run("limits", func(t *testing.T) { reportLimits(t, subject) })
	t.Run("steps", func(t *testing.T) { reportSteps(t, subject) })
}

var fingerprint = regexp.MustCompile(`"fingerprint": "[0-9a-z]+"`)

// numbered returns a report with its fingerprints as numbers: only which are equal is observed.
func numbered(text string) string {
	seen := map[string]int{}
	return fingerprint.ReplaceAllStringFunc(text, func(s string) string {
		if seen[s] == 0 {
			seen[s] = len(seen) + 1
		}
		return `"fingerprint": "` + strconv.Itoa(seen[s]) + `"`
	})
}

// rewritten returns CSV without quotes that are not needed: they are a matter of the writer.
func rewritten(t *testing.T, text string) string {
	rows, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	require.NoError(t, err)
	var b strings.Builder
	require.NoError(t, csv.NewWriter(&b).WriteAll(rows))
	return b.String()
}

func reportOfDay() ReportOutcome {
	const minute = time.Minute
	git := 94*time.Second + 10*minute
	return ReportOutcome{
		Totals: ReportTotals{
			Errors:     8,
			ByCategory: map[string]int{"provider": 4, "git": 2, "config": 1, "unknown": 1},
			ByCode: map[string]int{"PROVIDER_RATE_LIMIT": 2, "PROVIDER_CRASH": 1, "GIT_PUSH_FAILED": 2,
				"CONFIG_ENV_VAR_MISSING": 1,
				"PROVIDER_API_ERROR":     1, "unknown": 1},
			BySeverity: map[string]int{"high": 1, "unknown": 7},
			BySource: map[string]int{"anthropic-api:call": 2, "claude-code:call": 1, "git:push": 2,
				"unknown": 1, "shell:run": 1, "cli:call": 1},
			ByRecoverability: map[string]int{"retryable": 6, "permanent": 1, "unknown": 1},
			Recoveries:       3, Recovered: 1, NotRecovered: 1, RetryCalls: 5, RetriesSucceeded: 1, RetriesFailed: 1,
		},
		Codes: []ReportCode{
			{"GIT_PUSH_FAILED", "git", "", 2, git + minute},
			{"PROVIDER_RATE_LIMIT", "provider", "", 2, 2 * time.Second},
			{"CONFIG_ENV_VAR_MISSING", "config", "", 1, git + 2*minute},
			{"PROVIDER_API_ERROR", "provider", "high", 1, git + 4*minute},
			{"PROVIDER_CRASH", "provider", "", 1, 93 * time.Second},
			{"unknown", "unknown", "", 1, git + 3*minute},
		},
		Groups: []ReportGroup{
			{"provider:provider cli API error: overloaded", "high", 1, git + 4*minute, git + 4*minute, []string{"h"},
				"h"},
			{":password=[REDACTED] was refused at N.N.N.N", "", 1, git + 3*minute, git + 3*minute, []string{"g"}, "g"},
			{"config:environment variable TOKEN is not set", "", 1, git + 2*minute, git + 2*minute, []string{"f"}, "f"},
			{"git:push: git push failed: remote 'X' hung up after N s", "", 1, git + minute, git + minute,
				[]string{"e"}, "e"},
			{"git:git push failed: remote 'X' hung up after N s", "", 1, git, git, []string{"d"}, "d"},
			{"provider:provider claude-code crashed: exit status N", "", 1, 93 * time.Second, 93 * time.Second,
				[]string{"c"}, "c"},
			{"provider:provider anthropic-api limits the rate", "", 2, 0, 2 * time.Second, []string{"a", "b"}, "a"},
		},
		Step: 15 * time.Second, // with 5 there would be more than 120
		Buckets: []ReportBucket{
			{0, map[string]int{"provider": 2}}, {90 * time.Second, map[string]int{"provider": 1}},
			{690 * time.Second, map[string]int{"git": 1}}, {750 * time.Second, map[string]int{"git": 1}},
			{810 * time.Second, map[string]int{"config": 1}}, {870 * time.Second, map[string]int{"unknown": 1}},
			{930 * time.Second, map[string]int{"provider": 1}},
		},
		Reactions: []ReportReaction{
			{Name: "again", Count: 2, Failed: 1, RetriesFailed: 1},
			{Name: "repeat", Count: 2, Pending: 1},
			{Name: "wait", Count: 2, Recovered: 1, RetriesSucceeded: 1},
			{Name: "backoff", Count: 1},
			{Name: "stop_all", Count: 1},
		},
		Kept: []string{"a", "b", "c", "d", "e", "f", "g", "h"},
	}
}

// sourceIn are the sources that the fields of errors contain.
var sourceIn = map[*ReportError]string{reportLimit: "anthropic-api", reportCrash: "claude-code", reportRated: "cli"}

// recount counts a stream in the plainest way.
func recount(stream []ReportEvent) ReportTotals {
	n := ReportTotals{ByCategory: map[string]int{}, ByCode: map[string]int{}, BySeverity: map[string]int{},
		BySource: map[string]int{}, ByRecoverability: map[string]int{}}
	tried := map[string]*ReportTried{}
	orUnknown := func(s string) string {
		if strings.Trim(s, ":") == "" {
			return "unknown"
		}
		return s
	}
	for _, e := range stream {
		switch _, known := tried[e.ID]; {
		case e.Retry != nil && e.Retry.Calls > 0:
			n.RetryCalls += e.Retry.Calls
			if e.Retry.Succeeded {
				n.RetriesSucceeded++
			} else {
				n.RetriesFailed++
			}
		case e.Err != nil && !known:
			n.Errors++
			n.ByCategory[e.Err.Category]++
			n.ByCode[e.Err.Code]++
			n.BySeverity[orUnknown(e.Err.Severity)]++
			source := e.Source + ":" + e.Component
			if name := sourceIn[e.Err]; e.Source == "" && name != "" {
				source = name + ":unknown"
			}
			n.BySource[orUnknown(source)]++
			n.ByRecoverability[orUnknown(e.Err.Recoverability)]++
			tried[e.ID] = e.Tried
		}
		if e.Err != nil && e.Tried != nil {
			tried[e.ID] = e.Tried
		}
	}
	for _, what := range tried {
		if what == nil {
			continue
		}
		n.Recoveries++
		if what.Helped != nil && *what.Helped {
			n.Recovered++
		} else if what.Helped != nil {
			n.NotRecovered++
		}
	}
	return n
}

func randomReports(seed uint64) []ReportEvent {
	random := rand.New(rand.NewPCG(seed, 7))
	pool := []*ReportError{reportLimit, reportCrash, reportPush, reportConfig, reportRated, reportOther, reportWrapped}
	sources := [][2]string{{"api", "call"}, {"git", "push"}, {"cli", "run"}, {}}
	helped := []*bool{nil, &yes, &no}
	var stream []ReportEvent
	errors := map[string]*ReportError{}
	for range 200 {
		e := ReportEvent{After: time.Duration(random.IntN(5000)) * time.Millisecond}
		if random.IntN(5) == 0 {
			e.Retry = &ReportRetry{"again", "retry", random.IntN(4), random.IntN(2) == 0}
		} else {
			e.ID = strconv.Itoa(random.IntN(150)) // some ids exist already: updates
			if errors[e.ID] == nil {
				errors[e.ID] = pool[random.IntN(len(pool))]
			}
			source := sources[random.IntN(len(sources))]
			e.Err, e.Source, e.Component = errors[e.ID], source[0], source[1]
			if random.IntN(3) == 0 {
				e.Tried = &ReportTried{1 + random.IntN(3), helped[random.IntN(3)]}
			}
		}
		stream = append(stream, e)
	}
	return stream
}

var metricLine = regexp.MustCompile(`(?m)^errgen_errors_total\{.*\} (\d+)$`)

// requireSumsAgree requires that all counts of the same errors are equal.
func requireSumsAgree(t *testing.T, got ReportOutcome) {
	t.Helper()
	sums := map[string]int{"buckets": got.Outside}
	for _, c := range got.Codes {
		sums["codes"] += c.Count
	}
	for _, g := range got.Groups {
		sums["groups"] += g.Count
	}
	for _, b := range got.Buckets {
		for _, n := range b.ByCategory {
			sums["buckets"] += n
		}
	}
	for _, line := range metricLine.FindAllStringSubmatch(got.Files["metrics.txt"], -1) {
		n, err := strconv.Atoi(line[1])
		require.NoError(t, err)
		sums["metrics"] += n
	}
	for name, sum := range sums {
		require.Equal(t, got.Totals.Errors, sum, name)
	}
	require.Len(t, sums, 4)
	require.Len(t, got.Kept, got.Totals.Errors)
	require.True(t, slices.IsSortedFunc(got.Codes, func(a, b ReportCode) int { return b.Count - a.Count }))
}

// reportLimits: totals count all, whatever is kept.
func reportLimits(t *testing.T, subject ReportSubject) {
	stream := []ReportEvent{
		{ID: "1", Err: reportLimit, Source: "api", Component: "a"},
		{ID: "2", Err: reportPush, Source: "git", Component: "b", After: time.Minute},
		{ID: "3", Err: reportLimit, Source: "api", Component: "c", After: time.Minute},
		{ID: "4", Err: reportConfig, Source: "config", Component: "d", After: time.Minute},
	}
	namesOf := func(all []ReportReaction) (names []string) {
		for _, r := range all {
			names = append(names, r.Name)
		}
		return names
	}
	ids := func(o ReportOutcome) (all []string) {
		for _, g := range o.Groups {
			all = append(all, strings.SplitN(g.ID, ":", 2)[0])
		}
		return all
	}
	for _, tt := range []struct {
		name   string
		limits ReportLimits
		check  func(t *testing.T, got ReportOutcome)
	}{
		{"errors", ReportLimits{Errors: 2}, func(t *testing.T, got ReportOutcome) {
			assert.Equal(t, []string{"3", "4"}, got.Kept)
		}},
		{"keys", ReportLimits{Keys: 2}, func(t *testing.T, got ReportOutcome) {
			assert.Equal(t, map[string]int{"provider": 2, "git": 1, "other": 1}, got.Totals.ByCategory)
			assert.Equal(t, map[string]int{"api:a": 1, "git:b": 1, "other": 2}, got.Totals.BySource)
			assert.Equal(t, map[string]int{"PROVIDER_RATE_LIMIT": 2, "GIT_PUSH_FAILED": 1, "other": 1},
				got.Totals.ByCode)
			assert.Equal(t, []string{"wait", "other", "repeat"}, namesOf(got.Reactions))
			assert.Equal(t, map[string]int{"other": 1}, got.Buckets[len(got.Buckets)-1].ByCategory)
		}},
		{"groups", ReportLimits{Groups: 2}, func(t *testing.T, got ReportOutcome) {
			assert.Equal(t, []string{"config", "provider"}, ids(got), "what was seen longest ago makes room")
			assert.Equal(t, 1, got.Gone)
		}},
		{"size of groups", ReportLimits{GroupSize: 1}, func(t *testing.T, got ReportOutcome) {
			assert.Equal(t, []string{"3"}, got.Groups[1].Kept)
			assert.Equal(t, 2, got.Groups[1].Count)
			assert.Equal(t, "1", got.Groups[1].Sample)
		}},
		{"age of groups", ReportLimits{GroupAge: 90 * time.Second}, func(t *testing.T, got ReportOutcome) {
			assert.Equal(t, []string{"config", "provider"}, ids(got))
			assert.Equal(t, 1, got.Groups[1].Count, "a new group, as the former was too old")
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := subject.Run(t, tt.limits, stream)
			assert.Equal(t, 4, got.Totals.Errors)
			tt.check(t, got)
		})
	}
}

// reportSteps: a timeline has at most 120 buckets of a round length, which begin at its multiples
// from 1970 on.
func reportSteps(t *testing.T, subject ReportSubject) {
	const day = 24 * time.Hour
	for after, step := range map[time.Duration]time.Duration{
		time.Second: time.Second, 119 * time.Second: time.Second, 2 * time.Minute: 5 * time.Second,
		15 * time.Minute: 15 * time.Second, time.Hour: time.Minute, 8 * time.Hour: 5 * time.Minute,
		24 * time.Hour: 15 * time.Minute, 4 * day: time.Hour, 14 * day: 6 * time.Hour, 90 * day: day,
		800 * day: 7 * day, 1600 * day: 14 * day, 3000 * day: 28 * day,
	} {
		t.Run(after.String(), func(t *testing.T) {
			t.Parallel()
			got := subject.Run(t, ReportLimits{},
				[]ReportEvent{{ID: "1", Err: reportLimit}, {ID: "2", Err: reportPush, After: after}})
			assert.Equal(t, step, got.Step)
			bucket := func(at time.Time) time.Duration {
				seconds := int64(step / time.Second)
				return time.Unix(at.Unix()/seconds*seconds, 0).Sub(reportStart)
			}
			assert.Equal(t, []ReportBucket{{bucket(reportStart), map[string]int{"provider": 1}},
				{bucket(reportStart.Add(after)), map[string]int{"git": 1}}}, got.Buckets)
			assert.Zero(t, got.Outside)
		})
	}
}
