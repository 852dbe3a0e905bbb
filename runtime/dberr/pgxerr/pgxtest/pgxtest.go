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
	"sync"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgproto3"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/errgen/errgen/runtime/errtest/script"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// Pool returns a pool of connections to the server, which is closed when the test ends. A statement
// that succeeds has no rows. Commits get the answers of commits; if it is nil, they succeed. The
// server requires no password, and supports the simple protocol only, which the pool uses. Each
// statement of a batch gets an answer, and an error ends the batch; the server separates statements
// at semicolons outside of quotes. After an error it rejects the statements of a transaction until
// its end, and a rollback to any savepoint ends this state.
func Pool(t testing.TB, statements, commits *script.Script) *pgxpool.Pool {
	t.Helper()
	config, err := pgxpool.ParseConfig("host=127.0.0.1 user=errtest sslmode=disable")
	if err != nil {
		t.Fatal(err)
	}
	config.ConnConfig.DefaultQueryExecMode = pgx.QueryExecModeSimpleProtocol
	running := new(sync.Map)
	config.ConnConfig.DialFunc = func(context.Context, string, string) (net.Conn, error) {
		client, server := net.Pipe()
		s := &session{pgproto3.NewBackend(server, server), statements, commits, idle}
		go func() {
			defer server.Close()
			s.serve(running)
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

// processes counts the connections, for their process ids.
var processes atomic.Uint32

// serve answers until the connection ends, or cancels another connection of running. A client sends
// the request to cancel if it no longer waits for an answer.
func (s *session) serve(running *sync.Map) {
	message, err := s.ReceiveStartupMessage()
	if err != nil {
		return
	}
	if request, ok := message.(*pgproto3.CancelRequest); ok {
		if cancel, ok := running.Load(request.ProcessID); ok {
			cancel.(context.CancelFunc)()
		}
		return
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	id := processes.Add(1)
	running.Store(id, cancel)
	defer running.Delete(id)
	s.Send(&pgproto3.AuthenticationOk{})
	s.Send(&pgproto3.BackendKeyData{ProcessID: id, SecretKey: make([]byte, 4)})
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
		if !ok || !s.answerAll(ctx, query.String) {
			return
		}
	}
}

// answerAll answers the statements of a query until one fails, and reports whether the connection
// continues.
func (s *session) answerAll(ctx context.Context, query string) (open bool) {
	quote := rune(0) // that the text at r is in
	statements := strings.FieldsFunc(query, func(r rune) bool {
		switch {
		case r == quote:
			quote = 0
		case quote == 0 && (r == '\'' || r == '"'):
			quote = r
		}
		return r == ';' && quote == 0
	})
	if len(statements) == 0 {
		statements = []string{query}
	}
	for _, sql := range statements {
		ok, open := s.answer(ctx, sql)
		if !ok {
			return open
		}
	}
	return true
}

// aborted is the error of a statement in a transaction that is rejected.
var aborted = script.Answer{Failure: &taxonomy.Evidence{Code: "25P02",
	Text: "current transaction is aborted, commands ignored until end of transaction block"}}.Err(context.Background())

// answer answers a statement, and reports whether it succeeded and whether the connection continues.
func (s *session) answer(ctx context.Context, sql string) (ok, open bool) {
	words := strings.Fields(strings.ToLower(sql) + " ;") // of an empty statement, ";" is the first
	tag, answers, next := strings.ToUpper(words[0]), s.statements, s.state
	var err error
	switch {
	case words[0] == ";", words[0] == "--":
		s.Send(&pgproto3.EmptyQueryResponse{})
		return true, true
	case words[0] == "rollback" && words[1] == "to":
		answers, next = nil, inside
	case words[0] == "rollback", words[0] == "commit" && s.state == rejected:
		tag, answers, next = "ROLLBACK", nil, idle
	case words[0] == "commit":
		answers, next = s.commits, idle
	case s.state == rejected:
		answers, err = nil, aborted
	case words[0] == "begin":
		answers, next = nil, inside
	case words[0] == "savepoint", words[0] == "release":
		answers = nil
	}
	if answers != nil {
		err = answers.Err(ctx)
	}
	state, coded := errors.AsType[interface {
		error
		SQLState() string
	}](err)
	switch {
	case err == nil:
		s.state = next
		s.Send(&pgproto3.CommandComplete{CommandTag: []byte(tag)})
		return true, true
	case !coded: // a failure of the network, which ends the connection
		return false, false
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
		return false, false
	}
	s.Send(response)
	return false, true
}
