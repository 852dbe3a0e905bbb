package claudecli

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/proc"
)

// What is kept of long texts ends or begins anywhere, also in a secret.
func TestNoPartOfASecretIsKept(t *testing.T) {
	const given = "given GIVEN value GIVEN"
	p, err := New(Options{Env: []string{"MY_TOKEN=" + given}})
	require.NoError(t, err)
	c := &call{Provider: p, stderr: proc.NewTail(maxStderr), plain: proc.NewTail(maxPlain), linger: func() {}}
	for _, secret := range []string{"https://user:GIVEN-s3cr3t-GIVEN@host/x",
		"sk-ant-api03-GIVENDEFghijkl1234567890GIVEN", given} {
		for at := range len(secret) + 1 {
			c.stderr, c.plain = proc.NewTail(maxStderr), proc.NewTail(maxPlain)
			ended := func(limit int) string {
				return strings.Repeat("x", 2*limit) + " " + secret + " " + strings.Repeat("x", limit-at)
			}
			_, _ = c.stderr.Write([]byte(ended(maxStderr)))
			_, _ = c.plain.Write([]byte(ended(maxPlain)))
			for _, got := range []string{c.errorChannel(), c.output()} {
				require.NotContains(t, got, "GIVEN")
			}

			c.result = &event{Verdict: erred, Result: ended(maxStderr)}
			got := c.errorChannel()
			require.NotContains(t, got, "GIVEN")
			require.LessOrEqual(t, len(got), 2*maxStderr+1)

			if at%5 == 0 { // of a long text
				c.result = &event{Verdict: succeeded, Result: ended(maxText)}
				got = c.answer(true).Text
				require.NotContains(t, got, "GIVEN")
				require.LessOrEqual(t, len(got), maxText)
			}
			c.result = nil

			var told []string
			c.req = executor.Request{Progress: func(text string) { told = append(told, text) }}
			said, err := json.Marshal(strings.Repeat("x", maxProgress-at) + " " + secret + " and so on")
			require.NoError(t, err)
			c.read([]byte(`{"type":"assistant","message":{"content":[{"type":"text","text":` + string(said) + `}]}}`))
			require.Len(t, told, 1)
			require.NotContains(t, told[0], "GIVEN")
		}
	}
}

func TestAShortAnswerStaysAsItIs(t *testing.T) {
	c := reader(t)
	c.result = &event{Verdict: succeeded, Result: "password=hunter22"}
	assert.Equal(t, "password=hunter22", c.answer(true).Text)
}
