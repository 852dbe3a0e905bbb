package retry_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/detect"
	"github.com/errgen/errgen/runtime/internal/orders"
	"github.com/errgen/errgen/runtime/problem"
	"github.com/errgen/errgen/runtime/retry"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// fate is what happens to a call.
type fate int

const (
	answered   fate = iota
	lostBefore      // the connection ends before the server applies the call
	lostAfter       // the connection ends after it
	refused         // there is no server
	busy            // the server declares that nothing happened
	failed          // the server declares nothing
	failedLate      // the server applies the call, and declares nothing
)

// fateOf returns the seeded fate of an attempt of a call.
func fateOf(id, attempt int) fate {
	x := rand.New(rand.NewPCG(uint64(id), uint64(attempt))).Float64()
	for f, share := range []float64{0.4, 0.1, 0.1, 0.15, 0.15, 0.05} {
		if x -= share; x < 0 {
			return fate(f)
		}
	}
	return failedLate
}

// lossyServer applies calls, and loses replies. A call that was applied before is applied again,
// unless it has a key: then the server declares that it was done.
type lossyServer struct {
	applied sync.Map // *atomic.Int32 by call
	t       *testing.T
}

func (s *lossyServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	id, _ := strconv.Atoi(r.FormValue("id"))
	attempt, _ := strconv.Atoi(r.FormValue("attempt"))
	f := fateOf(id, attempt)
	if f == busy {
		problem.Write(w, r, orders.CodeTooMany)
		return
	}
	v, _ := s.applied.LoadOrStore(id, new(atomic.Int32))
	times := v.(*atomic.Int32)
	if times.Load() > 0 && r.Header.Get("Idempotency-Key") != "" && f == answered {
		problem.Write(w, r, orders.NewOrderPlaced())
		return
	}
	if f == answered || f == lostAfter || f == failedLate {
		times.Add(1)
	}
	switch f {
	case lostBefore, lostAfter:
		conn, _, err := w.(http.Hijacker).Hijack()
		if assert.NoError(s.t, err) {
			assert.NoError(s.t, conn.Close())
		}
	case failed, failedLate:
		w.WriteHeader(http.StatusServiceUnavailable)
	}
}

// expected returns the calls that retries with an idempotence make, and whether the last one tells
// the client that its work is done.
func expected(id int, idempotent taxonomy.Tristate) (calls int, done bool) {
	failures := map[string]int{}
	for calls = 1; ; calls++ {
		code, effect := "STORE_DOWN", taxonomy.EffectUnknown
		switch fateOf(id, calls) {
		case answered:
			return calls, true
		case busy:
			code, effect = "TOO_MANY", taxonomy.EffectNone
		case refused:
			effect = taxonomy.EffectNone
		}
		failures[code]++
		if failures[code] == 3 || idempotent == taxonomy.No && effect != taxonomy.EffectNone {
			return calls, false
		}
	}
}

// TestLostReplies makes seeded calls to a real server that loses replies before and after it
// applies them. No call that is not idempotent is applied twice, and every retry that is known to
// be safe is made. Without a declaration, the calls are those of the policy.
func TestLostReplies(t *testing.T) {
	calls := 10_000
	if testing.Short() {
		calls = 2_000
	}
	server := &lossyServer{t: t}
	h := httptest.NewServer(server)
	defer h.Close()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	nobody := "http://" + l.Addr().String()
	require.NoError(t, l.Close())

	transport := &http.Transport{MaxIdleConnsPerHost: 8}
	defer transport.CloseIdleConnections()
	client := &http.Client{Transport: transport}
	modes := []struct {
		idempotent taxonomy.Tristate
		options    []retry.Option
		successes  atomic.Int32
		possible   atomic.Int32
		twice      atomic.Int32
	}{
		{idempotent: taxonomy.Unspecified},
		{idempotent: taxonomy.No, options: []retry.Option{retry.ForOperation(orders.OperationPlaceOrder)}},
		{idempotent: taxonomy.Yes, options: []retry.Option{retry.ForMethod(http.MethodPost, "key")}},
	}
	ids := make(chan int)
	var workers sync.WaitGroup
	for range 8 {
		workers.Go(func() {
			for id := range ids {
				mode := &modes[id%len(modes)]
				made := 0
				err := retry.Do(t.Context(), func(ctx context.Context) error {
					made++
					url := h.URL
					if fateOf(id, made) == refused {
						url = nobody
					}
					return post(ctx, client, url, id, made, mode.idempotent == taxonomy.Yes)
				}, append(mode.options, retry.ByTable(orders.Table), retry.WithClock(newClock()),
					retry.WithClassifier(orders.Classify, detect.WithSource(orders.SourceGateway)))...)
				isDone := err == nil || errors.Is(err, taxonomy.AlreadyDone)
				want, possible := expected(id, mode.idempotent)
				assert.Equal(t, want, made, "calls of %d, idempotent %v: %v", id, mode.idempotent, err)
				assert.Equal(t, possible, isDone, "%d: %v", id, err)
				if isDone {
					mode.successes.Add(1)
				}
				if possible {
					mode.possible.Add(1)
				}
				if v, ok := server.applied.Load(id); ok && v.(*atomic.Int32).Load() > 1 {
					mode.twice.Add(1)
				}
			}
		})
	}
	for id := range calls {
		ids <- id
	}
	close(ids)
	workers.Wait()
	for i := range modes {
		m := &modes[i]
		t.Logf("idempotent %v: %d of %d possible successes, %d applied twice", m.idempotent, m.successes.Load(),
			m.possible.Load(), m.twice.Load())
		assert.GreaterOrEqual(t, float64(m.successes.Load()), 0.95*float64(m.possible.Load()))
	}
	assert.Zero(t, modes[1].twice.Load())
	assert.NotZero(t, modes[0].twice.Load(), "the server applies repeated calls")
}

func post(ctx context.Context, client *http.Client, url string, id, attempt int, key bool) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost,
		fmt.Sprintf("%s/orders?id=%d&attempt=%d", url, id, attempt), nil)
	if err != nil {
		return err
	}
	if key {
		req.Header.Set("Idempotency-Key", strconv.Itoa(id))
	}
	resp, err := client.Do(req)
	if err != nil {
		return err
	}
	defer func() { _ = resp.Body.Close() }()
	return problem.Read(resp, orders.Table)
}
