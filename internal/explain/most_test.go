package explain

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/errgen/errgen/runtime/taxonomy"
)

func TestCountOfMostCalls(t *testing.T) {
	policy := func(n int) *taxonomy.Policy { return &taxonomy.Policy{MaxAttempts: n} }
	stop := &taxonomy.Reaction{Action: taxonomy.Abort}
	retry := &taxonomy.Reaction{Action: taxonomy.Retry, Policy: policy(3), Then: stop}
	for _, tt := range []struct {
		name     string
		profile  *taxonomy.Profile
		reaction *taxonomy.Reaction
		calls    int
		bounded  bool
	}{
		{"abort", nil, stop, 1, true},
		{"retry", nil, retry, 3, true},
		{"recover, then retry", nil, &taxonomy.Reaction{Action: taxonomy.Recover, Policy: policy(2), Then: retry}, 4,
			true},
		{"no policy", nil, &taxonomy.Reaction{Action: taxonomy.Retry, Then: stop}, 1, false},
		{"recover without a policy", nil, &taxonomy.Reaction{Action: taxonomy.Recover, Then: retry}, 3, false},
	} {
		calls, bounded := mostCalls(tt.profile, tt.reaction)
		assert.Equal(t, tt.calls, calls, tt.name)
		assert.Equal(t, tt.bounded, bounded, tt.name)
	}
	profile := &taxonomy.Profile{Recovery: taxonomy.Recovery{Enabled: true, MaxAttempts: 5}}
	profile.Retry.Enabled = true
	calls, bounded := mostCalls(profile, &taxonomy.Reaction{Action: taxonomy.Recover, Then: retry})
	assert.Equal(t, 8, calls)
	assert.True(t, bounded)
}
