//go:build unix

package main

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/detect"
	"github.com/errgen/errgen/runtime/recovery"
	"github.com/errgen/errgen/runtime/report"
	"github.com/errgen/errgen/runtime/retry"
	"github.com/errgen/errgen/runtime/taxonomy"

	"bot.example.com/duyetbot/errs"
)

// TestExtentOfFailures: a reaction that ends everything ends the skills that follow, and others do
// not.
func TestExtentOfFailures(t *testing.T) {
	for extent, follows := range map[string]bool{"task": true, "run": false} {
		t.Run(extent, func(t *testing.T) {
			table, err := errs.Table.Override(
				taxonomy.Overrides{Reactions: map[string]taxonomy.ReactionOverride{"fail": {Extent: extent}}})
			require.NoError(t, err)
			var out bytes.Buffer
			s := newSession(&out, retry.System)
			var ready []*job
			for _, text := range []string{"name: first\ncommand: ['false']\n", "name: second\ncommand: ['true']\n"} {
				sk, err := loadSkill(written(t, text))
				require.NoError(t, err)
				j, err := s.prepare(t.Context(), sk)
				require.NoError(t, err)
				j.handler, err = recovery.NewHandler(
					recovery.Config{Table: table, Classify: detect.Classifier(errs.Explain), Sink: j.shows,
						Observer: j.shows})
				require.NoError(t, err)
				ready = append(ready, j)
			}
			assert.False(t, s.runAll(t.Context(), ready))
			assert.Contains(t, out.String(), "first (profile ")
			assert.Equal(t, follows, bytes.Contains(out.Bytes(), []byte("second (profile ")), "%s", &out)
		})
	}
}

// TestFactsOfSkill: all that a skill says of what it does is known of its failures. D59 D61 D155
func TestFactsOfSkill(t *testing.T) {
	s, err := loadSkill(written(t, `name: publish
source: tool
component: mkdocs
command: ['false']
execution: {mode: agent, task: t-7, tool: hugo, step: deploy, session: s-1}
github: {owner: acme, repo: shop, entity_number: 7, entity_type: pr}
`))
	require.NoError(t, err)
	assert.Equal(t, report.Facts{
		Source: &report.Source{Type: "tool", Component: "mkdocs"},
		Execution: &report.Execution{Mode: "agent", Skill: "publish", Tool: "hugo", Step: "deploy", TaskID: "t-7",
			SessionID: "s-1"},
		Repository: &report.Repository{Owner: "acme", Repo: "shop", EntityNumber: 7, EntityType: "pr"},
	}, s.facts())

	var ev *taxonomy.Evidence
	require.ErrorAs(t, (&command{skill: s}).run(t.Context()), &ev)
	known := map[string]string{
		"component": "mkdocs", "skill": "publish", "mode": "agent", "tool": "hugo", "step": "deploy", "task_id": "t-7",
		"session_id": "s-1",
		"owner":      "acme", "repo": "shop", "entity_number": "7", "entity_type": "pr",
	}
	for name, value := range known {
		assert.Equal(t, value, ev.Attributes[name], name)
	}
	var failure *errs.ToolError
	require.ErrorAs(t, errs.Classify(ev), &failure)
	assert.Equal(t, taxonomy.Some(errs.Execution{
		Mode: "agent", Skill: taxonomy.Some("publish"), Tool: taxonomy.Some("hugo"), Step: taxonomy.Some("deploy"),
		TaskID: taxonomy.Some("t-7"), SessionID: taxonomy.Some("s-1"),
	}), failure.Execution)
}
