package breaking

import (
	"reflect"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/errgen/errgen/runtime/taxonomy"
)

// A trait that is not compared would change without a finding.
func TestEachTraitIsCompared(t *testing.T) {
	assert.Len(t, traits(taxonomy.Traits{Reaction: taxonomy.Predeclared(taxonomy.Abort)}),
		reflect.TypeFor[taxonomy.Traits]().NumField())
}
