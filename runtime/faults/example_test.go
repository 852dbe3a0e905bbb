package faults_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"

	"github.com/errgen/errgen/runtime/faults"
	"github.com/errgen/errgen/runtime/internal/booking"
)

// A program without the tag refuses the header.
func ExampleHandler() {
	h := faults.Handler(http.NotFoundHandler(), booking.Table)
	r := httptest.NewRequest(http.MethodGet, "/rooms/r-1", nil)
	r.Header.Set(faults.Header, "ROOM_TAKEN")
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	fmt.Println(faults.Enabled || w.Code == http.StatusBadRequest)
	// Output: true
}
