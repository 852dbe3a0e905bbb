package state

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/errgen/errgen/runtime/taxonomy"
)

// children are what the test binary does as a process of its own.
var children = map[string]func(args []string) error{"record": recordChild, "many": manyChild, "run": killChild,
	"loop": loopChild}

const asChild = "STATE_CHILD"

func TestMain(m *testing.M) {
	if name := os.Getenv(asChild); name != "" {
		if err := children[name](os.Args[1:]); err != nil {
			fmt.Println("error", err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	goleak.VerifyTestMain(m)
}

func child(t testing.TB, name string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(t.Context(), os.Args[0], args...)
	cmd.Env = append(os.Environ(), asChild+"="+name)
	return cmd
}

// codes is a taxonomy of a runner of specifications.
var codes = taxonomy.Table{Taxonomy: &taxonomy.Taxonomy{
	Package:  "codes",
	Fallback: "UNKNOWN",
	Categories: []*taxonomy.Category{{Name: "attempt", Codes: []taxonomy.Code{
		{},
		{Value: "HOOK_FAILURE", Traits: reacts(taxonomy.Reaction{Name: "fail_fast", CountFailure: true})},
		{Value: "RATE_LIMIT", Traits: reacts(taxonomy.Reaction{Name: "return_at_once", Action: taxonomy.Block})},
		{Value: "SYNTAX", Traits: reacts(again), Extra: &taxonomy.Extras{Deprecated: "No rule has it."}},
		{Value: "TASK_FAILED", Traits: reacts(again), Extra: &taxonomy.Extras{Aliases: []string{"FAILED"}}},
		{Value: "TEST_FAILURE", Traits: reacts(explain), Doc: "The tests fail.", Resolution: "Fix the code."},
		{Value: "TIMEOUT", Traits: reacts(again)},
		{Value: "UNKNOWN", Traits: reacts(again), Doc: "An unknown failure."},
	}}},
	None:          reacts(taxonomy.Reaction{Name: "none"}),
	Uncategorized: &taxonomy.Reaction{Name: "none"},
}}

var (
	again   = taxonomy.Reaction{Name: "again", Action: taxonomy.Retry, CountFailure: true}
	explain = taxonomy.Reaction{Name: "explain", Action: taxonomy.Retry, CountFailure: true,
		Agent: taxonomy.AgentReaction{FeedBack: true},
		Then:  &taxonomy.Reaction{Name: "give_up", CountFailure: true}}
)

func reacts(r taxonomy.Reaction) taxonomy.Traits { return taxonomy.Traits{Reaction: &r} }

// clock has a time that advances by a second with each look.
type clock struct{ now time.Time }

func newClock() *clock { return &clock{time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)} }

func (c *clock) Now() time.Time {
	c.now = c.now.Add(time.Second)
	return c.now
}
func (c *clock) Sleep(context.Context, time.Duration) error { return nil }

func opened(t testing.TB, path string) *Store {
	t.Helper()
	s, err := Open(t.Context(), path, Options{Table: codes, Clock: newClock()})
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, s.Close()) })
	return s
}

func newStore(t testing.TB) *Store {
	return opened(t, filepath.Join(t.TempDir(), ".executor-state.db"))
}

// raw runs f with a connection to the file that is not the store's.
func raw(t testing.TB, path string, f func(db *sql.DB)) {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+path+"?_pragma=busy_timeout(10000)")
	require.NoError(t, err)
	defer func() { require.NoError(t, db.Close()) }()
	f(db)
}

// sound asserts that SQLite finds the file correct.
func sound(t testing.TB, path string) {
	t.Helper()
	raw(t, path, func(db *sql.DB) {
		var said string
		require.NoError(t, db.QueryRow("PRAGMA integrity_check").Scan(&said))
		assert.Equal(t, "ok", said)
		rows, err := db.Query("PRAGMA foreign_key_check")
		require.NoError(t, err)
		assert.False(t, rows.Next(), "a row refers to one that does not exist")
		require.NoError(t, rows.Close())
	})
}

// evidenceOf returns the evidence of an error, with its op, type and reason.
func evidenceOf(t testing.TB, err error) (ev *taxonomy.Evidence, what string) {
	t.Helper()
	require.ErrorAs(t, err, &ev)
	return ev, fmt.Sprint(ev.Source, " ", ev.Op, " ", ev.Type, " ", ev.Attributes["reason"])
}
