package detect_test

import (
	"encoding/json"
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/detect"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// What sensitive fields are filled from is neither explained nor recorded; the error gets it as it
// is.
func TestSensitiveEvidence(t *testing.T) {
	r := mailRules()
	r.Sensitive = []string{
		"attributes.absent", "attributes.token", "code", "credential", "errno", "exit_code", "files", "op", "output",
		"reset_at", "retry_after",
		"signal", "source", "status", "text", "type", "unheard-of",
	}
	var made taxonomy.Evidence
	makeError := r.Make
	r.Make = func(rule int, ev *taxonomy.Evidence) taxonomy.Error {
		made = *ev
		return makeError(rule, &taxonomy.Evidence{})
	}
	ev := taxonomy.Evidence{
		Source: "HIDDEN1", Op: "HIDDEN2", Type: "HIDDEN3", Code: "HIDDEN4", Signal: "HIDDEN5", Errno: "HIDDEN6",
		Text:   "HIDDEN7",
		Output: "HIDDEN8", Credential: "HIDDEN9", Files: []string{"HIDDEN10"}, Status: 99987,
		ExitCode:   taxonomy.Some(99987),
		RetryAfter: taxonomy.Some(99987 * time.Second), ResetAt: time.Unix(99987, 0),
		Attributes: map[string]string{"token": "HIDDEN11", "plain": "shown"},
	}
	record, path := openRecord(t, detect.RecordOptions{})
	require.Error(t, r.Classify(ev, []detect.Option{detect.OnUnmatched(record)}))
	assert.Equal(t, ev, made)
	e := r.Explain(ev, nil)
	assert.Equal(t, ev, e.Evidence)
	j, err := json.Marshal(e)
	require.NoError(t, err)
	recorded, err := os.ReadFile(path)
	require.NoError(t, err)
	for _, shown := range []string{e.String(), fmt.Sprintf("%+v", e), string(j), string(recorded)} {
		assert.NotContains(t, shown, "HIDDEN")
		assert.NotContains(t, shown, "99987")
		assert.NotContains(t, shown, "27h")
		assert.NotContains(t, shown, "1970-01-02")
	}
	assert.Contains(t, string(j), `"plain":"shown"`)
	assert.Contains(t, string(j), `"token":"[REDACTED]"`)
	assert.Contains(t, string(recorded), `"token":"[REDACTED]"`)
	assert.NotContains(t, string(j), "absent")
	assert.Equal(t, "HIDDEN11", ev.Attributes["token"], "what was given is left as it is")
}

func TestExplanationIsPrintable(t *testing.T) {
	e := mailRules().Explain("try again \u202egnp.exe \u200b\ufeff\x1b[31m\u2028 end", nil)
	for _, r := range []string{"\u202e", "\u200b", "\ufeff", "\x1b", "\u2028"} {
		assert.NotContains(t, e.String(), r)
	}
}
