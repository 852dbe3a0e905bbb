package temporal_test

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.temporal.io/api/enums/v1"
	"go.temporal.io/api/history/v1"
	"go.temporal.io/sdk/client"
	sdklog "go.temporal.io/sdk/log"
	"go.temporal.io/sdk/worker"

	"github.com/errgen/errgen/gen/errs"
	"github.com/errgen/errgen/internal/devserver"
	"github.com/errgen/errgen/runtime/detect"
	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/taxonomy"
	"github.com/errgen/errgen/runtime/temporal"
)

var quiet = sdklog.NewStructuredLogger(slog.New(slog.DiscardHandler))

// The variables of a worker that is a process of its own.
const (
	workerVariable  = "ERRGEN_TEST_WORKER" // the server's address
	queueVariable   = "ERRGEN_TEST_QUEUE"
	folderVariable  = "ERRGEN_TEST_FOLDER"
	profileVariable = "ERRGEN_TEST_PROFILE"
)

func TestMain(m *testing.M) {
	if address := os.Getenv(workerVariable); address != "" {
		if err := work(address); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	code := m.Run()
	devserver.Stop()
	os.Exit(code)
}

// work is the main function of a worker.
func work(address string) error {
	c, err := client.Dial(client.Options{HostPort: address, Logger: quiet})
	if err != nil {
		return err
	}
	defer c.Close()
	e, err := host(c, os.Getenv(queueVariable), os.Getenv(folderVariable), os.Getenv(profileVariable))
	if err != nil {
		return err
	}
	return temporal.NewWorker(c, os.Getenv(queueVariable), e, temporal.Options{
		Heartbeat: time.Second, MaxEvents: 60, Worker: worker.Options{WorkerStopTimeout: time.Second},
	}).Run(worker.InterruptCh())
}

func host(c client.Client, queue, folder, profile string) (*executor.Executor, error) {
	table := errs.Table
	if profile != "" {
		var err error
		if table, err = table.Profile(taxonomy.ProfileName(profile)); err != nil {
			return nil, err
		}
	}
	return executor.New(executor.Config{
		Table: table, Classify: detect.Classifier(errs.Explain), Provider: filed{folder}, Decode: decode,
		Admission: executor.Admission{Lanes: temporal.Lanes{Client: c, Queue: queue}},
	})
}

// filed is a provider whose turns are the lines of a file, and whose calls are files, so both survive
// its process.
type filed struct{ folder string }

func (f filed) Name() string { return "claude-cli" }

func (f filed) Available(context.Context) error { return nil }

func (f filed) Call(ctx context.Context, r executor.Request) (executor.Answer, error) {
	n := f.calls()
	if err := os.WriteFile(filepath.Join(f.folder, "call-"+strconv.Itoa(n)), []byte(r.Prompt), 0o600); err != nil {
		return executor.Answer{}, err
	}
	script, err := os.ReadFile(filepath.Join(f.folder, "script"))
	if err != nil {
		return executor.Answer{}, err
	}
	word, rest, _ := strings.Cut(strings.Split(string(script), "\n")[n], " ")
	ev := taxonomy.Evidence{Source: "claude-cli", Op: executor.OpCall}
	switch word {
	case "limit":
		after, err := time.ParseDuration(rest)
		if err != nil {
			return executor.Answer{}, err
		}
		ev.Type, ev.Status, ev.RetryAfter = "rate_limit_error", 429, taxonomy.Some(after)
		return executor.Answer{}, &ev
	case "crash":
		ev.Signal = "SIGSEGV"
		return executor.Answer{}, &ev
	case "hang":
		<-ctx.Done()
		return executor.Answer{}, ctx.Err()
	case "done":
		return executor.Answer{Text: "Done.\nTASK COMPLETE"}, nil
	}
	return executor.Answer{Text: rest}, nil
}

func (f filed) calls() int {
	files, _ := filepath.Glob(filepath.Join(f.folder, "call-*"))
	return len(files)
}

// dial returns a client of a development server, which all tests share.
func dial(t testing.TB) client.Client {
	t.Helper()
	address := devserver.Address(t)
	var c client.Client
	require.Eventually(t, func() bool {
		var err error
		c, err = client.Dial(client.Options{
			HostPort: address, Logger: quiet,
			FailureConverter: temporal.Failures{Table: errs.Table, Decode: decode},
		})
		return err == nil
	}, time.Minute, 50*time.Millisecond)
	t.Cleanup(c.Close)
	return c
}

// stage is a queue with a worker's folder.
type stage struct {
	t       *testing.T
	address string
	folder  string
	runs    temporal.Runs
	task    executor.Task
}

func newStage(t *testing.T, script ...string) *stage {
	t.Parallel()
	c := dial(t)
	name := strings.ReplaceAll(t.Name(), "/", ".")
	s := &stage{t: t, address: devserver.Address(t), folder: t.TempDir(),
		runs: temporal.Runs{Client: c, Queue: name, Decode: decode},
		task: executor.Task{Run: name, ID: "1", Prompt: "Do it."}}
	require.NoError(t, os.WriteFile(filepath.Join(s.folder, "script"), []byte(strings.Join(script, "\n")), 0o600))
	return s
}

// worker starts a worker process; the function kills it.
func (s *stage) worker() (kill func()) {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), workerVariable+"="+s.address, queueVariable+"="+s.runs.Queue,
		folderVariable+"="+s.folder)
	cmd.Stderr = os.Stderr
	require.NoError(s.t, cmd.Start())
	killed := false
	kill = func() {
		if !killed {
			killed = true
			_ = cmd.Process.Kill()
			_ = cmd.Wait()
		}
	}
	s.t.Cleanup(kill)
	return kill
}

func (s *stage) start() { require.NoError(s.t, s.runs.Start(s.t.Context(), s.task)) }

func (s *stage) called(n int) {
	s.t.Helper()
	require.Eventually(s.t, func() bool { return filed{s.folder}.calls() >= n }, time.Minute, 10*time.Millisecond)
}

func (s *stage) result() *executor.Result {
	s.t.Helper()
	ctx, stop := context.WithTimeout(s.t.Context(), 2*time.Minute)
	defer stop()
	r, err := s.runs.Result(ctx, s.task.Run)
	require.NoError(s.t, err)
	return r
}

// status returns the status once it fulfils a condition.
func (s *stage) status(fulfils func(temporal.Status) bool) (found temporal.Status) {
	s.t.Helper()
	require.Eventually(s.t, func() bool {
		now, err := s.runs.Status(s.t.Context(), s.task.Run)
		if err == nil && fulfils(now) {
			found = now
			return true
		}
		return false
	}, time.Minute, 20*time.Millisecond)
	return found
}

func TestServerStories(t *testing.T) {
	for _, c := range []struct {
		name   string
		script []string
		end    executor.EndReason
		code   string
		calls  int
	}{
		{"done", []string{"done"}, executor.EndCompleted, "", 1},
		{"iterations", []string{"says half", "says more", "done"}, executor.EndCompleted, "", 3},
		{"limit", []string{"limit 1s", "done"}, executor.EndCompleted, "", 2},
		{"crash", []string{"crash", "done"}, executor.EndCompleted, "", 2},
		{"crashes", []string{"crash", "crash", "crash"}, executor.EndMaxFailures, "PROVIDER_CRASH", 3},
		{"blocked", []string{"says BLOCKED: which one?"}, executor.EndBlockedSignal, "", 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newStage(t, c.script...)
			s.worker()
			s.start()
			r := s.result()
			assert.Equal(t, c.end, r.EndReason)
			assert.Equal(t, c.code, taxonomy.CodeOf(r.Err))
			assert.Equal(t, c.calls, r.Calls)
			s.start() // a run that is over is left as it is
			assert.Equal(t, c.end, s.result().EndReason)
			s.replays()
		})
	}
}

// A worker that is killed in a call: another one continues the run.
func TestServerKilledInCall(t *testing.T) {
	s := newStage(t, "hang", "done")
	kill := s.worker()
	s.start()
	s.called(1)
	kill()
	s.worker()
	r := s.result()
	assert.Equal(t, executor.EndCompleted, r.EndReason)
	assert.Equal(t, 2, r.Calls)
	require.Len(t, r.Errors, 1)
	assert.Equal(t, executor.OpResume, r.Errors[0].Op)
	s.replays()
}

// A wait passes while no worker runs.
func TestServerKilledInWait(t *testing.T) {
	s := newStage(t, "limit 3s", "done")
	kill := s.worker()
	s.start()
	s.status(func(now temporal.Status) bool { return now.State.Step == executor.StepWait })
	kill()
	s.worker()
	r := s.result()
	assert.Equal(t, executor.EndCompleted, r.EndReason)
	assert.Equal(t, 2, r.Calls)
}

func TestServerCancel(t *testing.T) {
	s := newStage(t, "hang")
	s.worker()
	s.start()
	s.called(1)
	require.NoError(t, s.runs.Cancel(t.Context(), s.task.Run))
	assert.Equal(t, executor.EndCancelled, s.result().EndReason)
	s.replays()
}

func TestServerPause(t *testing.T) {
	s := newStage(t, "limit 1s", "done")
	s.worker()
	s.start()
	s.called(1)
	require.NoError(t, s.runs.Pause(t.Context(), s.task.Run, true))
	now := s.status(func(now temporal.Status) bool { return now.State.Step == executor.StepAdmit })
	assert.True(t, now.Paused)
	assert.Equal(t, 1, filed{s.folder}.calls())
	require.NoError(t, s.runs.Pause(t.Context(), s.task.Run, false))
	assert.Equal(t, executor.EndCompleted, s.result().EndReason)
}

// A blocked run continues with an answer, under its name.
func TestServerReopen(t *testing.T) {
	s := newStage(t, "says BLOCKED: which one?", "done")
	s.worker()
	s.start()
	assert.Equal(t, "which one?", s.result().Question)
	require.NoError(t, s.runs.Reopen(t.Context(), s.task, executor.Reopening{Answer: "the second"}))
	r := s.result()
	assert.Equal(t, executor.EndCompleted, r.EndReason)
	assert.Equal(t, 2, r.Calls)
	prompt, err := os.ReadFile(filepath.Join(s.folder, "call-1"))
	require.NoError(t, err)
	assert.Contains(t, string(prompt), "the second")
}

// A long run continues in further histories.
func TestServerContinuesAsNew(t *testing.T) {
	script := strings.Split(strings.Repeat("says more\n", 12)+"done", "\n")
	s := newStage(t, script...)
	s.worker()
	s.start()
	r := s.result()
	assert.Equal(t, executor.EndCompleted, r.EndReason)
	assert.Equal(t, 13, r.Calls)
	assert.Greater(t, s.histories(), 1)
}

// A rate limit that one run meets holds another run of the credential, on another host.
func TestServerLanes(t *testing.T) {
	s := newStage(t, "done")
	s.worker()
	lanes := temporal.Lanes{Client: s.runs.Client, Queue: s.runs.Queue}
	lane := t.Name()
	at, err := lanes.Until(t.Context(), lane)
	require.NoError(t, err)
	assert.True(t, at.IsZero())
	until := time.Now().Add(3 * time.Second)
	require.NoError(t, lanes.Pause(t.Context(), lane, until))
	require.NoError(t, lanes.Pause(t.Context(), lane, until.Add(-time.Second))) // changes nothing
	require.Eventually(t, func() bool {
		at, err = lanes.Until(t.Context(), lane)
		return err == nil && !at.Before(until)
	}, time.Minute, 20*time.Millisecond)
	assert.WithinDuration(t, until, at, time.Second)
	require.Eventually(t, func() bool {
		at, err = lanes.Until(t.Context(), lane)
		return err == nil && at.IsZero()
	}, time.Minute, 50*time.Millisecond)
}

// histories counts the histories of the run.
func (s *stage) histories() (n int) {
	run := ""
	for {
		n++
		it := s.runs.Client.GetWorkflowHistory(s.t.Context(), "errgen/"+s.task.Run, run, false,
			enums.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT)
		require.True(s.t, it.HasNext())
		first, err := it.Next()
		require.NoError(s.t, err)
		if run = first.GetWorkflowExecutionStartedEventAttributes().GetContinuedExecutionRunId(); run == "" {
			return n
		}
	}
}

// replays replays the history of the run with this taxonomy and with another profile of it.
func (s *stage) replays() {
	s.t.Helper()
	var h history.History
	it := s.runs.Client.GetWorkflowHistory(s.t.Context(), "errgen/"+s.task.Run, "", false,
		enums.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT)
	for it.HasNext() {
		e, err := it.Next()
		require.NoError(s.t, err)
		h.Events = append(h.Events, e)
	}
	for _, profile := range []string{"", "unattended"} {
		e, err := host(s.runs.Client, s.runs.Queue, s.folder, profile)
		require.NoError(s.t, err)
		replayer := worker.NewWorkflowReplayer()
		temporal.RegisterWorkflows(replayer, e, temporal.Options{})
		require.NoError(s.t, replayer.ReplayWorkflowHistory(quiet, &h), profile)
	}
}
