package dberr_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/errgen/errgen/runtime/dberr"
	"github.com/errgen/errgen/runtime/dberr/dbtest"
	"github.com/errgen/errgen/runtime/errtest/script"
	"github.com/errgen/errgen/runtime/internal/booking"
)

// A conflict repeats the transaction. Here the other side is a script, in place of a driver's
// connector.
func Example() {
	server := script.New(booking.Examples())
	server.Fail(booking.CodeStoreConflict)
	server.Then(200, "")

	db := sql.OpenDB(dberr.Connector(dbtest.Connector(server, nil), booking.Table, booking.SourcePostgres))
	defer db.Close()
	ctx := context.Background()
	tries := 0
	err := dberr.Tx(ctx, db, booking.Table, func(tx *sql.Tx) error {
		tries++
		_, err := tx.ExecContext(ctx, "UPDATE rooms SET taken = true")
		fmt.Println(errors.Is(err, booking.CodeStoreConflict))
		return err
	})
	fmt.Println(tries, err)
	// Output:
	// true
	// false
	// 2 <nil>
}
