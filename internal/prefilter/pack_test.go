package prefilter_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/errgen/errgen/internal/prefilter"
	"github.com/errgen/errgen/runtime/detect"
)

// A reference in an expression is the lead, wherever the pattern is.
func TestPackedLeads(t *testing.T) {
	assert.Equal(t, []string{"a(?3)x(?3)", "x(?3)", "zz"}, prefilter.PackLeads([]string{"azzxzz", "xzz", "zz"}))
	packed := prefilter.Pack([]detect.Pattern{
		{Expr: "bzz", Literals: []detect.Literal{{Text: "bzz", Fold: true}, {Text: "y"}}},
		{Plain: "c.", Lead: 2},
	}, []string{"a", "zz"})
	assert.Equal(t, "0 b(?2)\t~bzz\t=y\t\t2 (?i)c\\.", string(packed))
	assert.Empty(t, prefilter.Pack(nil, nil))
}
