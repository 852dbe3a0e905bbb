package anthropic_test

import (
	"context"
	"errors"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/gen/errs"
	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/providers/anthropic"
	"github.com/errgen/errgen/runtime/providers/providertest"
	"github.com/errgen/errgen/runtime/providers/toolbox"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// What the shipped taxonomy gives as examples of this provider comes back, through the real SDK, as
// the code that it is an example of.
func TestTheTaxonomysOwnExamples(t *testing.T) {
	source, err := os.ReadFile("../../../taxonomy.yaml")
	require.NoError(t, err)
	examples, err := providertest.Examples(source)
	require.NoError(t, err)
	played := map[string]int{}
	for _, x := range examples {
		if x.Evidence.Source != "anthropic-api" {
			continue
		}
		reply, ok := providertest.AnthropicReply(x.Evidence)
		if !ok {
			t.Logf("%s, example %d is nothing that a server can do", x.Code, x.Place)
			continue
		}
		played[x.Code]++
		got := classify(t, reply, x.Evidence)
		if x.Not {
			assert.NotEqual(t, x.Code, taxonomy.CodeOf(got), "counter-example %d of %s", x.Place, x.Code)
			continue
		}
		assert.Equal(t, x.Code, taxonomy.CodeOf(got), "example %d of %s: %v", x.Place, x.Code, got)
		if retryable, asked := x.Want.Retryable.Get(); asked {
			assert.Equal(t, retryable, taxonomy.IsRetryable(got), "example %d of %s", x.Place, x.Code)
		}
		if x.Want.Reaction != "" {
			assert.Equal(t, x.Want.Reaction, errs.Table.Reaction(got).Name, "example %d of %s", x.Place, x.Code)
		}
		assertContext(t, x, got)
	}
	for code, least := range map[string]int{"PROVIDER_CRASH": 1, "PROVIDER_API_ERROR": 6, "PROVIDER_RATE_LIMIT": 4,
		"OPERATION_TIMEOUT": 1, "PERMISSION_API_AUTH": 2} {
		assert.GreaterOrEqual(t, played[code], least, code)
	}
}

// classify returns what becomes of the reply.
func classify(t *testing.T, reply providertest.Reply, ev taxonomy.Evidence) error {
	t.Helper()
	server := serve(t, reply)
	p := provider(t, server.URL, func(o *anthropic.Options) {
		o.Toolbox.Commands = toolbox.Policy{Name: ev.Attribute("policy"), Allow: []string{"make test"}}
	})
	ctx := context.Background()
	if reply.End == providertest.EndNever {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, 50*time.Millisecond)
		defer cancel()
	}
	_, err := p.Call(ctx, executor.Request{Prompt: "do it", Dir: t.TempDir()})
	require.Error(t, err)
	return errs.Classify(err)
}

// assertContext compares the fields that an example wants and that this provider fills.
func assertContext(t *testing.T, x providertest.Example, got error) {
	t.Helper()
	var failed *errs.ProviderError
	if !errors.As(got, &failed) {
		return
	}
	for field, want := range x.Want.Context {
		switch field {
		case "statusCode":
			assert.Equal(t, want, int64(failed.StatusCode.Or(0)))
		case "retryAfter":
			assert.Equal(t, want, failed.RetryAfter.Or(0))
		case "resetAt":
			assert.Equal(t, want, failed.ResetAt.Or(time.Time{}))
		case "unmatched":
			assert.Equal(t, want, failed.Unmatched.Or(false))
		}
	}
}
