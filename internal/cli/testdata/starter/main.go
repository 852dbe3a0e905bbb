// Program starter prints the problem document of an error of each code of the taxonomy that errgen
// init -service writes, and of two that clients must not see.
package main

import (
	"fmt"
	"net/http/httptest"
	"time"

	"example.org/starter/errs"
	"github.com/errgen/errgen/runtime/problem"
	"github.com/errgen/errgen/runtime/taxonomy"
)

func main() {
	invalid := []taxonomy.Violation{
		{Field: "items[0].count", Description: "below 1", Code: "MIN"}, {Field: "name", Description: "empty"},
	}
	for _, err := range []error{
		errs.NewNotFound("order", "o-1"), errs.NewConflict("order", "o-1").WithRequestID("r-1"),
		errs.NewInvalid(invalid), errs.NewInvalidText(), errs.NewInternal(),
		errs.NewUnavailable().WithRetryAfter(1500 * time.Millisecond).WithText("secret reply"),
		errs.NewUpstreamRefused().WithText("secret reply"), errs.NewUnexpected(),
	} {
		w := httptest.NewRecorder()
		problem.Write(w, httptest.NewRequest("POST", "/orders", nil), err)
		fmt.Println(w.Body)
	}
}
