package pgxtest_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/errgen/errgen/runtime/dberr/pgxerr"
	"github.com/errgen/errgen/runtime/dberr/pgxerr/pgxtest"
	"github.com/errgen/errgen/runtime/errtest/script"
	"github.com/errgen/errgen/runtime/internal/booking"
)

// example is the test of an example, which has no *testing.T.
type example struct{ testing.TB }

func (example) Helper()        {}
func (example) Cleanup(func()) {}

// The server rejects the first statement because of a conflict.
func Example() {
	var t testing.TB = example{}
	server := script.New(booking.Examples())
	server.Fail(booking.CodeStoreConflict)
	server.Then(200, "")
	db := pgxerr.Wrap(pgxtest.Pool(t, server, nil), booking.Table, booking.SourcePostgres)

	for range 2 {
		tag, err := db.Exec(context.Background(), "UPDATE rooms SET taken = true")
		fmt.Println(tag, errors.Is(err, booking.CodeStoreConflict))
	}
	// Output:
	//  true
	// UPDATE false
}
