package state_test

import (
	"database/sql"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// bare is a connection of its own to a state, with the settings that the store has.
type bare struct {
	db          *sql.DB
	begin, done *sql.Stmt
}

func openBare(b *testing.B, path string) *bare {
	b.Helper()
	db, err := sql.Open(
		"sqlite", "file:"+path+"?_pragma=busy_timeout(10000)&_pragma=foreign_keys(1)&_pragma=journal_mode(WAL)"+
			"&_pragma=synchronous(FULL)&_pragma=journal_size_limit(4194304)")
	require.NoError(b, err)
	db.SetMaxOpenConns(1)
	b.Cleanup(func() { require.NoError(b, db.Close()) })
	p := &bare{db: db}
	p.begin, p.done = p.prepare(b, "BEGIN IMMEDIATE"), p.prepare(b, "COMMIT")
	return p
}

func (p *bare) prepare(b *testing.B, query string) *sql.Stmt {
	b.Helper()
	stmt, err := p.db.Prepare(query)
	require.NoError(b, err)
	b.Cleanup(func() { require.NoError(b, stmt.Close()) })
	return stmt
}

// bareRow is a statement that writes a row, which differs from the one before it in one number.
type bareRow struct {
	stmt   *sql.Stmt
	args   []any
	number int // its index in args; below 0 there is none
}

// write writes the rows in one transaction.
func (p *bare) write(b *testing.B, rows ...bareRow) {
	exec := func(stmt *sql.Stmt, args ...any) {
		if _, err := stmt.Exec(args...); err != nil {
			b.Fatal(err)
		}
	}
	exec(p.begin)
	for _, r := range rows {
		if r.number >= 0 {
			r.args[r.number] = r.args[r.number].(int64) + 1
		}
		exec(r.stmt, r.args...)
	}
	exec(p.done)
}

// like returns inserts of the rows of a table that from has, with all columns but the one left out,
// and what is to be done about a row that is there already. The column that is numbered rises by
// one with each write.
func (p *bare) like(b *testing.B, from *bare, table, without, numbered, conflict string) (rows []bareRow) {
	b.Helper()
	columns, all := from.all(b, table)
	at := slices.Index(columns, without)
	if at >= 0 {
		columns = slices.Delete(columns, at, at+1)
	}
	places := strings.TrimSuffix(strings.Repeat("?, ", len(columns)), ", ")
	stmt := p.prepare(b, "INSERT INTO "+table+" ("+strings.Join(columns, ", ")+") VALUES ("+places+") "+conflict)
	for _, values := range all {
		if at >= 0 {
			values = slices.Delete(values, at, at+1)
		}
		rows = append(rows, bareRow{stmt: stmt, args: values, number: slices.Index(columns, numbered)})
	}
	return rows
}

// all returns the columns and the rows of a table.
func (p *bare) all(b *testing.B, table string) (columns []string, rows [][]any) {
	b.Helper()
	found, err := p.db.Query("SELECT * FROM " + table)
	require.NoError(b, err)
	defer func() { require.NoError(b, found.Close()) }()
	columns, err = found.Columns()
	require.NoError(b, err)
	for found.Next() {
		values, into := make([]any, len(columns)), make([]any, len(columns))
		for i := range values {
			into[i] = &values[i]
		}
		require.NoError(b, found.Scan(into...))
		rows = append(rows, values)
	}
	require.NoError(b, found.Err())
	require.NotEmpty(b, rows, table)
	return columns, rows
}

// compare measures f and what it is compared with by turns, so that both meet the same disk.
func compare(b *testing.B, base, f func()) {
	var ofBase, ofF time.Duration
	b.ReportAllocs()
	for b.Loop() {
		start := time.Now()
		base()
		between := time.Now()
		f()
		ofBase, ofF = ofBase+between.Sub(start), ofF+time.Since(between)
	}
	b.ReportMetric(float64(ofBase.Microseconds())/float64(b.N), "bare-µs/op")
	b.ReportMetric(float64(ofF.Microseconds())/float64(b.N), "store-µs/op")
	b.ReportMetric(float64(ofF)/float64(ofBase), "store/bare")
}
