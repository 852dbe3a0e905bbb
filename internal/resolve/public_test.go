package resolve_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/internal/check"
	"github.com/errgen/errgen/internal/resolve"
	"github.com/errgen/errgen/runtime/taxonomy"
)

func TestPublic(t *testing.T) {
	m, findings := check.Load("taxonomy.yaml", []byte(`
errgen: 1
package: errs
reactions: {halt: {doc: Hidden., action: abort, extent: run}}
fields: {request: {type: string, audience: public}, host: {type: string, required: true}}
categories:
  io:
    doc: Hidden.
    reaction: halt
    fields:
      wait: {type: duration, from: [retry_after, attributes.wait], audience: public}
      run: {type: object, audience: public, fields: {id: {type: int, from: attributes.run}}}
    codes:
      TOP:
        message: top
        audience: public
        codes:
          HIDDEN:
            message: hidden
            codes:
              LOW:
                message: 'low[ {wait}]'
                audience: public
                retryable: true
                reaction: {action: retry}
                replaced_by: HIDDEN
                when: [{if: {host: a}, http: 400}, {if: {wait: {present: false}}, retryable: false, reaction: halt}]
`))
	require.NotNil(t, m, findings)
	p := resolve.Public(m)
	require.Len(t, p.Codes, 2)
	top, low := p.Codes[0], p.Codes[1]
	assert.Equal(t, []string{"TOP", "LOW"}, []string{top.Value, low.Value})
	assert.Same(t, top, low.Above, "the code between them is internal")
	assert.Nil(t, low.ReplacedBy)
	assert.Empty(t, top.Category.Doc)
	assert.Equal(t, taxonomy.Abort, top.Row.Reaction.Action)
	assert.Equal(t, taxonomy.ExtentTask, top.Row.Reaction.Agent.Extent)
	assert.Equal(t, taxonomy.Retry, low.Row.Reaction.Action)
	assert.True(t, low.Row.Reaction.HonorRetryAfter)
	require.Len(t, low.Branches, 1, "the other depends on an internal field")
	assert.Equal(t, taxonomy.Abort, low.Branches[0].Row.Reaction.Action)

	var names []string
	for _, f := range top.Category.Fields {
		names = append(names, f.Wire)
	}
	assert.Equal(t, []string{"request", "wait", "run"}, names)
	assert.Equal(t, []string{"retry_after"}, top.Category.Fields[1].From)
	assert.Empty(t, top.Category.Fields[2].Object.Fields[0].From)
	assert.Empty(t, low.Args)
	for _, c := range m.Codes {
		assert.Equal(t, c.Name != "HIDDEN", c.Public)
	}
}
