package temporal_test

import (
	"context"
	"flag"
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
	"github.com/errgen/errgen/runtime/executor/internal/loop"
	"github.com/errgen/errgen/runtime/executor/temporal"
	"github.com/errgen/errgen/runtime/taxonomy"
)

func decode(b []byte) (error, error) { return errs.UnmarshalError(b) }

var quiet = sdklog.NewStructuredLogger(slog.New(slog.DiscardHandler))

// The variables of a worker that is a process of its own.
const (
	workerVariable = "ERRGEN_TEST_WORKER" // the server's address
	queueVariable  = "ERRGEN_TEST_QUEUE"
	folderVariable = "ERRGEN_TEST_FOLDER"
	deathVariable  = "ERRGEN_TEST_DEATH" // the point at which the process kills itself
)

func TestMain(m *testing.M) {
	if address := os.Getenv(workerVariable); address != "" {
		if err := work(address); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	flag.Parse()
	_ = flag.Set("test.parallel", "8") // the tests wait more than they compute
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
	executorOf := func(run string) (*executor.Executor, error) {
		return host(c, os.Getenv(queueVariable), os.Getenv(folderVariable), "", run)
	}
	return temporal.NewWorker(c, os.Getenv(queueVariable), nil, temporal.Options{
		Executor: executorOf, Heartbeat: time.Second, MaxEvents: 60,
		Worker: worker.Options{WorkerStopTimeout: time.Second, StickyScheduleToStartTimeout: time.Second},
	}).Run(worker.InterruptCh())
}

// host returns the executor of a worker. A folder with a working tree makes the worker mortal.
func host(c client.Client, queue, folder, profile, run string) (*executor.Executor, error) {
	table := errs.Table
	if profile != "" {
		var err error
		if table, err = table.Profile(taxonomy.ProfileName(profile)); err != nil {
			return nil, err
		}
	}
	cfg := executor.Config{
		Table: table, Classify: detect.Classifier(errs.Explain), Provider: filed{folder}, Decode: decode,
		Admission: executor.Admission{Lanes: temporal.Lanes{Client: c, Queue: queue}},
	}
	if _, err := os.Stat(filepath.Join(folder, "tree")); err == nil {
		if err := (mortal{folder: folder}).configure(&cfg, run); err != nil {
			return nil, err
		}
	}
	return executor.New(cfg)
}

// filed is a provider whose turns are the lines of a file, and whose calls are files, so both
// survive its process.
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
	ev := taxonomy.Evidence{Source: "claude-cli", Op: loop.OpCall}
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

// Credential is the folder of the test, so the stages of a test share a lane.
func (f filed) Credential() string { return filepath.Dir(f.folder) }

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
	c := dial(t)
	name := strings.ReplaceAll(t.Name(), "/", ".")
	s := &stage{t: t, address: devserver.Address(t), folder: t.TempDir(),
		runs: temporal.Runs{Client: c, Queue: name, Decode: decode},
		task: executor.Task{Run: name, ID: "1", Prompt: "Do it."}}
	require.NoError(t, os.WriteFile(filepath.Join(s.folder, "script"), []byte(strings.Join(script, "\n")), 0o600))
	return s
}

// worker starts a worker process.
func (s *stage) worker(variables ...string) *exec.Cmd {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), workerVariable+"="+s.address, queueVariable+"="+s.runs.Queue,
		folderVariable+"="+s.folder)
	cmd.Env = append(cmd.Env, variables...)
	cmd.Stderr = os.Stderr
	require.NoError(s.t, cmd.Start())
	s.t.Cleanup(func() { kill(cmd) })
	return cmd
}

// kill kills a worker, if it is alive.
func kill(worker *exec.Cmd) {
	_ = worker.Process.Kill()
	_ = worker.Wait()
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

// A worker that is killed in a call: another one continues the run.
func TestServerKilledInCall(t *testing.T) {
	t.Parallel()
	s := newStage(t, "hang", "done")
	first := s.worker()
	s.start()
	s.called(1)
	kill(first)
	s.worker()
	r := s.result()
	assert.Equal(t, executor.EndCompleted, r.EndReason)
	assert.Equal(t, 2, r.Calls)
	require.Len(t, r.Errors, 1)
	assert.Equal(t, loop.OpResume, r.Errors[0].Op)
	s.replays()
}

// A wait passes while no worker runs.
func TestServerKilledInWait(t *testing.T) {
	t.Parallel()
	s := newStage(t, "limit 3s", "done")
	first := s.worker()
	s.start()
	s.status(func(now temporal.Status) bool { return now.State.Step == loop.StepWait })
	kill(first)
	s.worker()
	r := s.result()
	assert.Equal(t, executor.EndCompleted, r.EndReason)
	assert.Equal(t, 2, r.Calls)
}

// A run is cancelled by its worker, or by the next one.
func TestServerCancel(t *testing.T) {
	for _, dead := range []bool{false, true} {
		t.Run(strconv.FormatBool(dead), func(t *testing.T) {
			t.Parallel()
			s := newStage(t, "hang", "done")
			first := s.worker()
			s.start()
			s.called(1)
			if dead {
				kill(first)
			}
			require.NoError(t, s.runs.Cancel(t.Context(), s.task.Run))
			if dead {
				s.worker()
			}
			r := s.result()
			assert.Equal(t, executor.EndCancelled, r.EndReason)
			assert.Equal(t, 1, r.Calls)
			s.replays()
		})
	}
}

func TestServerPause(t *testing.T) {
	t.Parallel()
	s := newStage(t, "limit 1s", "done")
	s.worker()
	s.start()
	s.called(1)
	require.NoError(t, s.runs.Pause(t.Context(), s.task.Run, true))
	now := s.status(func(now temporal.Status) bool { return now.State.Step == loop.StepAdmit })
	assert.True(t, now.Paused)
	assert.Equal(t, 1, filed{s.folder}.calls())
	require.NoError(t, s.runs.Pause(t.Context(), s.task.Run, false))
	assert.Equal(t, executor.EndCompleted, s.result().EndReason)
}

// A blocked run continues with an answer, under its name.
func TestServerReopen(t *testing.T) {
	t.Parallel()
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
	t.Parallel()
	s := newStage(t, script...)
	s.worker()
	s.start()
	r := s.result()
	assert.Equal(t, executor.EndCompleted, r.EndReason)
	assert.Equal(t, 13, r.Calls)
	assert.Greater(t, s.histories(), 1)
}

// A rate limit that one run meets holds another run of the credential, on another host.
func TestServerSharedWait(t *testing.T) {
	t.Parallel()
	north, south := newStage(t, "limit 10s", "done"), newStage(t, "done")
	south.runs.Queue, south.task.Run = "south", "south"
	for _, s := range []*stage{north, south} {
		s.worker()
	}
	north.start()
	waiting := north.status(func(now temporal.Status) bool { return now.State.Step == loop.StepWait })
	south.start()
	r := south.result()
	assert.Equal(t, executor.EndCompleted, r.EndReason)
	require.Len(t, r.Waits, 1)
	assert.Equal(t, "lane", r.Waits[0].For)
	assert.Equal(t, 1, r.Calls)
	assert.False(t, r.EndedAt.Before(waiting.State.Wait.Until), "the call came before the lane opened")
	assert.Equal(t, executor.EndCompleted, north.result().EndReason)
	south.replays()
}

// A lane that is closed twice opens at the later time.
func TestServerLane(t *testing.T) {
	t.Parallel()
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
		e, err := host(s.runs.Client, s.runs.Queue, s.folder, profile, s.task.Run)
		require.NoError(s.t, err)
		replayer := worker.NewWorkflowReplayer()
		temporal.RegisterWorkflows(replayer, e, temporal.Options{})
		require.NoError(s.t, replayer.ReplayWorkflowHistory(quiet, &h), profile)
	}
}
