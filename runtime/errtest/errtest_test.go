package errtest_test

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/dberr"
	"github.com/errgen/errgen/runtime/dberr/dbtest"
	"github.com/errgen/errgen/runtime/detect"
	"github.com/errgen/errgen/runtime/errtest"
	"github.com/errgen/errgen/runtime/httpcall"
	"github.com/errgen/errgen/runtime/httpcall/calltest"
	"github.com/errgen/errgen/runtime/internal/booking"
	"github.com/errgen/errgen/runtime/retry"
	"github.com/errgen/errgen/runtime/taxonomy"
)

func classify(err error) error {
	return booking.Classify(err, detect.WithSource(booking.SourceCalendar))
}

type event struct{ ID string }

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
				return get(t.Context(), client(calltest.Client(f.Script), 10*time.Second), "http://calendar")
			})
	})
	t.Run("database", func(t *testing.T) {
		errtest.Each(t, booking.Table, booking.Examples(), booking.SourcePostgres,
			func(t *testing.T, f *errtest.Fault) error {
				server := dbtest.Connector(f.Script, nil)
				db := sql.OpenDB(dberr.Connector(server, booking.Table, booking.SourcePostgres))
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
				return booking.Classify(f.Err(t.Context()), detect.WithSource(booking.SourceHTTP))
			})
	})
}

// faulty are calls with a mistake each, and what Each reports about one of the examples.
var faulty = map[string]struct {
	call func(ctx context.Context, f *errtest.Fault) error
	want string
}{
	"succeeds": {func(ctx context.Context, f *errtest.Fault) error {
		_ = get(ctx, client(calltest.Client(f.Script), time.Second), "http://calendar")
		return nil
	}, "CALENDAR_DOWN/1: the call returned <nil>, want an error with the code CALENDAR_DOWN"},
	"loses the error": {func(ctx context.Context, f *errtest.Fault) error {
		return errors.New(get(ctx, client(calltest.Client(f.Script), time.Second), "http://calendar").Error())
	}, "CALENDAR_BUSY/1: the call returned"},
	"another source": {func(ctx context.Context, f *errtest.Fault) error {
		c := httpcall.New(booking.Table, booking.SourceHTTP, httpcall.WithHTTP(calltest.Client(f.Script)))
		return get(ctx, c, "http://calendar")
	}, "CALENDAR_DOWN/1: the error has the code UNEXPECTED"},
	"one try": {func(ctx context.Context, f *errtest.Fault) error {
		return classify(f.Err(ctx))
	}, "CALENDAR_DOWN/1: 1 calls, the reaction again makes 3"},
	"too many tries": {func(ctx context.Context, f *errtest.Fault) (err error) {
		for range 9 {
			err = get(ctx, client(calltest.Client(f.Script), time.Second), "http://calendar")
		}
		return err
	}, "CALENDAR_REFUSED/1: 9 calls, the reaction park makes at most 1"},
	"wrong waits": {func(ctx context.Context, f *errtest.Fault) error {
		return retry.Do(ctx, func(ctx context.Context) error { return classify(f.Err(ctx)) }, retry.ByPolicy(
			taxonomy.Policy{MaxAttempts: 3, InitialDelay: time.Minute, MaxDelay: time.Hour}))
	}, "CALENDAR_DOWN/1: the wait before call 2 is 1m0s, want 10ms"},
	"no time limit": {func(ctx context.Context, f *errtest.Fault) error {
		return get(ctx, client(calltest.Client(f.Script), 0), "http://calendar")
	}, "CALENDAR_DOWN/3: the call has no time limit"},
	"no call": {func(context.Context, *errtest.Fault) error { return booking.NewCalendarDown() },
		"CALENDAR_DOWN/1: the call did not reach the other side"},
	"leak": {func(ctx context.Context, f *errtest.Fault) error {
		_ = classify(f.Err(ctx))
		return booking.NewInvalid().WithViolations([]taxonomy.Violation{{Description: f.Failure.Text}})
	}, `CALENDAR_REFUSED/1: a client sees the text "bad key"`},
	"leak of a text with escapes": {func(ctx context.Context, f *errtest.Fault) error {
		f.Failure.Text = "bad \"key\"\n<a>"
		_ = classify(f.Err(ctx))
		return booking.NewInvalid().WithViolations([]taxonomy.Violation{{Description: f.Failure.Text}})
	}, `CALENDAR_REFUSED/1: a client sees the text "bad \"key\"\n<a>"`},
	"undocumented": {func(ctx context.Context, f *errtest.Fault) error {
		return get(ctx, client(calltest.Client(f.Script), time.Second), "http://calendar")
	}, "CALENDAR_DOWN/1 differs from testdata/errtest/TestFaulty-calendar.txt; to accept"},
}

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

// An update keeps the results of the examples that do not run.
func TestUpdateOfOneExample(t *testing.T) {
	const file = "testdata/errtest/TestEach-http-calendar.txt"
	want, err := os.ReadFile(file)
	require.NoError(t, err)
	program, err := os.Executable()
	require.NoError(t, err)
	cmd := exec.Command(program, "-test.run=^TestEach$/^http$/^CALENDAR_BUSY$")
	cmd.Dir, cmd.Env = t.TempDir(), append(os.Environ(), "ERRTEST_UPDATE=1")
	require.NoError(t, os.CopyFS(filepath.Join(cmd.Dir, "testdata"), os.DirFS("testdata")))
	edited := bytes.ReplaceAll(want, []byte(`"code":"CALENDAR_BUSY"`), []byte(`"code":"CALENDAR"`))
	require.NotEqual(t, want, edited)
	require.NoError(t, os.WriteFile(filepath.Join(cmd.Dir, file), edited, 0o600))
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	got, err := os.ReadFile(filepath.Join(cmd.Dir, file))
	require.NoError(t, err)
	assert.Equal(t, string(want), string(got))
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
