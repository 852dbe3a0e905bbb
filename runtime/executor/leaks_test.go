package executor

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/taxonomy"
)

// telling is an error whose fields say whatever came, none of them declared to be masked.
type telling struct {
	coded
	context string
}

func (e *telling) AppendContext(dst []byte) []byte { return append(dst, e.context...) }

// What looks like a secret leaves nowhere, whatever field it is in.
func TestSecretsInFieldsLeaveNowhere(t *testing.T) {
	const hidden = "hunter22secret"
	basic := "dXNlcjpodW50ZXIyMnNlY3JldA=="
	for name, context := range map[string]string{
		"code":                 `{"code":"` + aSecret + `"}`,
		"nested":               `{"execution":{"taskId":"` + aSecret + `","steps":["a","` + aSecret + `"]}}`,
		"key":                  `{"execution":{"password":"` + hidden + `"}}`,
		"json in a text":       `{"body":"{\"error\":{\"code\":\"` + aSecret + `\",\"api_key\":\"` + hidden + `\"}}"}`,
		"json in json":         `{"body":"{\"raw\":\"{\\\"token\\\":\\\"` + hidden + `\\\"}\"}"}`,
		"escaped":              `{"code":"\u0067` + aSecret[1:] + `"}`,
		"escaped in json":      `{"body":"{\"code\":\"\\u0067` + aSecret[1:] + `\"}"}`,
		"behind a line break":  `{"message":"rejected key:\n` + aSecret + `\n"}`,
		"behind a colour":      `{"message":"\u001b[31m` + aSecret + `"}`,
		"an address":           `{"url":"https://user:` + hidden + `@host/x"}`,
		"a header":             `{"headers":{"Authorization":["Basic ` + basic + `"]}}`,
		"a number":             `{"password":12345678}`,
		"a command":            `{"command":"curl -u user:` + hidden + ` https://x"}`,
		"a cookie, in a text":  `{"log":"Cookie: sid=` + hidden + `; a=b"}`,
		"a signature, in text": `{"url":"https://x/y?sv=1&sig=` + hidden + `1&se=2"}`,
	} {
		t.Run(name, func(t *testing.T) {
			m := tableOf(reactions())
			table := m.table()
			table.Overlay = &taxonomy.Profile{Retry: taxonomy.RetryDefaults{Enabled: true},
				Reporting: taxonomy.Reporting{Context: true}}
			w := worldOf(m, step{err: fails("stop")})
			w.cfg.Table = table
			//lint:ignore ST1008 it is a Classifier
			w.cfg.Classify = func(err error, _, _ string) (error, string) {
				return &telling{coded{m.taxonomy, m.rows["stop"], "said " + aSecret, taxonomy.Hints{}, err}, context},
					aSecret
			}
			journal := &fakeJournal{}
			w.cfg.Journal = journal
			var log bytes.Buffer
			w.cfg.Observer = Slog(slog.New(slog.NewJSONHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug})),
				table)
			r := w.run(t)
			require.Equal(t, "stop", r.ErrorCode)
			require.NotEmpty(t, r.ErrorDetails)
			result, err := json.Marshal(r)
			require.NoError(t, err)
			require.Contains(t, log.String(), `"context":{`)
			for place, text := range map[string]string{
				"log": log.String(), "result": string(result), "journal": fmt.Sprintf("%s", journal.lines),
			} {
				for _, secret := range []string{aSecret, aSecret[1:], hidden, basic, "12345678"} {
					assert.NotContains(t, text, secret, place)
				}
			}
		})
	}
}
