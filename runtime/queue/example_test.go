package queue_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/errgen/errgen/runtime/internal/booking"
	"github.com/errgen/errgen/runtime/queue"
	"github.com/errgen/errgen/runtime/retry"
)

// A worker handles one delivery of a job.
func Example() {
	work := func(job string, attempt int) {
		err := queue.Call(func() error { return handle(job) })
		d := queue.Decide(context.Background(), booking.Table, err, queue.History{Attempts: attempt},
			retry.WithRandom(nil))
		switch d.Action {
		case queue.Retry:
			fmt.Printf("%s: again in %s\n", job, d.Wait)
		default:
			fmt.Printf("%s: %s %s\n", job, d.Action, d.Code)
		}
	}
	work("busy room", 1)
	work("busy room", 3)
	work("odd room", 1)
	// Output:
	// busy room: again in 10ms
	// busy room: park CALENDAR_DOWN
	// odd room: dead UNEXPECTED
}

func handle(job string) error {
	switch job {
	case "busy room":
		return booking.NewCalendarDown()
	case "odd room":
		return errors.New("no such room")
	}
	return nil
}

func BenchmarkDecide(b *testing.B) {
	down, h := booking.NewCalendarDown(), queue.History{Attempts: 2}
	for name, err := range map[string]error{"success": nil, "failure": down} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				queue.Decide(b.Context(), booking.Table, err, h)
			}
		})
	}
}
