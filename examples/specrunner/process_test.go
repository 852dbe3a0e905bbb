package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/proc"
	"github.com/errgen/errgen/runtime/taxonomy"
)

const givenToken = "given GIVEN value GIVEN"

func talking(t *testing.T) *process {
	t.Helper()
	p, err := newProcess(agentSettings{Command: []string{"agent"}, Env: []string{"AGENT_TOKEN=" + givenToken}},
		place{Dir: t.TempDir()})
	require.NoError(t, err)
	return p
}

// What is kept of a long output begins anywhere, also in a secret.
func TestNoPartOfASecretIsKept(t *testing.T) {
	p := talking(t)
	for _, secret := range []string{"https://user:GIVEN-s3cr3t-GIVEN@host/x",
		"sk-ant-api03-GIVENDEFghijkl1234567890GIVEN", givenToken} {
		for at := range len(secret) + 1 {
			ended := func(limit int) string {
				return strings.Repeat("x", 2*limit) + " " + secret + " " + strings.Repeat("x", limit-at)
			}
			said := proc.NewTail(maxSaid)
			_, _ = said.Write([]byte(ended(maxSaid)))
			require.NotContains(t, p.shown(said), "GIVEN")
			if secret == givenToken {
				continue // in what is shown there is none
			}
			ev := &taxonomy.Evidence{Source: sourceAgent, Op: opCall}
			require.NotContains(t, lastSaid(ev, ended(maxReason), ""), "GIVEN")
			var told *taxonomy.Evidence
			require.ErrorAs(t, verdict{}.failure(nil, ended(maxReason)), &told)
			require.NotContains(t, told.Text, "GIVEN")
		}
	}
}

// A line comes in pieces, and a piece may begin in a secret.
func TestProgressIsToldByLines(t *testing.T) {
	p := talking(t)
	for _, secret := range []string{"https://user:GIVEN-s3cr3t-GIVEN@host/x", givenToken} {
		text := "I begin\n\nI push to " + secret + " now\n\n \nand then"
		for at := range len(text) {
			var told []string
			answer := proc.NewTail(maxAnswer)
			w := p.telling(answer, func(line string) { told = append(told, taxonomy.Redact(line)) })
			for _, piece := range []string{text[:at], text[at:]} {
				n, err := w.Write([]byte(piece))
				require.NoError(t, err)
				require.Equal(t, len(piece), n)
			}
			w.flush()
			assert.NotContains(t, strings.Join(told, "\n"), "GIVEN")
			require.NotEmpty(t, told)
			assert.Equal(t, "and then", told[len(told)-1])
			assert.Equal(t, text, answer.String())
		}
	}
}

func TestOnlyTheLastLineIsTold(t *testing.T) {
	var told []string
	w := talking(t).telling(proc.NewTail(maxAnswer), func(line string) { told = append(told, line) })
	for _, piece := range []string{"one", "\n\ntwo\n", "three\nfour\n \n", "\n", "fi", "ve", "\r\nsix"} {
		_, _ = w.Write([]byte(piece))
	}
	w.flush()
	w.flush()
	assert.Equal(t, []string{"two", "four", "five", "six"}, told)
}

func TestALongLineOfProgressIsBounded(t *testing.T) {
	var told []string
	w := talking(t).telling(proc.NewTail(maxAnswer), func(line string) { told = append(told, line) })
	for range 100 {
		_, _ = w.Write([]byte(strings.Repeat("x", maxTold)))
	}
	_, _ = w.Write([]byte("\n"))
	w.flush()
	assert.Equal(t, []string{strings.Repeat("x", maxTold)}, told)
}

func TestNobodyIsTold(t *testing.T) {
	answer := proc.NewTail(maxAnswer)
	w := talking(t).telling(answer, nil)
	_, _ = w.Write([]byte("a\nb"))
	w.flush()
	assert.Equal(t, "a\nb", answer.String())
}
