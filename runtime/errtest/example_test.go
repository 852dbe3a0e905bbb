package errtest_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/errgen/errgen/runtime/detect"
	"github.com/errgen/errgen/runtime/errtest"
	"github.com/errgen/errgen/runtime/internal/booking"
	"github.com/errgen/errgen/runtime/taxonomy"
)

func detectSource(s taxonomy.Declared[taxonomy.SourceName]) detect.Option {
	return detect.WithSource(s)
}

func classify(err error) error { return booking.Classify(err, detectSource(booking.SourceCalendar)) }

// A calendar limits the requests, and then answers. A test passes its t.
func ExampleScript() {
	var t testing.TB
	calendar := errtest.New(t, booking.Table, booking.Examples())
	calendar.Fail(booking.CodeCalendarBusy)
	calendar.Then(200, `{"id":"e-1"}`)
	err := get(context.Background(), client(calendar.Client(), time.Second), "http://calendar")
	fmt.Println(err, calendar.Calls())
	// Output: <nil> 2
}
