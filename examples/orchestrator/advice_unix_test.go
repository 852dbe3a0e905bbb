//go:build unix

package main

import (
	"bytes"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/escalate"
)

// What is advised below an end can be done: an answer is none where the run would refuse it.
func TestAdvice(t *testing.T) {
	const again = "\n  orchestrator -run r -dir "
	tests := []struct {
		name   string
		kept   escalate.EndReason // how the run has ended by what is kept of it
		end    escalate.EndReason
		asks   bool
		noGit  bool
		giveUp bool
		want   string
		not    string
	}{
		{name: "a question", kept: escalate.EndQuestion, end: escalate.EndQuestion, asks: true,
			want: "\nAnswer:\n  orchestrator -answer 'TEXT' "},
		{name: "failed", kept: escalate.EndFailed, end: escalate.EndFailed,
			want: "\nTake it up again:\n  orchestrator -answer 'TEXT' "},
		{name: "given up", kept: escalate.EndFailed, end: escalate.EndFailed, giveUp: true},
		{name: "completed", kept: escalate.EndCompleted, end: escalate.EndCompleted},
		{name: "cancelled", kept: escalate.EndCancelled, end: escalate.EndCancelled},
		{
			name: "not put back", kept: escalate.EndRevert, end: escalate.EndRevert,
			want: "\nThe tree is not as it was. Remove the cause, and run the same command again, which puts it " +
				"back first:" + again, not: "-answer",
		},
		{
			name: "not put back, and given up", kept: escalate.EndRevert, end: escalate.EndRevert, giveUp: true,
			want: "\nThe tree is not as it was.", not: "-answer",
		},
		{
			name: "its end is not kept", end: escalate.EndFailed,
			want: "\nThe end of the run could not be kept. Remove the cause, and run the same command again:" + again,
			not:  "-answer",
		},
		{name: "its question is not kept", end: escalate.EndQuestion, asks: true,
			want: "\nThe end of the run could not be kept.", not: "-answer"},
		{name: "git is gone", kept: escalate.EndFailed, end: escalate.EndFailed, noGit: true,
			want: "/.git is gone, so that nothing can be put back", not: "orchestrator"},
		{name: "git is gone, and nothing put back", kept: escalate.EndRevert, end: escalate.EndRevert, noGit: true,
			want: "/.git is gone", not: "orchestrator"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir := project(t)
			tree, err := openRoot(t.Context(), dir)
			require.NoError(t, err)
			s := &session{options: &options{plan: "p.md", dir: dir, run: "r", giveUp: tt.giveUp}, name: "r", tree: tree}
			require.NoError(t, s.settle())
			_, err = s.config.Journal.Open(t.Context(), s.name)
			require.NoError(t, err)
			require.NoError(
				t, s.config.Journal.Save(
					t.Context(),
					&escalate.State{Version: 1,
						Result: escalate.Result{Run: s.name, EndReason: tt.kept, Status: tt.kept.Status()}}))
			require.NoError(t, s.config.Journal.Close())
			if tt.noGit {
				require.NoError(t, os.RemoveAll(tree.GitDir()))
			}
			r := &escalate.Result{Run: s.name, EndReason: tt.end, Status: tt.end.Status()}
			if tt.asks {
				r.Question = &escalate.Question{Step: "1"}
			}
			var out bytes.Buffer
			s.writeAnswering(t.Context(), &out, r)
			if tt.want == "" {
				assert.Empty(t, out.String())
				return
			}
			assert.Contains(t, out.String(), tt.want)
			if tt.not != "" {
				assert.NotContains(t, out.String(), tt.not)
			}
			if tt.noGit {
				assert.NoDirExists(t, tree.GitDir(), "nothing is made in its place")
			}
		})
	}
}
