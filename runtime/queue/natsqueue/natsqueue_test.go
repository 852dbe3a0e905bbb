//go:build unix

package natsqueue_test

import (
	"context"
	"errors"
	"log/slog"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/internal/booking"
	"github.com/errgen/errgen/runtime/queue"
	"github.com/errgen/errgen/runtime/queue/natsqueue"
	"github.com/errgen/errgen/runtime/retry"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// A message that a breaker refuses keeps its delivery, longer than the ack wait. Without a stream
// for dead letters no message is lost.
func TestRun(t *testing.T) {
	_, js, consumer := streams(t)
	refusal := &taxonomy.Evidence{Source: "breaker", RetryAfter: taxonomy.Some(1500 * time.Millisecond),
		Err: retry.ErrRefused}
	_, err := js.Publish(t.Context(), "jobs", nil)
	require.NoError(t, err)
	ctx, stop := context.WithCancel(t.Context())
	calls := 0
	var decisions []queue.Decision
	err = natsqueue.Run(ctx, js, consumer, booking.Table, func(_ context.Context, msg jetstream.Msg) error {
		meta, err := msg.Metadata()
		require.NoError(t, err)
		if calls++; calls == 1 {
			return refusal
		}
		assert.Equal(t, uint64(calls-1), meta.NumDelivered)
		return booking.NewRoomTaken()
	}, natsqueue.DeadLetters("nowhere."), natsqueue.OnDecision(
		func(_ context.Context, _ jetstream.Msg, d queue.Decision) {
			if decisions = append(decisions, d); len(decisions) == 3 {
				stop()
			}
		}))
	require.NoError(t, err)
	assert.Equal(t, 3, calls)
	assert.Equal(t, []any{queue.Retry, true}, []any{decisions[0].Action, decisions[0].Uncounted})
	for _, d := range decisions[1:] {
		assert.Equal(t, []any{queue.Dead, "ROOM_TAKEN"}, []any{d.Action, d.Code})
	}
	assert.Equal(t, 1, left(t, js), "it is delivered again")
}

// A shutdown ends no message.
func TestShutdown(t *testing.T) {
	_, js, consumer := streams(t)
	_, err := js.Publish(t.Context(), "jobs", nil)
	require.NoError(t, err)
	ctx, stop := context.WithCancel(t.Context())
	var called atomic.Bool
	handle := func(ctx context.Context, _ jetstream.Msg) error {
		called.Store(true)
		stop()
		<-ctx.Done()
		return ctx.Err()
	}
	require.NoError(t, natsqueue.Run(ctx, js, consumer, booking.Table, handle))
	assert.True(t, called.Load())
	assert.Equal(t, 1, left(t, js))
}

// A context that ends with a cause ends Run without an error.
func TestRunEndsWithItsContext(t *testing.T) {
	_, js, consumer := streams(t)
	_, err := js.Publish(t.Context(), "jobs", nil)
	require.NoError(t, err)
	ctx, cancel := context.WithCancelCause(t.Context())
	require.NoError(t, natsqueue.Run(ctx, js, consumer, booking.Table, func(context.Context, jetstream.Msg) error {
		cancel(errors.New("another part of the program failed"))
		return nil
	}))
}

// Each consumer of a message publishes a letter, also of a message that was published with
// expectations about its stream.
func TestDeadLetterOfEachConsumer(t *testing.T) {
	_, js, _ := streams(t)
	_, err := js.PublishMsg(t.Context(), nats.NewMsg("log"), jetstream.WithExpectStream("LOG"),
		jetstream.WithMsgID("first"))
	require.NoError(t, err)
	names := []string{"billing", "shipping"}
	for _, name := range names {
		c, err := js.CreateConsumer(t.Context(), "LOG", jetstream.ConsumerConfig{Durable: name, AckWait: time.Second})
		require.NoError(t, err)
		ctx, stop := context.WithCancel(t.Context())
		calls := 0
		require.NoError(t, natsqueue.Run(ctx, js, c, booking.Table, func(context.Context, jetstream.Msg) error {
			if calls++; calls == 2 {
				stop()
			}
			return booking.NewRoomTaken()
		}, natsqueue.OnDecision(func(context.Context, jetstream.Msg, queue.Decision) {
			time.AfterFunc(200*time.Millisecond, stop)
		})))
		assert.Equal(t, 1, calls)
	}
	var consumers []string
	for _, letter := range all(t, js, "DEAD") {
		consumers = append(consumers, letter.Headers().Get(natsqueue.HeaderConsumer))
	}
	assert.Equal(t, names, consumers)
}

func TestRunRefusesConsumers(t *testing.T) {
	_, js, _ := streams(t)
	consumer, err := js.CreateConsumer(t.Context(), "LOG", jetstream.ConsumerConfig{Durable: "few", MaxDeliver: 5})
	require.NoError(t, err)
	handle := func(context.Context, jetstream.Msg) error { return nil }
	err = natsqueue.Run(t.Context(), js, consumer, booking.Table, handle)
	require.EqualError(t, err, "max_deliver: 5 is too low (at least 9, because the table permits 8 attempts)")
}

func TestRunEndsWithItsConsumer(t *testing.T) {
	if testing.Short() {
		t.Skip("the client misses two heartbeats of 15 seconds first")
	}
	_, js, consumer := streams(t)
	_, err := js.Publish(t.Context(), "jobs", nil)
	require.NoError(t, err)
	err = natsqueue.Run(t.Context(), js, consumer, booking.Table, func(ctx context.Context, _ jetstream.Msg) error {
		return js.DeleteConsumer(ctx, "JOBS", "workers")
	})
	require.ErrorIs(t, err, jetstream.ErrConsumerNotFound)
}

// The workers of a service follow the table.
func ExampleRun() {
	serve := func(ctx context.Context, js jetstream.JetStream, jobs jetstream.Consumer) error {
		return natsqueue.Run(ctx, js, jobs, booking.Table, handle, natsqueue.Workers(4), natsqueue.OnDecision(
			func(ctx context.Context, msg jetstream.Msg, d queue.Decision) {
				slog.InfoContext(ctx, "job ended", "subject", msg.Subject(), "decision", d, "err", d.Err)
			}))
	}
	_ = serve
}
