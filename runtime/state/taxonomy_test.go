package state_test

import (
	"context"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/state"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// codes is a taxonomy as a runner of specifications has it.
var codes = taxonomy.Table{Taxonomy: &taxonomy.Taxonomy{
	Package:  "codes",
	Fallback: "UNKNOWN",
	Categories: []*taxonomy.Category{{Name: "attempt", Codes: []taxonomy.Code{
		{},
		{Value: "HOOK_FAILURE", Traits: reacts(taxonomy.Reaction{Name: "fail_fast", CountFailure: true})},
		{Value: "RATE_LIMIT", Traits: reacts(taxonomy.Reaction{Name: "return_at_once"})},
		{Value: "SYNTAX", Traits: reacts(again), Deprecated: "Nothing gives it."},
		{Value: "TASK_FAILED", Traits: reacts(again), Aliases: []string{"FAILED"}},
		{Value: "UNKNOWN", Traits: reacts(again)},
		{Value: "WAITS", Traits: reacts(taxonomy.Reaction{Name: "ask", Action: taxonomy.Block})},
	}}},
	None:          reacts(taxonomy.Reaction{Name: "none"}),
	Uncategorized: &taxonomy.Reaction{Name: "none"},
}}

var again = taxonomy.Reaction{Name: "again", Action: taxonomy.Retry, CountFailure: true}

func reacts(r taxonomy.Reaction) taxonomy.Traits { return taxonomy.Traits{Reaction: &r} }

// noon is the time of a still clock.
var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// still is a clock that stands.
type still time.Time

func (c still) Now() time.Time                             { return time.Time(c) }
func (c still) Sleep(context.Context, time.Duration) error { return nil }

// opened returns a new state with the taxonomy, at noon.
func opened(t testing.TB, o state.Options) *state.Store {
	t.Helper()
	return openedAt(t, filepath.Join(t.TempDir(), "s.db"), o)
}

func openedAt(t testing.TB, path string, o state.Options) *state.Store {
	t.Helper()
	if o.Clock == nil {
		o.Clock = still(noon)
	}
	s, err := state.Open(t.Context(), path, o)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	return s
}
