//go:build unix

package riverqueue_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivermigrate"
	"github.com/riverqueue/river/rivertype"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/internal/booking"
	"github.com/errgen/errgen/runtime/internal/pgtest"
	"github.com/errgen/errgen/runtime/queue"
	"github.com/errgen/errgen/runtime/queue/riverqueue"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// job fails Failures times with Code, and then succeeds.
type job struct {
	Code     string
	Failures int
}

func (job) Kind() string { return "job" }

type worker struct {
	river.WorkerDefaults[job]
}

func (worker) Work(_ context.Context, j *river.Job[job]) error {
	failed := 0
	for _, e := range j.Errors {
		if bytes.HasPrefix([]byte(e.Error), []byte("retry "+j.Args.Code+": ")) {
			failed++
		}
	}
	if failed >= j.Args.Failures {
		return nil
	}
	return failureOf(j.Args.Code)
}

func failureOf(code string) error {
	switch code {
	case "panic":
		panic("lost")
	case "":
		return errors.New("odd")
	}
	row, _ := booking.Table.Taxonomy.Find(code)
	return booking.Table.Taxonomy.New(row, nil)
}

const workerURL = "RIVERQUEUE_TEST_URL"

func TestMain(m *testing.M) {
	url := os.Getenv(workerURL)
	if url == "" {
		os.Exit(m.Run())
	}
	if err := work(url); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// work works jobs until the process is killed.
func work(url string) error {
	ctx := context.Background()
	pool, err := pgxpool.New(ctx, url)
	if err != nil {
		return err
	}
	config := river.Config{RescueStuckJobsAfter: time.Second, JobTimeout: 500 * time.Millisecond,
		RetryPolicy: immediately{}}
	config.Workers = river.NewWorkers()
	river.AddWorker(config.Workers, worker{})
	client, err := newClient(pool, config)
	if err != nil {
		return err
	}
	if err := client.Start(ctx); err != nil {
		return err
	}
	select {}
}

// immediately is the retry policy for jobs that were rescued.
type immediately struct{}

func (immediately) NextRetry(*rivertype.JobRow) time.Time { return time.Now() }

func newClient(pool *pgxpool.Pool, config river.Config,
	opts ...riverqueue.Option) (*river.Client[pgx.Tx], error) {
	config.Queues = map[string]river.QueueConfig{river.QueueDefault: {MaxWorkers: 50}}
	config.FetchCooldown, config.FetchPollInterval = time.Millisecond, 50*time.Millisecond
	riverqueue.Configure(&config, booking.Table, opts...)
	return river.NewClient(riverpgxv5.New(pool), &config)
}

func database(t *testing.T) (string, *pgxpool.Pool) {
	t.Helper()
	url := pgtest.Start(t)
	pool, err := pgxpool.New(t.Context(), url)
	require.NoError(t, err)
	t.Cleanup(pool.Close)
	migrator, err := rivermigrate.New(riverpgxv5.New(pool), nil)
	require.NoError(t, err)
	_, err = migrator.Migrate(t.Context(), rivermigrate.DirectionUp, nil)
	require.NoError(t, err)
	return url, pool
}

// Whatever codes jobs fail with, and however often their workers die, each job ends as the table
// specifies.
func TestWorkersKilled(t *testing.T) {
	jobs, kills := 10_000, 20
	if testing.Short() {
		jobs, kills = 1000, 4
	}
	url, pool := database(t)
	client, err := river.NewClient(riverpgxv5.New(pool), &river.Config{})
	require.NoError(t, err)
	codes := []string{"", "panic"}
	for _, c := range booking.Table.Taxonomy.Codes() {
		codes = append(codes, c.Value)
	}
	r := rand.New(rand.NewPCG(1, 2))
	var batch []river.InsertManyParams
	for range jobs {
		j := job{Code: codes[r.IntN(len(codes))], Failures: r.IntN(12)}
		batch = append(batch, river.InsertManyParams{Args: j})
	}
	_, err = client.InsertMany(t.Context(), batch)
	require.NoError(t, err)

	left := func() (n int) {
		require.NoError(t, pool.QueryRow(t.Context(),
			"SELECT count(*) FROM river_job WHERE finalized_at IS NULL").Scan(&n))
		return n
	}
	deaths := 0
	for deadline := time.Now().Add(8 * time.Minute); left() > 0; {
		require.True(t, time.Now().Before(deadline), "%d jobs are left", left())
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), workerURL+"="+url)
		var output bytes.Buffer
		cmd.Stdout, cmd.Stderr = &output, &output
		require.NoError(t, cmd.Start())
		exited := make(chan error, 1)
		go func() { exited <- cmd.Wait() }()
		// A worker is killed after its share of the jobs, the last one after all jobs.
		share := max(0, jobs*(kills-deaths)/(kills+1))
		for left() > share {
			select {
			case err := <-exited:
				require.NoError(t, err, output.String())
			case <-time.After(5 * time.Millisecond):
			}
		}
		require.NoError(t, cmd.Process.Signal(syscall.SIGKILL))
		<-exited
		deaths++
	}
	t.Log("deaths:", deaths)
	checkEnds(t, pool, jobs)
}

// checkEnds compares the ends of the jobs with the table.
func checkEnds(t *testing.T, pool *pgxpool.Pool, jobs int) {
	client, err := river.NewClient(riverpgxv5.New(pool), &river.Config{})
	require.NoError(t, err)
	params := river.NewJobListParams().First(jobs)
	all, counts, lost := 0, map[rivertype.JobState]int{}, 0
	list := params.States(rivertype.JobStateCompleted, rivertype.JobStateCancelled, rivertype.JobStateDiscarded)
	for {
		page, err := client.JobList(t.Context(), list)
		require.NoError(t, err)
		if len(page.Jobs) == 0 {
			break
		}
		for _, row := range page.Jobs {
			counts[row.State]++
			all++
			lost += checkEnd(t, row)
		}
		list = list.After(page.LastCursor)
	}
	assert.Equal(t, jobs, all, "no job is lost")
	t.Log(counts, "attempts lost:", lost)
}

// checkEnd makes the decisions about a job again, and returns how many of its attempts were lost.
func checkEnd(t *testing.T, row *rivertype.JobRow) (lost int) {
	var j job
	require.NoError(t, json.Unmarshal(row.EncodedArgs, &j))
	code := j.Code
	if code == "" || code == "panic" {
		code = "UNEXPECTED"
	}
	var h queue.History
	var err error = &taxonomy.Evidence{Type: "panic"}
	if j.Code != "panic" {
		err = failureOf(j.Code)
	}
	want := queue.Ack
	for _, e := range row.Errors {
		action, got := riverqueue.Last(&rivertype.JobRow{Errors: []rivertype.AttemptError{e}})
		if got == "" { // of a worker that died
			lost++
			continue
		}
		h.Attempts, h.First = e.Attempt, time.Now().Add(row.Errors[0].At.Sub(e.At))
		d := queue.Decide(t.Context(), booking.Table, err, h)
		if queue.MaxAttempts(booking.Table) <= lost {
			d = queue.Decision{Action: queue.Dead}
			code = "UNEXPECTED"
		}
		want = d.Action
		assert.Equal(t, []any{d.Action, code}, []any{action, got}, "job %d: %+v: %+v", row.ID, j, row.Errors)
		h.Codes = append(h.Codes, got)
	}
	state := rivertype.JobStateCompleted
	switch want {
	case queue.Park:
		state = rivertype.JobStateCancelled
	case queue.Dead:
		state = rivertype.JobStateDiscarded
	case queue.Retry:
		assert.Equal(t, len(h.Codes), j.Failures, "it ended in success")
	}
	assert.Equal(t, state, row.State, "job %d: %+v", row.ID, j)
	return lost
}
