package escalate

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/taxonomy"
)

// What is masked in an answer does not take its report with it.
func TestMaskedAnswersCanStillBeRead(t *testing.T) {
	key := "-----BEGIN RSA PRIVATE KEY-----\nMIIEpAIBAAKCAQEA\nand no end"
	for _, tt := range []struct{ name, details, masked string }{
		{"nothing", "cat: a: <b> & größe\n\tx", "cat: a: <b> & größe\n\tx"},
		{"an empty value", "password=", "password="},
		{"a key without an end", key, "[REDACTED]"},
		{"quotes", `export API_KEY="abcd1234efgh5678" x`, `export API_KEY="[REDACTED]" x`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			details, err := json.Marshal(tt.details)
			require.NoError(t, err)
			text := key + "\n" + block(`{"mark":"`+testMark+`","status":"failed","code":"A","details":`+string(details)+`,"exit_code":3,"retryable":true,
				"context":{"reason":"late","api_key":1234567890123456,"password":"hunter2hunter2"},"files":["a"],"more":{"list":[1,null,{"x":"y"}]}}`) + "\n"
			rep, ok := parsedReport(maskedAnswer(text, 1<<20), true, testMark)
			require.True(t, ok)
			assert.Equal(t, Report{
				Code: "A", Details: "[REDACTED]\n\n" + tt.masked, ExitCode: taxonomy.Some(3),
				Retryable: taxonomy.Some(true), Files: []string{"a"},
				Context: map[string]string{"reason": "late", "api_key": "[REDACTED]", "password": "[REDACTED]"},
			}, rep)

			rep, ok = parsedReport(maskedAnswer(tt.details+"\n**STEP FAILED "+testMark+"**\n", 1<<20), false, testMark)
			require.True(t, ok)
			assert.Equal(t, tt.masked+"\n**STEP FAILED "+testMark+"**", rep.Details)
		})
	}
	assert.Equal(t, "token: [REDACTED]", maskedAnswer("token: abcd1234efgh5678", 100))
	assert.Empty(t, maskedAnswer("", 100))
	long := maskedAnswer(strings.Repeat("a line\n", 1000)+block(`{"mark":"`+testMark+`","status":"done"}`), 300)
	assert.LessOrEqual(t, len(long), 301)
	rep, ok := parsedReport(long, true, testMark)
	assert.True(t, ok && rep.Done, "what is cut is not the report")
	for _, bad := range []string{`{"a":1,"a":"x"}`, `{"a":` + strings.Repeat("[", 50) + strings.Repeat("]", 50) + `}`,
		`{"a":`, ``} {
		assert.Equal(t, block(bad), maskedAnswer(block(bad), 1<<20), "what is no report stays what it is")
	}
}

func FuzzMaskedAnswer(f *testing.F) {
	addAnswers(f)
	f.Add("password=\n" +
		block(`{"mark":"1f2e3d4c","status":"failed","details":"password=","files":["token=abcdefgh12345678"]}`))
	f.Fuzz(func(t *testing.T, text string) {
		masked := maskedAnswer(text, 1<<20)
		for _, classifies := range []bool{false, true} {
			before, was := parsedReport(text, classifies, testMark)
			after, is := parsedReport(masked, classifies, testMark)
			assert.Equal(t, was, is)
			assert.Equal(t, before.Done, after.Done)
			assert.Equal(t, before.ExitCode, after.ExitCode)
		}
		_, was := parseDiagnosis(text, testMark)
		_, is := parseDiagnosis(masked, testMark)
		assert.Equal(t, was == nil, is == nil)
	})
}
