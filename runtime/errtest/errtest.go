// Package errtest checks how a program reacts to each failure of a service that it calls, or of a
// database. The failures are the examples of the taxonomy's rules.
//
//	errtest.Each(t, errs.Table, errs.Examples(), errs.SourceCalendar,
//		func(t *testing.T, f *errtest.Fault) error {
//			return book(t.Context(), calltest.Client(f.Script))
//		})
//
// To set each answer, use package script alone.
package errtest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/errgen/errgen/runtime/errtest/script"
	"github.com/errgen/errgen/runtime/problem"
	"github.com/errgen/errgen/runtime/report"
	"github.com/errgen/errgen/runtime/retry"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// Fault is the other side of a call that fails: its script answers every call with one example.
type Fault struct {
	*script.Script
	Code    string            // the code that the failure has
	Example string            // the name of the example: "CALENDAR_DOWN/2"
	Failure taxonomy.Evidence // the evidence of the example

	table taxonomy.Table
	once  bool
}

// Once declares that the call itself makes no retries, because its caller does.
func (f *Fault) Once() { f.once = true }

// updating is the variable that makes Each write its files.
const updating = "ERRTEST_UPDATE"

// Each makes a call once for each example of a source, in a bubble of testing/synctest, so that
// waits take no time. The call uses the script of f through a package such as calltest, or by
// [script.Script.Err], and returns its error. Each reports
//
//   - an error that does not have the code of the example;
//   - more or fewer calls than the reaction makes, a wait outside of the limits of its policy, and
//     a call without a time limit;
//   - a response to a client with the text of the failure, unless a public field has it;
//   - a log entry without the code.
//
// Each also compares the results with the file testdata/errtest/TEST-SOURCE.txt, which has the
// code, the calls, the response to a client and the log entry for each example. So a change of the
// taxonomy is a change of this file. The environment variable ERRTEST_UPDATE=1 makes Each write the
// results of the examples that run.
func Each(t *testing.T, table taxonomy.Table, examples []taxonomy.Example,
	source taxonomy.Declared[taxonomy.SourceName], call func(t *testing.T, f *Fault) error) {
	t.Helper()
	file := filepath.Join("testdata", "errtest", strings.ReplaceAll(t.Name(), "/", "-")+"-"+source.String()+".txt")
	want := readResults(file)
	var all strings.Builder
	counts := map[string]int{}
	for _, x := range examples {
		if x.Evidence.Source != source.String() {
			continue
		}
		counts[x.Code]++
		name := fmt.Sprintf("%s/%d", x.Code, counts[x.Code])
		shown, _ := json.Marshal(x.Evidence) // evidence has a JSON
		got, ran := name+" "+string(shown)+"\n", false
		t.Run(name, func(t *testing.T) {
			ran = true
			synctest.Test(t, func(t *testing.T) {
				f := &Fault{Script: script.New(examples), Code: x.Code, Example: name, Failure: x.Evidence,
					table: table}
				f.Add(script.Answer{Failure: &x.Evidence})
				err := call(t, f)
				synctest.Wait() // the other side may end its call after the caller
				got += f.observe(t, err)
			})
			if want[name] != got && os.Getenv(updating) == "" {
				t.Errorf("%s differs from %s; to accept the result, run the test with %s=1\nwant:\n%sgot:\n%s",
					name, file, updating, want[name], got)
			}
		})
		if !ran { // the flag -run selects other examples
			got = want[name]
		}
		delete(want, name)
		all.WriteString(got)
	}
	switch {
	case len(counts) == 0:
		t.Errorf("the taxonomy has no example of the source %s", source)
	case os.Getenv(updating) != "":
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755),
			os.WriteFile(file, []byte(all.String()), 0o644)); err != nil {
			t.Error(err)
		}
	default:
		for name := range want {
			t.Errorf("%s has the example %s, which the taxonomy does not have", file, name)
		}
	}
}

// readResults returns the results in a file by the names of the examples.
func readResults(file string) map[string]string {
	b, _ := os.ReadFile(file) // without the file, each example differs
	results, name := map[string]string{}, ""
	for line := range strings.Lines(string(b)) {
		if !strings.HasPrefix(line, " ") {
			name, _, _ = strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		}
		results[name] += line
	}
	return results
}

// observe checks the result of a call, and returns it as text.
func (f *Fault) observe(t *testing.T, err error) string {
	typed, ok := taxonomy.First(err, f.table.Taxonomy)
	if !ok {
		t.Errorf("%s: the call returned %v, want an error with the code %s", f.Example, err, f.Code)
		return fmt.Sprintf("  error   %v\n", err)
	}
	if code := taxonomy.CodeOf(typed); code != f.Code {
		t.Errorf("%s: the error has the code %s: %v", f.Example, code, err)
	}
	return fmt.Sprintf("  error   %s: %v\n  calls   %s\n  client  %s\n  log     %s\n",
		taxonomy.CodeOf(typed), typed, f.reaction(t, err, typed), f.response(t, err), f.entry(t, err))
}

// reaction checks the calls and the waits, and describes them.
func (f *Fault) reaction(t *testing.T, err error, typed error) string {
	reaction, calls := f.table.Reaction(typed), f.Calls()
	stopped, _ := errors.AsType[*retry.Error](err)
	waits := f.waits(typed, calls)
	text := fmt.Sprint(len(calls))
	var longest time.Duration
	for i, c := range calls {
		longest = max(longest, c.Ended.Sub(c.Began))
		switch {
		case i == 0:
		case i > len(waits):
			t.Errorf("%s: %d calls, the reaction %s makes at most %d",
				f.Example, len(calls), reaction.Name, len(waits)+1)
		default:
			if limits, wait := waits[i-1], waitBefore(calls, i); wait < limits[0] || wait > limits[1] {
				t.Errorf("%s: the wait before call %d is %s, want %s", f.Example, i+1, wait, between(limits))
			}
			text += ", " + between(waits[i-1])
		}
	}
	switch {
	case len(calls) == 0:
		t.Errorf("%s: the call did not reach the other side", f.Example)
	case stopped != nil && exhausts(stopped.Why) && len(calls) <= len(waits),
		stopped == nil && reaction.Retries() && !f.once:
		t.Errorf("%s: %d calls, the reaction %s makes %d", f.Example, len(calls), reaction.Name, len(waits)+1)
	}
	if longest >= script.Hangs {
		t.Errorf("%s: the call has no time limit", f.Example)
	}
	if longest > 0 {
		text += fmt.Sprintf("; each %s", longest)
	}
	if stopped != nil {
		text += fmt.Sprintf("; stopped by %s", stopped.Why)
		reaction = stopped.Reaction
	}
	return text + fmt.Sprintf("; then %s (%s); effect %s", reaction.Name, reaction.Action, retry.EffectOf(err))
}

// exhausts reports whether a loop stopped because its policy permits no further call.
func exhausts(why retry.Stop) bool {
	return why == retry.StoppedAttempts || why == retry.StoppedElapsed || why == retry.StoppedRetryAfter
}

func waitBefore(calls []script.Call, i int) time.Duration {
	return calls[i].Began.Sub(calls[i-1].Ended)
}

// waits returns the limits of the waits that the table specifies after failures with the error, for
// calls that were made.
func (f *Fault) waits(err error, calls []script.Call) (waits [][2]time.Duration) {
	const most = 1000
	state := retry.State{}
	wait := func(random float64) (time.Duration, bool) {
		next, e := retry.Decide(err, func(string) retry.State { return state }, retry.ByTable(f.table),
			retry.WithRandom(func() float64 { return random }))
		return next.Wait, e.Why == retry.StoppedNot
	}
	for range most {
		shortest, again := wait(0)
		if !again {
			break
		}
		longest, _ := wait(1)
		waits = append(waits, [2]time.Duration{shortest, longest})
		if state.Calls++; state.Calls < len(calls) {
			shortest = waitBefore(calls, state.Calls)
		}
		state.Waited += shortest
	}
	return waits
}

func between(limits [2]time.Duration) string {
	if limits[0] == limits[1] {
		return limits[0].String()
	}
	return limits[0].String() + " to " + limits[1].String()
}

// response returns what an HTTP client gets for an error.
func (f *Fault) response(t *testing.T, err error) string {
	w := httptest.NewRecorder()
	problem.Write(w, httptest.NewRequest(http.MethodGet, "/", nil), err, problem.ByTable(f.table),
		problem.OnError(func(*http.Request, error) {}))
	body := w.Body.String()
	row, _ := f.table.Taxonomy.Find(f.Code)
	isPublic := slices.ContainsFunc(f.table.Taxonomy.Fields(row), func(field taxonomy.Field) bool {
		return field.Public && slices.Contains(field.From, "text")
	})
	if text := f.Failure.Text; text != "" && contains(body, text) && !isPublic {
		t.Errorf("%s: a client sees the text %q: %s", f.Example, text, body)
	}
	after := ""
	if wait := w.Header().Get("Retry-After"); wait != "" {
		after = " retry-after=" + wait
	}
	return fmt.Sprintf("%d%s %s", w.Code, after, body)
}

// contains reports whether JSON contains the text, in the escapes of the same encoder.
func contains(body, text string) bool {
	var sent any
	_ = json.Unmarshal([]byte(body), &sent) // problem documents are JSON
	b, _ := json.Marshal(sent)
	quoted, _ := json.Marshal(text)
	return bytes.Contains(b, quoted[1:len(quoted)-1])
}

// varying reports whether an attribute of a log entry differs between two runs or versions of Go.
func varying(key string) bool {
	return slices.Contains([]string{"time", "waited", "text", "stack", "cause", "causes"}, key)
}

// entry returns the log entry for an error.
func (f *Fault) entry(t *testing.T, err error) string {
	var line bytes.Buffer
	options := slog.HandlerOptions{ReplaceAttr: func(groups []string, a slog.Attr) slog.Attr {
		if varying(a.Key) || slices.ContainsFunc(groups, varying) {
			return slog.Attr{}
		}
		return a
	}}
	report.Log(slog.New(slog.NewJSONHandler(&line, &options)), nil, f.table)(context.Background(), "call", err)
	if !strings.Contains(line.String(), `"code":"`+f.Code+`"`) {
		t.Errorf("%s: the log does not have the code %s: %s", f.Example, f.Code, line.String())
	}
	return strings.TrimSpace(line.String())
}
