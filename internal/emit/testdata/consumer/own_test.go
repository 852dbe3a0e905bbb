package own

import (
	"fmt"
	"testing"
	"time"

	"github.com/errgen/errgen/runtime/taxonomy"
)

// TestFieldsOfACode checks what the runtime does with an error whose code has fields: it attaches a
// field, and reads violations, a wait and the public context.
func TestFieldsOfACode(t *testing.T) {
	wrong := taxonomy.Violation{Field: "id", Description: "too long", Code: "MAX"}
	made := NewGoneNow(time.Unix(0, 0).UTC()).WithWrong([]taxonomy.Violation{wrong}).WithAfter(2 * time.Second).
		WithInner(7)
	err := Attach(fmt.Errorf("read: %w", made), RequestID("r-1"))

	if list := taxonomy.ViolationsOf(err); len(list) != 1 || list[0] != wrong {
		t.Errorf("violations: %v", list)
	}
	if id, ok := made.RequestID.Get(); ok {
		t.Errorf("the error itself has the request %s", id)
	}
	view := taxonomy.Public(err)
	if list := view.Violations(); len(list) != 1 || list[0] != wrong {
		t.Errorf("public violations: %v", list)
	}
	if wait, _ := view.RetryAfter().Get(); wait != 2*time.Second {
		t.Errorf("wait of %s", wait)
	}
	const context = `{"requestId":"r-1","since":"1970-01-01T00:00:00Z",` +
		`"wrong":[{"field":"id","description":"too long","code":"MAX"}],"after":"2s"}`
	if got := string(view.AppendContext(nil)); got != context {
		t.Errorf("public context: %s", got)
	}
	if _, ok := view.Err().(*GoneNowError); !ok {
		t.Errorf("the type is %T", view.Err())
	}
}
