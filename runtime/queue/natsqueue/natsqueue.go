// Package natsqueue makes the workers of NATS JetStream follow the reactions of a taxonomy.
//
//	err := natsqueue.Run(ctx, js, consumer, errs.Table, handle, natsqueue.DeadLetters("dead."))
//
// Each delivery of a message ends as [queue.Decide] decides. JetStream stores a count of deliveries
// and no codes, so each delivery counts for every code, also one whose worker died.
package natsqueue

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/errgen/errgen/runtime/queue"
	"github.com/errgen/errgen/runtime/retry"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// The headers of a dead letter, beside those of the message.
const (
	HeaderAction   = "Errgen-Action"   // "park" or "dead"
	HeaderCode     = "Errgen-Code"     // the code, or "uncategorized"
	HeaderWhy      = "Errgen-Why"      // the reason, as of [retry.Stop]
	HeaderAttempts = "Errgen-Attempts" // the number of deliveries
	HeaderSubject  = "Errgen-Subject"  // the subject of the message
	HeaderConsumer = "Errgen-Consumer" // the consumer whose worker ended the message
)

// Option configures [Run].
type Option func(*worker)

// WithRetry passes options to [queue.Decide], such as [retry.WithClassifier].
func WithRetry(opts ...retry.Option) Option {
	return func(w *worker) { w.retry = append(w.retry, opts...) }
}

// OnDecision sets a function that receives each decision before it is carried out, for logs and
// metrics. A message that a breaker refuses has a decision for each refusal.
func OnDecision(f func(ctx context.Context, msg jetstream.Msg, d queue.Decision)) Option {
	return func(w *worker) { w.onDecision = f }
}

// DeadLetters sets the prefix of the subjects to which parked and dead messages are published. A
// stream must store these subjects. The default is "dead.".
func DeadLetters(prefix string) Option { return func(w *worker) { w.prefix = prefix } }

// Workers sets the number of messages that are handled at the same time. The default is 1.
func Workers(n int) Option { return func(w *worker) { w.workers = max(1, n) } }

type worker struct {
	js         jetstream.JetStream
	table      taxonomy.Table
	handle     func(ctx context.Context, msg jetstream.Msg) error
	ackWait    time.Duration
	prefix     string
	workers    int
	retry      []retry.Option
	onDecision func(ctx context.Context, msg jetstream.Msg, d queue.Decision)
}

// Run handles the messages of a consumer until ctx ends, and returns nil then. Handle must not
// acknowledge the message, and must return within the consumer's ack wait, after which the server
// delivers the message to another worker. Run returns an error if the max_deliver of the consumer does
// not exceed [queue.MaxAttempts], and if the consumer or its stream is deleted.
func Run(ctx context.Context, js jetstream.JetStream, consumer jetstream.Consumer, t taxonomy.Table,
	handle func(ctx context.Context, msg jetstream.Msg) error, opts ...Option) error {
	config := consumer.CachedInfo().Config
	if most := queue.MaxAttempts(t); config.MaxDeliver > 0 && config.MaxDeliver <= most {
		return fmt.Errorf("max_deliver: %d is too low (at least %d, because the table permits %d attempts)",
			config.MaxDeliver, most+1, most)
	}
	w := &worker{js: js, table: t, handle: handle, ackWait: config.AckWait, prefix: "dead.", workers: 1}
	for _, option := range opts {
		option(w)
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var workers sync.WaitGroup
	var once sync.Once
	var first error
	for range w.workers {
		workers.Go(func() {
			if err := w.consume(ctx, consumer); err != nil {
				once.Do(func() { first = err })
				cancel()
			}
		})
	}
	workers.Wait()
	return first
}

// consume handles one message after the other. It fetches no message in advance, because such
// messages lose a delivery if the process dies.
func (w *worker) consume(ctx context.Context, consumer jetstream.Consumer) error {
	messages, err := consumer.Messages(jetstream.PullMaxMessages(1))
	if err != nil {
		return fmt.Errorf("consume: %w", err)
	}
	defer messages.Stop()
	for {
		msg, err := messages.Next(jetstream.NextContext(ctx))
		switch {
		case ctx.Err() != nil:
			if msg != nil {
				_ = msg.Nak() // otherwise it is delivered again after the ack wait
			}
			return nil
		case errors.Is(err, jetstream.ErrNoHeartbeat): // the connection is lost, or the consumer
			_, err := consumer.Info(ctx)
			if errors.Is(err, jetstream.ErrConsumerNotFound) || errors.Is(err, jetstream.ErrStreamNotFound) {
				return fmt.Errorf("next message: %w", err)
			}
			continue
		case err != nil:
			return fmt.Errorf("next message: %w", err)
		}
		w.deliver(ctx, msg)
	}
}

// deliver handles a delivery. An answer to the server that fails is not repeated: the message is
// delivered again after the ack wait.
func (w *worker) deliver(ctx context.Context, msg jetstream.Msg) {
	meta, err := msg.Metadata()
	if err != nil {
		return
	}
	h := queue.History{Attempts: int(meta.NumDelivered)}
	d, poisoned := queue.Poisoned(w.table, h)
	for {
		if !poisoned {
			err := queue.Call(func() error { return w.handle(ctx, msg) })
			d = queue.Decide(ctx, w.table, err, h, w.retry...)
		}
		if w.onDecision != nil {
			w.onDecision(ctx, msg, d)
		}
		isRefused := d.Uncounted && d.Why == retry.StoppedRefused
		if !isRefused || !w.hold(ctx, msg, d.Wait) {
			break
		}
	}
	switch d.Action {
	case queue.Ack:
		_ = msg.Ack()
	case queue.Retry:
		_ = msg.NakWithDelay(d.Wait)
	default:
		w.bury(ctx, msg, meta, d)
	}
}

// hold keeps a message that a breaker refused, because a new delivery would count. It reports
// whether the wait passed before ctx ended.
func (w *worker) hold(ctx context.Context, msg jetstream.Msg, wait time.Duration) bool {
	beat := time.NewTicker(max(w.ackWait/3, time.Millisecond))
	defer beat.Stop()
	passed := time.NewTimer(wait)
	defer passed.Stop()
	for {
		select {
		case <-beat.C:
			_ = msg.InProgress()
		case <-passed.C:
			return true
		case <-ctx.Done():
			return false
		}
	}
}

// bury publishes a dead letter, and ends the message after the server stored the letter. A letter
// that is published again has the same id, so the stream stores it once in its duplicate window.
func (w *worker) bury(ctx context.Context, msg jetstream.Msg, meta *jetstream.MsgMetadata, d queue.Decision) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), max(w.ackWait, time.Second))
	defer cancel()
	letter := nats.NewMsg(w.prefix + msg.Subject())
	letter.Data = msg.Data()
	for name, values := range msg.Headers() {
		if !strings.HasPrefix(name, "Nats-") { // instructions to the server about the first publication
			letter.Header[name] = values
		}
	}
	code := d.Code
	if code == "" {
		code = retry.Uncategorized
	}
	letter.Header.Set(HeaderAction, d.Action.String())
	letter.Header.Set(HeaderCode, code)
	letter.Header.Set(HeaderWhy, d.Why.String())
	letter.Header.Set(HeaderAttempts, strconv.FormatUint(meta.NumDelivered, 10))
	letter.Header.Set(HeaderSubject, msg.Subject())
	letter.Header.Set(HeaderConsumer, meta.Consumer)
	id := fmt.Sprintf("%s.%s.%d", meta.Stream, meta.Consumer, meta.Sequence.Stream)
	if _, err := w.js.PublishMsg(ctx, letter, jetstream.WithMsgID(id)); err != nil {
		_ = msg.NakWithDelay(time.Second)
		return
	}
	_ = msg.TermWithReason(d.Action.String() + " " + code)
}
