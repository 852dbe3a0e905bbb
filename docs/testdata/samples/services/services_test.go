package errs_test

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"

	errs "example.com/shop/services"
	"github.com/errgen/errgen/runtime/detect"
	"github.com/errgen/errgen/runtime/retry"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// The Go of "Add a code for an upstream failure" in docs/services.md.
func Example() {
	calls := 0
	rooms := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if calls++; calls == 1 {
			w.WriteHeader(http.StatusServiceUnavailable)
		} else {
			http.Error(w, "sorry, sold out; password=hunter2hunter2", http.StatusBadRequest)
		}
	}))
	defer rooms.Close()
	log := slog.New(slog.NewTextHandler(os.Stdout, &slog.HandlerOptions{ReplaceAttr: withoutTime}))
	ctx := taxonomy.ContextWith(context.Background(), errs.RequestID("q-7"))
	hold := func(ctx context.Context) error {
		resp, err := http.Get(rooms.URL)
		if err != nil {
			return classify(ctx, err, "r-1")
		}
		defer resp.Body.Close()
		if resp.StatusCode < http.StatusBadRequest {
			return nil
		}
		return classify(ctx, resp, "r-1")
	}

	err := retry.Do(ctx, hold, retry.ByTable(errs.Table), retry.WithNotify(func(a retry.Attempt) {
		if a.Err != nil && !a.Last {
			log.WarnContext(ctx, "again", "call", a.Number, "wait", a.Wait, "err", a.Err)
		}
	}))

	log.ErrorContext(ctx, "failed", "err", err)
	fmt.Println(string(taxonomy.AppendPublicJSON(nil, err)))
	fmt.Println(classify(ctx, nil, "r-1"))
	// Output:
	// level=WARN msg=again call=1 wait=20ms err.name=RoomError err.category=room err.code=ROOMS_FAILED err.message="rooms are not available" err.retryable=true err.context.requestId=q-7 err.context.room=r-1 err.context.status=503
	// level=ERROR msg=failed err.name=RoomError err.category=room err.code=ROOM_SOLD_OUT err.message="room r-1 is sold out" err.retryable=false err.context.requestId=q-7 err.context.room=r-1 err.context.status=400 err.context.text="sorry, sold out; password=[REDACTED]" err.text="2 calls, stopped by not_retryable: room r-1 is sold out" err.calls=2 err.waited=20ms err.stopped=not_retryable err.action=abort
	// {"category":"room","code":"ROOM_SOLD_OUT","message":"room r-1 is sold out","retryable":false,"context":{"requestId":"q-7","room":"r-1"}}
	// <nil>
}

func classify(ctx context.Context, failure any, room string) error {
	ev := detect.Of(failure) // an error or a response
	if ev.IsZero() {
		return nil
	}
	ev.SetAttribute("room", room)
	return errs.ClassifyEvidence(&ev, detect.WithSource(errs.SourceUpstream), detect.WithAttributes(ctx))
}

func withoutTime(groups []string, a slog.Attr) slog.Attr {
	if a.Key == slog.TimeKey {
		return slog.Attr{}
	}
	return taxonomy.ReplaceAttr(groups, a)
}
