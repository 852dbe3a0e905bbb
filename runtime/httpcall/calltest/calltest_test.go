package calltest_test

import (
	"context"
	"fmt"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/detect"
	"github.com/errgen/errgen/runtime/errtest/script"
	"github.com/errgen/errgen/runtime/httpcall"
	"github.com/errgen/errgen/runtime/httpcall/calltest"
	"github.com/errgen/errgen/runtime/internal/booking"
	"github.com/errgen/errgen/runtime/taxonomy"
)

type event struct{ ID string }

// client returns a client of the calendar with a limit for each try.
func client(h *http.Client, limit time.Duration) *httpcall.Client {
	return httpcall.New(booking.Table, booking.SourceCalendar, httpcall.WithHTTP(h), httpcall.TryTimeout(limit))
}

func get(ctx context.Context, c *httpcall.Client, url string) error {
	_, err := httpcall.JSON[event](ctx, c, http.MethodGet, url+"/events/e-1", nil)
	return err
}

// A calendar limits the requests, and then answers.
func Example() {
	calendar := script.New(booking.Examples())
	calendar.Fail(booking.CodeCalendarBusy)
	calendar.Then(200, `{"id":"e-1"}`)
	err := get(context.Background(), client(calltest.Client(calendar), time.Second), "http://calendar")
	fmt.Println(err, len(calendar.Calls()))
	// Output: <nil> 2
}

// A script gives its answers in turn, in process and over the network.
func TestScript(t *testing.T) {
	for name, begin := range map[string]func(t *testing.T, s *script.Script) (h *http.Client, url string){
		"in process": func(_ *testing.T, s *script.Script) (*http.Client, string) {
			return calltest.Client(s), "http://calendar"
		},
		"server": func(t *testing.T, s *script.Script) (*http.Client, string) {
			return http.DefaultClient, calltest.Serve(t, s)
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := script.New(booking.Examples())
			h, url := begin(t, s)
			s.Fail(booking.CodeCalendarDown)
			s.Cut()
			s.Then(200, `{"id":"e-1"}`)
			got, err := httpcall.JSON[event](t.Context(), client(h, time.Second), http.MethodGet, url, nil)
			require.NoError(t, err)
			assert.Equal(t, "e-1", got.ID)
			assert.Len(t, s.Calls(), 3)

			s = script.New(booking.Examples())
			h, url = begin(t, s)
			s.Garbage()
			require.ErrorIs(t, get(t.Context(), client(h, time.Second), url), booking.CodeCalendarRefused)
			assert.Len(t, s.Calls(), 1)
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
		s := script.New(booking.Examples())
		s.Hang()
		began := time.Now()
		err := get(t.Context(), client(calltest.Client(s), 20*time.Second), "http://calendar")
		require.ErrorIs(t, err, booking.CodeCalendarDown)
		assert.Len(t, s.Calls(), 3)
		assert.Equal(t, 3*20*time.Second+10*time.Millisecond+20*time.Millisecond, time.Since(began))
	})
}

// The attributes of an example are the headers that package detect reads.
func TestAttributes(t *testing.T) {
	for _, name := range []string{"ratelimit-remaining", "ratelimit-limit-tokens", "request-id", "should-retry"} {
		s := script.New([]taxonomy.Example{{Code: booking.CodeCalendarBusy.String(), Evidence: taxonomy.Evidence{
			Source: "calendar", Status: 403, Attributes: map[string]string{name: "0"}}}})
		s.Fail(booking.CodeCalendarBusy)
		resp, err := calltest.Client(s).Get("http://calendar")
		require.NoError(t, err)
		ev := detect.Of(resp)
		require.NoError(t, resp.Body.Close())
		assert.Equal(t, "0", ev.Attributes[name], name)
	}
}
