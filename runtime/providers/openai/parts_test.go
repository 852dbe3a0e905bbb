package openai

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestLines(t *testing.T) {
	for _, c := range []struct {
		pieces []string
		want   []string
	}{
		{[]string{"I rea", "d it\nand wr", "ite\n\n", "last"}, []string{"I read it", "and write", "last"}},
		{[]string{"\n \n"}, nil},
		{[]string{strings.Repeat("x", maxLine+5), "y\nz"}, []string{strings.Repeat("x", maxLine), "z"}},
		{[]string{strings.Repeat("x", maxLine-1), "é"}, []string{strings.Repeat("x", maxLine-1)}},
	} {
		var got []string
		l := lines{tell: func(line string) { got = append(got, line) }}
		for _, p := range c.pieces {
			l.add(p)
		}
		l.flush()
		assert.Equal(t, c.want, got)
	}
}

// A line that is too long ends anywhere, also in a secret or in the key.
func TestNoPartOfASecretIsTold(t *testing.T) {
	const key = "GIVEN key GIVEN"
	for _, secret := range []string{"https://user:GIVEN-s3cr3t-GIVEN@host/x",
		"sk-ant-api03-GIVENDEFghijkl1234567890GIVEN", key} {
		for at := range len(secret) + 1 {
			text := strings.Repeat("x", maxLine-at-1) + " " + secret + " " + strings.Repeat("x", at*900) + "\nend"
			var got []string
			l := lines{tell: func(line string) { got = append(got, line) }, mask: key}
			for i := 0; i < len(text); i += 1 + at*3 {
				l.add(text[i:min(len(text), i+1+at*3)])
			}
			l.flush()
			require.Len(t, got, 2)
			assert.NotContains(t, got[0], "GIVEN")
			assert.LessOrEqual(t, len(got[0]), maxLine)
			assert.Equal(t, "end", got[1])
		}
	}
}

func TestReducedHasNoTools(t *testing.T) {
	asks := &reply{calls: []*toolCall{{id: "1"}}}
	says := &reply{}
	says.text.WriteString("said")
	c := conversation{user("task"), assistant(asks), toolResult("1", "a long file"), assistant(says), user("more")}
	r := c.Reduced()
	require.Len(t, r, 3)
	assert.Equal(t, "task", r[0].Param.OfUser.Content.OfString.Value)
	assert.Equal(t, "said", r[1].Param.OfAssistant.Content.OfString.Value)
	assert.Equal(t, "more", r[2].Param.OfUser.Content.OfString.Value)
}

func TestNewSaysWhatIsWrong(t *testing.T) {
	const key = "sk-secret\nsecret"
	for _, c := range []struct {
		options Options
		want    string
	}{
		{Options{}, "no model is named"},
		{Options{Model: "m", BaseURL: "localhost:1"}, "must begin with https://"},
		{Options{Model: "m", BaseURL: "https://user:secret@host/v1"}, "neither user, query nor fragment"},
		{Options{Model: "m", BaseURL: "https://host/v1?key=secret"}, "neither user, query nor fragment"},
		{Options{Model: "m", BaseURL: "https://ho st:secret"}, "cannot be read"},
		{Options{Model: "m", MaxTokens: -1}, "a limit of -1 tokens"},
		{Options{Model: "m", Key: key}, "characters that no key has"},
	} {
		_, err := New(c.options)
		require.ErrorContains(t, err, c.want)
		assert.ErrorContains(t, err, "provider openai-api: ")
		assert.NotContains(t, err.Error(), "secret")
	}
}

func TestCredentialIsNotTheKey(t *testing.T) {
	credential := func(o Options) string {
		o.Model = "m"
		p, err := New(o)
		require.NoError(t, err)
		return p.Credential()
	}
	a := credential(Options{Key: "sk-0123456789"})
	assert.NotContains(t, a, "0123456789")
	assert.Equal(t, a, credential(Options{Key: "sk-0123456789"}))
	assert.NotEqual(t, a, credential(Options{Key: "sk-9876543210"}))
	assert.NotEqual(t, a, credential(Options{Key: "sk-0123456789", BaseURL: "https://example.com"}))
	assert.Equal(t, "team", credential(Options{Key: "sk-0123456789", Credential: "team"}))
}
