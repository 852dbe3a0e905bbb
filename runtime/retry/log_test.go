package retry_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/retry"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// D106, D112, B-D18: every call is noted, the first with no delay, and what is noted is what was
// waited, jitter included.
func TestLog(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log retry.Log
		begun := time.Now()
		policy := taxonomy.Policy{
			MaxAttempts: 3, InitialDelay: s, MaxDelay: 30 * s, Multiplier: 2, JitterKind: taxonomy.JitterProportional,
			Jitter: 0.1,
		}
		op, _ := story(errFlaky, errors.New("password=hunter2hunter2"), nil)
		rolls := []float64{0.75, 0.25}
		next := func() float64 { f := rolls[0]; rolls = rolls[1:]; return f }
		require.NoError(t, retry.Do(t.Context(), op, retry.ByPolicy(policy), retry.WithLog(&log, "fetch"),
			retry.WithRandom(next)))
		assert.Equal(t, []retry.Noted{
			{Attempt: 1, At: begun, Error: "flaky", Failed: true},
			{Attempt: 2, At: begun.Add(1050 * ms), Delay: 1050 * ms, Error: "password=" + taxonomy.Redacted,
				Failed: true},
			{Attempt: 3, At: begun.Add(2950 * ms), Delay: 1900 * ms},
		}, log.Attempts("fetch"))
		b, err := json.Marshal(log.Attempts("fetch")[1:])
		require.NoError(t, err)
		assert.JSONEq(t, fmt.Sprintf(`[
			{"attempt":2,"timestamp":%d,"delayMs":1050,"error":"password=[REDACTED]"},
			{"attempt":3,"timestamp":%d,"delayMs":1900}]`, begun.UnixMilli()+1050, begun.UnixMilli()+2950), string(b))
	})
}

// D113: by operation, readable and clearable; of an unknown one there are none.
func TestLogByOperation(t *testing.T) {
	var log retry.Log
	note := func(operation string) {
		op, _ := story(nil)
		require.NoError(t, retry.Do(t.Context(), op, retry.ByPolicy(thrice), retry.WithLog(&log, operation)))
	}
	note("a")
	note("a")
	note("b")
	assert.Len(t, log.Attempts("a"), 2)
	assert.Equal(t, []retry.Noted{}, log.Attempts("c"))
	log.Attempts("b")[0].Attempt = 99
	assert.Equal(t, 1, log.Attempts("b")[0].Attempt, "the caller's own")
	log.Clear("a")
	log.Clear("c")
	assert.Empty(t, log.Attempts("a"))
	assert.Len(t, log.Attempts("b"), 1)

	var none *retry.Log
	op, _ := story(nil)
	require.NoError(t, retry.Do(t.Context(), op, retry.ByPolicy(thrice), retry.WithLog(none, "a")))
	none.Clear("a")
	assert.Equal(t, []retry.Noted{}, none.Attempts("a"))
}

func TestLogIsBounded(t *testing.T) {
	var log retry.Log
	long := errors.New(strings.Repeat("x", 10<<20) + "\xff")
	note := func(operation string, err error) {
		_ = retry.Do(t.Context(), func(context.Context) error { return err }, retry.WithLog(&log, operation))
	}
	note("long", long)
	assert.LessOrEqual(t, len(log.Attempts("long")[0].Error), 1024)
	note("old", nil)
	for range 250 {
		note("long", errFlaky)
	}
	assert.Len(t, log.Attempts("long"), 100)
	for i := range 1023 {
		note(strconv.Itoa(i), nil)
	}
	assert.Empty(t, log.Attempts("old"), "the operation without calls for longest")
	assert.Len(t, log.Attempts("0"), 1)
	assert.Len(t, log.Attempts("long"), 100)
}

func TestLogAtOnce(t *testing.T) {
	var log retry.Log
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for range 50 {
				op, _ := story(errFlaky, nil)
				_ = retry.Do(t.Context(), op, retry.ByPolicy(taxonomy.Policy{MaxAttempts: 2}),
					retry.WithLog(&log, strconv.Itoa(i%3)))
				log.Attempts(strconv.Itoa(i))
				log.Clear("7")
			}
		})
	}
	wg.Wait()
	assert.Len(t, log.Attempts("0"), 100)
}
