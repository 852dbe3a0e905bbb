package executor

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/errgen/errgen/runtime/taxonomy"
)

func TestNewNamesEveryProblem(t *testing.T) {
	_, err := New(Config{})
	assert.ErrorContains(t, err, "no Table")
	assert.ErrorContains(t, err, "no Classify")

	m := tableOf(nil, taxonomy.Tier{Name: "low"}, taxonomy.Tier{Name: "person", Person: true})
	p := &fakeProvider{}
	_, err = New(Config{
		Table: m.table(), Classify: m.classify, Journal: &fakeJournal{}, Deliver: 9,
		Tiers:  map[string]Provider{"none": p, "person": p, "low": nil},
		Limits: Limits{Iterations: -1, Run: -time.Second},
	})
	assert.EqualError(t, err, `configure executor: a Journal without Decode, so that no run could be resumed
no Delivery is 9
a Delivery without a Workspace
Limits.Iterations is -1, less than 0
Limits.Run is -1s, less than 0
tier "low" has a nil Provider
the taxonomy has no tier "none"
tier "person" is a person and has no Provider
no Provider, and none of a tier`)
}
