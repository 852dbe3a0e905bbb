package scenarios_test

import (
	"encoding/json"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/taxonomy"
)

// Purposes are for who can ask: a run comes to the same with them and without.
func TestExecutorAsksForNoPurpose(t *testing.T) {
	t.Parallel()
	given := 0
	for seed := range uint64(400) {
		if testing.Short() && seed%10 != 0 {
			continue
		}
		plain, _ := toldWith(t, seed, func(*madeWorld) int { return 0 })
		purposeful, n := toldWith(t, seed, giveWorld)
		given += n
		require.Equal(t, plain, purposeful, "seed %d", seed)
	}
	assert.NotZero(t, given)
}

// toldWith tells the story of a seed with a change of its world, and returns all that it comes to.
func toldWith(t *testing.T, seed uint64, change func(*madeWorld) int) (told string, changed int) {
	synctest.Test(t, func(t *testing.T) {
		w := makeWorld(seed, false)
		changed = change(w)
		r := w.live()
		for i := range r.Errors {
			r.Errors[i].Purpose = ""
		}
		text, err := json.MarshalIndent([]any{r, w.tree.files, w.tree.head, w.lines}, "", " ")
		require.NoError(t, err)
		told = string(text)
	})
	return told, changed
}

// giveWorld gives the reactions of a world purposes as the language lets them have some, and says
// to how many.
func giveWorld(w *madeWorld) int {
	made, given := w.table.taxonomy, 0
	give := func(r *taxonomy.Reaction) {
		for ; r != nil; r = r.Then {
			if givePurpose(made, r, given) {
				given++
			}
		}
	}
	give(made.Uncategorized)
	for row := range made.Rows() {
		give(made.Traits(row).Reaction)
	}
	for i := range made.Tiers {
		if tier := &made.Tiers[i]; !tier.Person {
			tier.Purpose = taxonomy.Purpose(i) % (taxonomy.PurposeVerification + 1)
		}
	}
	return given
}

func givePurpose(made *taxonomy.Taxonomy, r *taxonomy.Reaction, n int) bool {
	switch r.Action {
	case taxonomy.Escalate:
	case taxonomy.Retry, taxonomy.RetryOperation:
		if len(made.Tiers) == 0 {
			return false
		}
		r.To = made.Tiers[0].Name // the last tier alone can be a person, and the first is none
	default:
		return false
	}
	r.Purpose = taxonomy.PurposeDiagnosis + taxonomy.Purpose(n%3)
	return true
}
