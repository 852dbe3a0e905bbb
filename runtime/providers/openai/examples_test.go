package openai

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/gen/errs"
	pt "github.com/errgen/errgen/runtime/providers/providertest"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// The examples that the taxonomy gives for this provider come back through the SDK and over HTTP as
// their codes.
func TestExamplesOfTheTaxonomy(t *testing.T) {
	source, err := os.ReadFile("../../../taxonomy.yaml")
	require.NoError(t, err)
	examples, err := pt.Examples(source)
	require.NoError(t, err)
	played := 0
	for _, x := range examples {
		if x.Evidence.Source != DefaultName {
			continue
		}
		reply, ok := pt.OpenAIReply(x.Evidence)
		if !ok {
			t.Logf("nothing a server does: %s %d: %v", x.Code, x.Place, x.Evidence)
			continue
		}
		played++
		t.Run(fmt.Sprintf("%s %d not %t", x.Code, x.Place, x.Not), func(t *testing.T) { playExample(t, x, reply) })
	}
	assert.GreaterOrEqual(t, played, 15)
}

func playExample(t *testing.T, x pt.Example, reply pt.Reply) {
	server, p := served(t, strict, reply.Always())
	req := request(t)
	ctx := t.Context()
	if reply.End == pt.EndNever {
		milliseconds, _ := strconv.Atoi(x.Evidence.Attribute("timeout_ms"))
		expired := &ended{Context: ctx, deadline: time.Now(), done: make(chan struct{}), err: context.DeadlineExceeded}
		p = provider(t, server.URL, func(o *Options) {
			o.Client.Transport = &tracing{next: o.Client.Transport, sent: true, end: func() { close(expired.done) }}
		})
		ctx, req.Limit = expired, time.Duration(milliseconds)*time.Millisecond
	}
	_, err := p.Call(ctx, req)
	classified := errs.Classify(err)
	if x.Not {
		assert.NotEqual(t, x.Code, taxonomy.CodeOf(classified))
		return
	}
	assert.Equal(t, x.Code, taxonomy.CodeOf(classified), "%v", evidenceOf(t, err))
	assert.LessOrEqual(t, server.Count(), 1)
	if want, ok := x.Want.Retryable.Get(); ok {
		assert.Equal(t, want, taxonomy.IsRetryable(classified))
	}
	if x.Want.Reaction != "" {
		assert.Equal(t, x.Want.Reaction, errs.Table.Reaction(classified).Name)
	}
	wantContext(t, x.Want.Context, classified)
}

// wantContext compares what an example expects of an error's fields, as they are on the wire.
func wantContext(t *testing.T, want map[string]any, err error) {
	t.Helper()
	if len(want) == 0 {
		return
	}
	wire, e := json.Marshal(err)
	require.NoError(t, e)
	var got struct{ Context map[string]any }
	require.NoError(t, json.Unmarshal(wire, &got))
	for field, value := range want {
		assert.EqualValues(t, fmt.Sprint(value), fmt.Sprint(got.Context[field]), field)
	}
}
