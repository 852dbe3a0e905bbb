package loop

import (
	"encoding/json"
	"reflect"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestEffectsAreData marshals an effect of each operation, and reads it again.
func TestEffectsAreData(t *testing.T) {
	for _, entry := range operations {
		if entry.operation == nil {
			continue
		}
		e := Effect{Do: entry.operation, Source: "source", Run: "run", Iteration: 3, Graced: true}
		switch do := e.Do.(type) {
		case Ask:
			do.Paths = Paths{"a"}
			e.Do = do
		case Validate:
			do.Phase, do.Tree = PrePush, "tree"
			e.Do = do
		case Revert:
			do.Found, do.Paths = "tree", Paths{"a\xff"}
			e.Do = do
		case Notify:
			do.State = Begin(Task{Run: "run"}, Config{}, "word")
			e.Do = do
		}
		t.Run(e.Op(), func(t *testing.T) {
			b, err := json.Marshal(e)
			require.NoError(t, err)
			var read Effect
			require.NoError(t, json.Unmarshal(b, &read), "%s", b)
			assert.Equal(t, e, read)
		})
	}
	var e Effect
	assert.ErrorContains(t, json.Unmarshal([]byte(`{"type": "Fly", "do": {}}`), &e), `unknown operation "Fly"`)
	assert.ErrorContains(t, json.Unmarshal([]byte(`{"type": "Ask", "do": 1}`), &e), "read operation Ask")
}

// TestOutcomesAreData reads the results of outcomes that were marshaled.
func TestOutcomesAreData(t *testing.T) {
	for _, result := range []any{
		Tree("t"), Trees{Checked: "t"}, Admission{Why: "lane"}, Answer{Text: "x", Signal: SignalDone},
		Changes{Found: "t", Bad: []Judged{{Change{Path: "a"}, Outside}}}, Approval{Approved: true}, "ref",
		Paths{"\xff"},
		CommitResult{CommitDone{ID: "c", Paths: Paths{"a"}}, "t"}, Forwarding{Why: "diverged"},
	} {
		b, err := json.Marshal(Outcome{Result: result, Took: 3, Warnings: []string{"w"}})
		require.NoError(t, err)
		var o Outcome
		require.NoError(t, json.Unmarshal(b, &o))
		assert.Equal(t, []string{"w"}, o.Warnings)
		b, err = json.Marshal(o.Result)
		require.NoError(t, err)
		read := reflect.New(reflect.TypeOf(result))
		require.NoError(t, json.Unmarshal(b, read.Interface()))
		assert.Equal(t, result, read.Elem().Interface())
	}
	assert.Equal(t, Tree("t"), resultOf[Tree](&Outcome{Result: json.RawMessage(`"t"`)}))
	assert.Zero(t, resultOf[Answer](&Outcome{}))
	assert.Panics(t, func() { resultOf[Tree](&Outcome{Result: json.RawMessage(`{}`)}) })
}
