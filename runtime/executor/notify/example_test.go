package notify_test

import (
	"context"
	"fmt"
	"log/slog"

	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/executor/notify"
)

// A channel of your own gets the runs that need a person.
func Example() {
	chat := notify.Channel{Name: "chat", Send: func(_ context.Context, m notify.Message) error {
		_, err := fmt.Println(m.Level, m.Text)
		return err
	}}
	notifier := notify.Notifier{Routes: []notify.Route{{Channel: chat, Level: slog.LevelWarn}}}

	for _, result := range []executor.Result{
		{Task: "41", Status: executor.StatusCompleted, EndReason: executor.EndCompleted},
		{Task: "42", Status: executor.StatusBlocked, EndReason: executor.EndBlocked, Error: "the API key is refused"},
	} {
		if err := notifier.Notify(context.Background(), &result); err != nil {
			fmt.Println(err)
		}
	}
	// Output: WARN Task blocked: the API key is refused
}
