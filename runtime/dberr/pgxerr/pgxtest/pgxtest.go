// Package pgxtest is a PostgreSQL server in process whose statements get the answers of a script.
// The client is pgx with its protocol, so its errors are those of a real server.
//
//	s := script.New(errs.Examples())
//	s.Fail(errs.CodeStoreConflict)
//	db := pgxerr.Wrap(pgxtest.Pool(t, s, nil), errs.Table, errs.SourcePostgres)
package pgxtest

import (
	"context"
	"errors"
	"net"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgproto3"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/errgen/errgen/runtime/errtest/script"
)

// Pool returns a pool of connections to the server, which is closed when the test ends. A statement
// that succeeds has no rows. Commits get the answers of commits; if it is nil, they succeed. The
// server requires no password, and supports the simple protocol only, which the pool uses.
func Pool(t testing.TB, statements, commits *script.Script) *pgxpool.Pool {
	t.Helper()
	config, err := pgxpool.ParseConfig("host=127.0.0.1 user=errtest sslmode=disable")
	if err != nil {
		t.Fatal(err)
	}
	config.ConnConfig.DefaultQueryExecMode = pgx.QueryExecModeSimpleProtocol
	config.ConnConfig.DialFunc = func(context.Context, string, string) (net.Conn, error) {
		client, server := net.Pipe()
		s := &session{pgproto3.NewBackend(server, server), statements, commits, idle}
		go func() {
			defer server.Close()
			s.serve()
		}()
		return client, nil
	}
	pool, err := pgxpool.NewWithConfig(context.Background(), config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	return pool
}

// The states of a transaction, as the protocol names them.
const (
	idle     = 'I'
	inside   = 'T'
	rejected = 'E'
)

// session is the server's end of a connection.
type session struct {
	*pgproto3.Backend
	statements, commits *script.Script
	state               byte
}

// serve answers until the connection ends.
func (s *session) serve() {
	if _, err := s.ReceiveStartupMessage(); err != nil {
		return
	}
	s.Send(&pgproto3.AuthenticationOk{})
	for name, value := range map[string]string{"client_encoding": "UTF8", "standard_conforming_strings": "on"} {
		s.Send(&pgproto3.ParameterStatus{Name: name, Value: value})
	}
	for {
		s.Send(&pgproto3.ReadyForQuery{TxStatus: s.state})
		if s.Flush() != nil {
			return
		}
		message, err := s.Receive()
		if err != nil {
			return
		}
		query, ok := message.(*pgproto3.Query)
		if !ok || !s.answer(query.String) {
			return
		}
	}
}

// answer answers a statement, and reports whether the connection continues.
func (s *session) answer(sql string) bool {
	words := strings.Fields(strings.ToLower(sql) + " ;") // of an empty statement, ";" is the first
	script, next := s.statements, s.state
	switch words[0] {
	case "begin":
		script, next = nil, inside
	case "commit":
		script, next = s.commits, idle
	case "rollback":
		script, next = nil, idle
	case ";", "--":
		s.Send(&pgproto3.EmptyQueryResponse{})
		return true
	}
	var err error
	if script != nil {
		err = script.Err(context.Background())
	}
	state, coded := errors.AsType[interface {
		error
		SQLState() string
	}](err)
	switch {
	case err == nil:
		s.state = next
		s.Send(&pgproto3.CommandComplete{CommandTag: []byte(strings.ToUpper(words[0]))})
		return true
	case !coded: // a failure of the network, which ends the connection
		return false
	}
	if s.state == inside {
		s.state = rejected
	}
	if words[0] == "commit" {
		s.state = idle
	}
	code := state.SQLState()
	response := &pgproto3.ErrorResponse{
		Severity: "ERROR", Code: code,
		Message: strings.TrimSpace(strings.TrimSuffix(err.Error(), "(SQLSTATE "+code+")")),
	}
	if strings.HasPrefix(code, "57P") { // the server ends
		response.Severity = "FATAL"
		s.Send(response)
		_ = s.Flush() // the client may be gone
		return false
	}
	s.Send(response)
	return true
}
