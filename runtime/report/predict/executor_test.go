package predict

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/gen/errs"
	"github.com/errgen/errgen/runtime/detect"
	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/retry"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// downtime is a service that is down for the first twenty minutes of each hour, and counts the
// calls that it had to refuse.
type downtime struct {
	service
	refused int
}

func (d *downtime) Call(ctx context.Context, req executor.Request) (executor.Answer, error) {
	answer, err := d.service.Call(ctx, req)
	if err != nil {
		d.refused++
	}
	return answer, err
}

func isDown(now time.Time, _ *rand.Rand) *taxonomy.Evidence {
	if now.Minute() >= 20 {
		return nil
	}
	return &down
}

// ping is a check of the downtime that does not burden the service.
type ping struct {
	clock *simClock
	asked int
}

func (p *ping) Check(_ context.Context, name string) error {
	p.asked++
	if ev := isDown(p.clock.Now(), nil); ev != nil && name == "ping" {
		copied := *ev
		return &copied
	}
	return nil
}

// TestPreventionSparesTheService has the executor run tasks for eight hours, without and with a
// check before calls that are likely to fail. D180
func TestPreventionSparesTheService(t *testing.T) {
	without, _ := refusedIn8Hours(t, nil)
	with, asked := refusedIn8Hours(t, &taxonomy.Prevention{Check: "ping", Likely: 0.5})
	t.Logf("refused calls: %d without prevention, %d with; %d checks", without, with, asked)
	assert.LessOrEqual(t, with*2, without)
	assert.Positive(t, asked)
}

func refusedIn8Hours(t *testing.T, prevent *taxonomy.Prevention) (refused, asked int) {
	t.Helper()
	random := rand.New(rand.NewPCG(9, 9))
	clock := &simClock{now: start}
	d := &downtime{service: service{clock: clock, random: random, weather: isDown}}
	check := &ping{clock: clock}
	model := New(Options{})
	x, err := executor.New(executor.Config{
		Table: errs.Table, Classify: detect.Classifier(errs.Explain), Clock: clock, Random: random.Float64, Provider: d,
		Learners: []retry.Learner{model}, Preventer: NewPreventer(
			model, shippedWith("PROVIDER_API_ERROR", prevent), PreventerOptions{}), Checker: check,
	})
	require.NoError(t, err)
	for n := 0; clock.Now().Before(start.Add(8 * time.Hour)); n++ {
		x.Run(t.Context(), executor.Task{Run: fmt.Sprintf("run-%d", n), ID: "task", Prompt: "Do it."})
		_ = clock.Sleep(t.Context(), exponential(random, time.Minute))
	}
	return d.refused, check.asked
}

// shippedWith is the shipped table with what is done where a code is likely.
func shippedWith(code string, prevent *taxonomy.Prevention) taxonomy.Table {
	changed := *errs.Table.Taxonomy
	row, _ := changed.Find(code)
	category := *changed.Categories[row.Category()]
	category.Codes = slices.Clone(category.Codes)
	category.Codes[row.Code()].Prevent = prevent
	changed.Categories = slices.Clone(changed.Categories)
	changed.Categories[row.Category()] = &category
	return taxonomy.Table{Taxonomy: &changed}
}
