package taxonomy_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/errgen/errgen/runtime/taxonomy"
	"github.com/errgen/errgen/runtime/taxonomy/internal/sample"
)

func TestViolationsOf(t *testing.T) {
	list := []taxonomy.Violation{{Field: "items[0]", Description: "empty", Code: "EMPTY"}, {Field: "b"}}
	invalid := fmt.Errorf("wrapped: %w", sample.NewOrderInvalid("o", list))
	internal := sample.NewCart(nil, list)
	for _, tt := range []struct {
		name        string
		err         error
		all, public []taxonomy.Violation
	}{
		{"public", invalid, list, list},
		{"internal", internal, list, nil},
		{"absent", sample.NewOrderConflict("o"), nil, nil},
		{"category without the field", sample.NewGitCommit(), nil, nil},
		{"code", sample.CodeOrderInvalid, nil, nil},
		{"unknown code", taxonomy.NewUnknown(sample.Table.Taxonomy, taxonomy.Wire{Code: "NEW"}), nil, nil},
		{"plain error", errors.New("x"), nil, nil},
		{"nil", nil, nil, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			assert.Equal(t, tt.all, taxonomy.ViolationsOf(tt.err))
			assert.Equal(t, tt.public, taxonomy.Public(tt.err).Violations())
		})
	}
	list[0].Field = "changed"
	assert.Equal(t, "items[0]", taxonomy.ViolationsOf(invalid)[0].Field, "the error has a copy")
	assert.Contains(t, string(taxonomy.AppendPublicJSON(nil, invalid)),
		`"violations":[{"field":"items[0]","description":"empty","code":"EMPTY"},{"field":"b","description":""}]`)
}
