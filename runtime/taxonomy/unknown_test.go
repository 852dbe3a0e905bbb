package taxonomy_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/errgen/errgen/runtime/taxonomy"
)

// The wait of an unknown error is in a field that the taxonomy declares for a category or a code.
func TestHintsOfUnknown(t *testing.T) {
	wait := []taxonomy.Field{{Name: "wait", Type: "duration", From: []string{"retry_after"}}}
	for _, tt := range []struct {
		name     string
		category taxonomy.Category
	}{
		{"field of the category", taxonomy.Category{Fields: wait}},
		{"field of a code", taxonomy.Category{Codes: []taxonomy.Code{{}, {Own: &taxonomy.OwnType{Fields: wait}}}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			x := &taxonomy.Taxonomy{Domain: "d", Categories: []*taxonomy.Category{&tt.category}}
			wire := taxonomy.Wire{Domain: "d", Code: "NEW", Context: json.RawMessage(`{"wait":"5s"}`)}
			u := taxonomy.NewUnknown(x, wire)
			assert.Equal(t, taxonomy.Some(5*time.Second), u.Hints().RetryAfter)
		})
	}
}

func TestUnknownCopies(t *testing.T) {
	is := []string{"A"}
	u := taxonomy.NewUnknown(&taxonomy.Taxonomy{}, taxonomy.Wire{Is: is})
	is[0] = "B"
	assert.Equal(t, []string{"A"}, u.Wire().Is)
}
