package handler

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/report"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// sink keeps what it is told, in order.
type sink struct {
	mu       sync.Mutex
	reported []report.Occurrence
	updated  []report.Occurrence
	retried  []string
}

func (s *sink) Report(o *report.Occurrence) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.reported = append(s.reported, *o.With(o.Recovery))
}

func (s *sink) Update(o *report.Occurrence) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.updated = append(s.updated, *o.With(o.Recovery))
}

func (s *sink) Retried(r report.Retry) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.retried = append(s.retried, fmt.Sprint(r.Attempts, " ", r.Succeeded))
}

// TestReports: what is known around a failure is reported with it, and what has become of it. D155
// D158
func TestReports(t *testing.T) {
	s := &sink{}
	n := 0
	h := made(t, func(c *Config) {
		c.Sink, c.Recoverer = s, recoverer(func(context.Context, taxonomy.RecoveryRequest) error { return nil })
		c.ID = func() string { n++; return fmt.Sprint("id", n) }
	})
	facts := report.Facts{
		Execution:  &report.Execution{Skill: "deploy", TaskID: "t-1"},
		Repository: &report.Repository{Owner: "acme", Repo: "shop", EntityNumber: 7, EntityType: "pr"},
		Metadata:   map[string]any{"release": "1.2"},
	}
	out := h.Handle(
		t.Context(), Op{Name: "push", Source: "git", Component: "remote", Facts: facts, Do: plays("mend", "again", "")})
	require.NoError(t, out.Err)
	require.Len(t, s.reported, 2)
	first := s.reported[0]
	assert.Equal(t, []string{"id1", "mend", "test", "high"},
		[]string{first.ID, first.Code, first.Category, first.Severity})
	assert.Equal(t, &report.Source{Type: "git", Component: "remote"}, first.Source)
	assert.Equal(t, "deploy", first.Execution.Skill)
	assert.Equal(t, "t-1", first.Execution.TaskID)
	assert.Equal(t, "unknown", first.Execution.Mode)
	assert.Equal(t, facts.Repository, first.Repository)
	assert.Equal(t, "1.2", first.Metadata["release"])
	assert.Equal(t, "error-context-enricher", first.Metadata["enrichmentSource"])
	assert.Equal(t, 1767225600000.0, first.Metadata["enrichedAt"])
	assert.Nil(t, first.Recovery)
	assert.Equal(t, "again", s.reported[1].Code)

	require.Len(t, s.updated, 1)
	yes := true
	assert.Equal(t, &report.Recovery{Attempts: 1, MaxAttempts: 3, Strategy: "mend", Successful: &yes},
		s.updated[0].Recovery, "D94")
	assert.Equal(t, "id1", s.updated[0].ID)
	assert.Equal(t, first.Metadata, s.updated[0].Metadata)
	assert.Equal(t, []string{"1 true"}, s.retried, "D136")
	assert.Equal(t, "id2", out.Occurrence.ID)
	assert.Nil(t, facts.Source, "what is given stays as it is")
	assert.Empty(t, facts.Execution.Mode)
}

// TestOutcome: what a caller is told. D157
func TestOutcome(t *testing.T) {
	tests := []struct {
		name, plays, want string
	}{
		{"success", "", `{"success":true}`},
		{"failure", "never",
			`{"success":false,"error":"fake call: never: never it is","metadata":{"errorId":"id","category":"test",` +
				`"errorCode":"never","severity":"high"}}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			h := made(t, func(c *Config) { c.ID = func() string { return "id" } })
			out := h.Handle(t.Context(), Op{Name: "op", Source: "fake", Do: plays(tt.plays)})
			b, err := json.Marshal(out)
			require.NoError(t, err)
			assert.JSONEq(t, tt.want, string(b))
		})
	}
}
