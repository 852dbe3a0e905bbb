package errtest_test

import (
	"context"
	"database/sql"
	"errors"
	"net/http"
	"os"
	"os/exec"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/dberr"
	"github.com/errgen/errgen/runtime/errtest"
	"github.com/errgen/errgen/runtime/httpcall"
	"github.com/errgen/errgen/runtime/internal/booking"
	"github.com/errgen/errgen/runtime/retry"
	"github.com/errgen/errgen/runtime/taxonomy"
)

type event struct{ ID string }

func script(t testing.TB) *errtest.Script { return errtest.New(t, booking.Table, booking.Examples()) }

// client returns a client of the calendar with a limit for each try.
func client(h *http.Client, limit time.Duration) *httpcall.Client {
	return httpcall.New(booking.Table, booking.SourceCalendar, httpcall.WithHTTP(h), httpcall.TryTimeout(limit))
}

func get(ctx context.Context, c *httpcall.Client, url string) error {
	_, err := httpcall.JSON[event](ctx, c, http.MethodGet, url+"/events/e-1", nil)
	return err
}

func TestEach(t *testing.T) {
	t.Run("http", func(t *testing.T) {
		errtest.Each(t, booking.Table, booking.Examples(), booking.SourceCalendar,
			func(t *testing.T, f *errtest.Fault) error {
				return get(t.Context(), client(f.Client(), 10*time.Second), "http://calendar")
			})
	})
	t.Run("database", func(t *testing.T) {
		errtest.Each(t, booking.Table, booking.Examples(), booking.SourcePostgres,
			func(t *testing.T, f *errtest.Fault) error {
				db := sql.OpenDB(dberr.Connector(f.Connector(nil), booking.Table, booking.SourcePostgres))
				defer db.Close()
				return dberr.Tx(t.Context(), db, booking.Table, func(tx *sql.Tx) error {
					_, err := tx.ExecContext(t.Context(), "UPDATE rooms SET taken = true")
					return err
				})
			})
	})
	t.Run("once", func(t *testing.T) {
		errtest.Each(t, booking.Table, booking.Examples(), booking.SourceHTTP,
			func(t *testing.T, f *errtest.Fault) error {
				f.Once()
				return booking.Classify(f.Err(t.Context()), detectHTTP)
			})
	})
}

// faulty are calls with a mistake each, and what Each reports about one of the examples.
var faulty = map[string]struct {
	call func(ctx context.Context, f *errtest.Fault) error
	want string
}{
	"succeeds": {func(ctx context.Context, f *errtest.Fault) error {
		_ = get(ctx, client(f.Client(), time.Second), "http://calendar")
		return nil
	}, "CALENDAR_DOWN/1: the call returned <nil>, want an error with the code CALENDAR_DOWN"},
	"loses the error": {func(ctx context.Context, f *errtest.Fault) error {
		return errors.New(get(ctx, client(f.Client(), time.Second), "http://calendar").Error())
	}, "CALENDAR_BUSY/1: the call returned"},
	"another source": {func(ctx context.Context, f *errtest.Fault) error {
		c := httpcall.New(booking.Table, booking.SourceHTTP, httpcall.WithHTTP(f.Client()))
		return get(ctx, c, "http://calendar")
	}, "CALENDAR_DOWN/1: the error has the code UNEXPECTED"},
	"one try": {func(ctx context.Context, f *errtest.Fault) error {
		return classify(f.Err(ctx))
	}, "CALENDAR_DOWN/1: 1 calls, the reaction again makes 3"},
	"too many tries": {func(ctx context.Context, f *errtest.Fault) (err error) {
		for range 9 {
			err = get(ctx, client(f.Client(), time.Second), "http://calendar")
		}
		return err
	}, "CALENDAR_REFUSED/1: 9 calls, the reaction park makes at most 1"},
	"wrong waits": {func(ctx context.Context, f *errtest.Fault) error {
		return retry.Do(ctx, func(ctx context.Context) error { return classify(f.Err(ctx)) }, retry.ByPolicy(
			taxonomy.Policy{MaxAttempts: 3, InitialDelay: time.Minute, MaxDelay: time.Hour}))
	}, "CALENDAR_DOWN/1: the wait before call 2 is 1m0s, want 10ms"},
	"no time limit": {func(ctx context.Context, f *errtest.Fault) error {
		return get(ctx, client(f.Client(), 0), "http://calendar")
	}, "CALENDAR_DOWN/3: the call has no time limit"},
	"no call": {func(context.Context, *errtest.Fault) error { return booking.NewCalendarDown() },
		"CALENDAR_DOWN/1: the call did not reach the other side"},
	"leak": {func(ctx context.Context, f *errtest.Fault) error {
		_ = classify(f.Err(ctx))
		return booking.NewInvalid().WithViolations([]taxonomy.Violation{{Description: f.Failure.Text}})
	}, `CALENDAR_REFUSED/1: a client sees the text "bad key"`},
	"undocumented": {func(ctx context.Context, f *errtest.Fault) error {
		return get(ctx, client(f.Client(), time.Second), "http://calendar")
	}, "CALENDAR_DOWN/1 differs from testdata/errtest/TestFaulty-calendar.txt; to accept"},
}

var detectHTTP = detectSource(booking.SourceHTTP)

// Each names the code and the example in its reports. The tests that fail run in another process.
func TestFaulty(t *testing.T) {
	if name := os.Getenv("ERRTEST_FAULTY"); name != "" {
		errtest.Each(t, booking.Table, booking.Examples(), booking.SourceCalendar,
			func(t *testing.T, f *errtest.Fault) error { return faulty[name].call(t.Context(), f) })
		return
	}
	for name, tt := range faulty {
		t.Run(name, func(t *testing.T) {
			cmd := exec.Command(os.Args[0], "-test.run=^TestFaulty$")
			cmd.Env = append(os.Environ(), "ERRTEST_UPDATE=", "ERRTEST_FAULTY="+name)
			out, err := cmd.CombinedOutput()
			require.Error(t, err)
			assert.Contains(t, string(out), tt.want)
		})
	}
}

func TestNoExample(t *testing.T) {
	if os.Getenv("ERRTEST_FAULTY") == "" {
		cmd := exec.Command(os.Args[0], "-test.run=^TestNoExample$")
		cmd.Env = append(os.Environ(), "ERRTEST_FAULTY=none")
		out, err := cmd.CombinedOutput()
		require.Error(t, err)
		assert.Contains(t, string(out), "the taxonomy has no example of the source nowhere")
		return
	}
	errtest.Each(t, booking.Table, booking.Examples(), taxonomy.SourceName("nowhere"), nil)
}

// A script gives its answers in turn, in process and over the network.
func TestScript(t *testing.T) {
	for name, begin := range map[string]func(s *errtest.Script) (h *http.Client, url string){
		"in process": func(s *errtest.Script) (*http.Client, string) { return s.Client(), "http://calendar" },
		"server":     func(s *errtest.Script) (*http.Client, string) { return http.DefaultClient, s.Serve() },
	} {
		t.Run(name, func(t *testing.T) {
			s := script(t)
			h, url := begin(s)
			s.Fail(booking.CodeCalendarDown)
			s.Cut()
			s.Then(200, `{"id":"e-1"}`)
			got, err := httpcall.JSON[event](t.Context(), client(h, time.Second), http.MethodGet, url, nil)
			require.NoError(t, err)
			assert.Equal(t, "e-1", got.ID)
			assert.Equal(t, 3, s.Calls())

			s = script(t)
			h, url = begin(s)
			s.Garbage()
			require.ErrorIs(t, get(t.Context(), client(h, time.Second), url), booking.CodeCalendarRefused)
			assert.Equal(t, 1, s.Calls())
			s.Fail(booking.CodeRoomTaken) // which has no example
			c := httpcall.New(booking.Table, booking.SourceCalendar, httpcall.WithHTTP(h),
				httpcall.Servers(booking.Table))
			require.ErrorIs(t, get(t.Context(), c, url), booking.CodeRoomTaken)
			s.Hang()
			require.ErrorIs(t, get(t.Context(), client(h, time.Millisecond), url), booking.CodeCalendarDown)
		})
	}
}

func TestHangTakesNoTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := script(t)
		s.Hang()
		began := time.Now()
		err := get(t.Context(), client(s.Client(), 20*time.Second), "http://calendar")
		require.ErrorIs(t, err, booking.CodeCalendarDown)
		assert.Equal(t, 3, s.Calls())
		assert.Equal(t, 3*20*time.Second+10*time.Millisecond+20*time.Millisecond, time.Since(began))
	})
}

// A transaction whose commit has no answer is not repeated.
func TestCommit(t *testing.T) {
	statements, commits := script(t), script(t)
	commits.Cut()
	db := sql.OpenDB(dberr.Connector(statements.Connector(commits), booking.Table, booking.SourcePostgres))
	defer db.Close()
	rows := 0
	pay := func(tx *sql.Tx) error {
		found, err := tx.QueryContext(t.Context(), "SELECT 1")
		if err != nil {
			return err
		}
		for found.Next() {
			rows++
		}
		return errors.Join(found.Close(), found.Err())
	}
	err := dberr.Tx(t.Context(), db, booking.Table, pay)
	require.ErrorIs(t, err, booking.CodeStoreDown)
	assert.Equal(t, taxonomy.EffectUnknown, retry.EffectOf(err))
	assert.Equal(t, []int{1, 1, 0}, []int{statements.Calls(), commits.Calls(), rows})

	statements.Fail(booking.CodeStoreConflict)
	statements.Then(500, "")
	require.NoError(t, script(t).Err(t.Context()))
	require.ErrorIs(t, dberr.Tx(t.Context(), db, booking.Table, pay), booking.CodeStoreFailed)
	assert.Equal(t, 3, statements.Calls(), "the conflict was repeated")
	_, err = db.PrepareContext(t.Context(), "SELECT 1")
	require.Error(t, err)
}
