//go:build unix

package natsqueue_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strconv"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/internal/booking"
	"github.com/errgen/errgen/runtime/queue"
	"github.com/errgen/errgen/runtime/queue/natsqueue"
	"github.com/errgen/errgen/runtime/retry"
)

// job fails in its first deliveries, and then succeeds.
type job struct {
	Code     string
	Failures uint64
}

func (j job) fail() error {
	switch j.Code {
	case "panic":
		panic("lost")
	case "":
		return errors.New("odd")
	}
	row, _ := booking.Table.Taxonomy.Find(j.Code)
	return booking.Table.Taxonomy.New(row, nil)
}

// decided is a decision of a worker, in the stream log.
type decided struct {
	Seq, Attempts uint64
	Action, Code  string
}

const workerURL = "NATSQUEUE_TEST_URL"

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

// work handles messages until the process is killed.
func work(url string) error {
	ctx := context.Background()
	conn, err := nats.Connect(url)
	if err != nil {
		return err
	}
	js, err := jetstream.New(conn)
	if err != nil {
		return err
	}
	consumer, err := js.Consumer(ctx, "JOBS", "workers")
	if err != nil {
		return err
	}
	report := func(ctx context.Context, msg jetstream.Msg, d queue.Decision) {
		meta, _ := msg.Metadata()
		b, _ := json.Marshal(decided{meta.Sequence.Stream, meta.NumDelivered, d.Action.String(), d.Code})
		if _, err := js.Publish(ctx, "log", b); err != nil {
			panic(err)
		}
	}
	return natsqueue.Run(ctx, js, consumer, booking.Table, handle, natsqueue.Workers(8), natsqueue.OnDecision(report),
		natsqueue.WithRetry(retry.WithRandom(nil)))
}

func handle(_ context.Context, msg jetstream.Msg) error {
	var j job
	if err := json.Unmarshal(msg.Data(), &j); err != nil {
		return err
	}
	if meta, err := msg.Metadata(); err != nil || meta.NumDelivered > j.Failures {
		return err
	}
	return j.fail()
}

// streams starts a server with a stream of jobs, one of dead letters and one for the log.
func streams(t *testing.T) (url string, js jetstream.JetStream, consumer jetstream.Consumer) {
	t.Helper()
	s, err := server.NewServer(&server.Options{Port: -1, JetStream: true, StoreDir: t.TempDir(), NoSigs: true})
	require.NoError(t, err)
	s.Start()
	t.Cleanup(func() { s.Shutdown(); s.WaitForShutdown() })
	require.True(t, s.ReadyForConnections(20*time.Second))
	conn, err := nats.Connect(s.ClientURL())
	require.NoError(t, err)
	t.Cleanup(conn.Close)
	js, err = jetstream.New(conn)
	require.NoError(t, err)
	for name, subject := range map[string]string{"JOBS": "jobs", "DEAD": "dead.>", "LOG": "log"} {
		c := jetstream.StreamConfig{Name: name, Subjects: []string{subject}}
		if name == "JOBS" {
			c.Retention = jetstream.WorkQueuePolicy
		}
		_, err = js.CreateStream(t.Context(), c)
		require.NoError(t, err)
	}
	consumer, err = js.CreateConsumer(t.Context(), "JOBS", jetstream.ConsumerConfig{
		Durable: "workers", AckWait: time.Second, MaxAckPending: 20_000})
	require.NoError(t, err)
	return s.ClientURL(), js, consumer
}

func left(t *testing.T, js jetstream.JetStream) int {
	t.Helper()
	stream, err := js.Stream(t.Context(), "JOBS")
	require.NoError(t, err)
	return int(stream.CachedInfo().State.Msgs)
}

// all returns the messages of a stream.
func all(t *testing.T, js jetstream.JetStream, stream string) (msgs []jetstream.Msg) {
	t.Helper()
	s, err := js.Stream(t.Context(), stream)
	require.NoError(t, err)
	c, err := s.OrderedConsumer(t.Context(), jetstream.OrderedConsumerConfig{})
	require.NoError(t, err)
	for len(msgs) < int(s.CachedInfo().State.Msgs) {
		batch, err := c.Fetch(1000, jetstream.FetchMaxWait(time.Second))
		require.NoError(t, err)
		for m := range batch.Messages() {
			msgs = append(msgs, m)
		}
	}
	return msgs
}

// Whatever codes jobs fail with, and however often their workers die, each decision is that of the
// table, and each job ends.
func TestWorkersKilled(t *testing.T) {
	jobs, kills := 10_000, 20
	if testing.Short() {
		jobs, kills = 1000, 4
	}
	url, js, _ := streams(t)
	codes := []string{"", "panic"}
	for _, c := range booking.Table.Taxonomy.Codes() {
		codes = append(codes, c.Value)
	}
	r := rand.New(rand.NewPCG(1, 2))
	sent := make([]job, 1, jobs+1) // by sequence number
	for range jobs {
		j := job{Code: codes[r.IntN(len(codes))], Failures: r.Uint64N(12)}
		sent = append(sent, j)
		b, err := json.Marshal(j)
		require.NoError(t, err)
		_, err = js.PublishAsync("jobs", b)
		require.NoError(t, err)
	}
	<-js.PublishAsyncComplete()
	require.Equal(t, jobs, left(t, js))
	for deaths := range kills + 1 {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), workerURL+"="+url)
		var output bytes.Buffer
		cmd.Stdout, cmd.Stderr = &output, &output
		require.NoError(t, cmd.Start())
		exited := make(chan error, 1)
		go func() { exited <- cmd.Wait() }()
		// A worker is killed after its share of the jobs, the last one after all jobs.
		for share := jobs * (kills - deaths) / (kills + 1); left(t, js) > share; {
			select {
			case err := <-exited:
				require.NoError(t, err, output.String())
			case <-time.After(5 * time.Millisecond):
			}
		}
		require.NoError(t, cmd.Process.Kill())
		<-exited
	}

	type end struct{ action, code string }
	ends := map[uint64]end{}
	for _, m := range all(t, js, "LOG") {
		var d decided
		require.NoError(t, json.Unmarshal(m.Data(), &d))
		h := queue.History{Attempts: int(d.Attempts)}
		want, poisoned := queue.Poisoned(booking.Table, h) // deaths count as attempts
		if j := sent[d.Seq]; !poisoned {
			err := queue.Call(func() error {
				if d.Attempts > j.Failures {
					return nil
				}
				return j.fail()
			})
			want = queue.Decide(t.Context(), booking.Table, err, h)
		}
		assert.Equal(t, end{want.Action.String(), want.Code}, end{d.Action, d.Code}, "%+v of %+v", d, sent[d.Seq])
		ends[d.Seq] = end{d.Action, d.Code}
	}
	assert.Len(t, ends, jobs, "no job is lost")
	letters, again := map[uint64]bool{}, 0
	for _, m := range all(t, js, "DEAD") {
		var seq uint64
		_, err := fmt.Sscanf(m.Headers().Get("Nats-Msg-Id"), "JOBS.workers.%d", &seq)
		require.NoError(t, err)
		assert.False(t, letters[seq], "a job has one letter")
		letters[seq] = true
		letter := end{m.Headers().Get(natsqueue.HeaderAction), m.Headers().Get(natsqueue.HeaderCode)}
		if ends[seq] != letter { // the worker died after the letter, and the next delivery ended otherwise
			again++
		}
		attempts, err := strconv.Atoi(m.Headers().Get(natsqueue.HeaderAttempts))
		require.NoError(t, err)
		assert.LessOrEqual(t, attempts, queue.MaxAttempts(booking.Table)+1)
	}
	assert.LessOrEqual(t, again, kills*8)
	counts := map[string]int{}
	for seq, e := range ends {
		counts[e.action]++
		assert.True(t, letters[seq] || e.action == "ack", "%d: %s", seq, e.action)
	}
	assert.Zero(t, counts["retry"])
	t.Log(counts, "ended after their letter:", again)
}
