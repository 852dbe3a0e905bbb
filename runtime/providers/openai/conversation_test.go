package openai

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/executor"
	pt "github.com/errgen/errgen/runtime/providers/providertest"
	"github.com/errgen/errgen/runtime/taxonomy"
)

func TestConversationIsContinued(t *testing.T) {
	server, p := served(t, nil,
		pt.OpenAITool("write_file", `{"path":"a.txt","content":"hello"}`), pt.OpenAIText("first"),
		pt.OpenAIText("second"), pt.OpenAIText("third"))
	req := request(t)
	first, err := p.Call(t.Context(), req)
	require.NoError(t, err)

	req.Session, req.Prompt = first.Session, "More."
	second, err := p.Call(t.Context(), req)
	require.NoError(t, err)
	assert.Equal(t, first.Session, second.Session)
	got := sentTo(t, server, 2)
	assert.Equal(t, "system user assistant tool assistant user", got.roles())
	assert.Equal(t, "More.", got.Messages[5].Content)

	req.Reduced = true
	_, err = p.Call(t.Context(), req)
	require.NoError(t, err)
	got = sentTo(t, server, 3)
	assert.Equal(t, "system user assistant user assistant user", got.roles(), "tools are left out")
}

func TestReducingGoesOnAfterFailures(t *testing.T) {
	server, p := served(t, nil, pt.OpenAITool("list_files", ``), pt.OpenAIText("first"), pt.OpenAIText("second"),
		pt.OpenAIContextLength().Always())
	req := request(t)
	for range 2 {
		answer, err := p.Call(t.Context(), req)
		require.NoError(t, err)
		req.Session = answer.Session
	}
	req.Reduced = true
	shorter := len(sentTo(t, server, 2).Messages) + 2
	for n := 3; n < 5; n++ {
		answer, err := p.Call(t.Context(), req)
		require.Error(t, err)
		assert.Equal(t, req.Session, answer.Session, "a failure does not end the conversation")
		got := len(sentTo(t, server, n).Messages)
		assert.Less(t, got, shorter)
		shorter = got
	}
}

func TestUnknownConversationIsBegunAnew(t *testing.T) {
	server, p := served(t, nil)
	req := request(t)
	req.Session = "of another process"
	answer, err := p.Call(t.Context(), req)
	require.NoError(t, err)
	assert.NotEmpty(t, answer.Failure, "so that the executor calls once more, fresh")
	assert.Zero(t, server.Count())
}

func TestWorkBeforeAFailureIsKept(t *testing.T) {
	server, p := served(t, nil, pt.OpenAITool("write_file", `{"path":"a.txt","content":"hello"}`),
		pt.OpenAIRateLimit("1"), pt.OpenAIText("done"))
	req := request(t)
	answer, err := p.Call(t.Context(), req)
	require.Error(t, err)
	assert.Equal(t, taxonomy.Some[int64](25), answer.Usage.InputTokens, "what was answered counts")
	require.NotEmpty(t, answer.Session)
	req.Session, req.Prompt = answer.Session, "Go on."
	_, err = p.Call(t.Context(), req)
	require.NoError(t, err)
	assert.Equal(t, "system user assistant tool user", sentTo(t, server, 2).roles())
}

func TestToolThatEndsTheCallIsToldOf(t *testing.T) {
	reply := pt.OpenAIMessage{Calls: []pt.ToolCall{
		{Name: "write_file", Arguments: `{"path":"a.txt","content":"x"}`},
		{Name: "write_file", Arguments: `{"path":`},
		{Name: "write_file", Arguments: `{"path":"late.txt","content":"x"}`},
	}}.Reply()
	server, p := served(t, nil, reply, pt.OpenAIText("done"))
	req := request(t)
	answer, err := p.Call(t.Context(), req)
	require.Error(t, err)
	assert.FileExists(t, filepath.Join(req.Dir, "a.txt"))
	assert.NoFileExists(t, filepath.Join(req.Dir, "late.txt"))
	req.Session = answer.Session
	_, err = p.Call(t.Context(), req)
	require.NoError(t, err)
	got := sentTo(t, server, 1)
	require.Equal(t, "system user assistant tool tool tool user", got.roles())
	assert.Equal(t, "error: refused", got.Messages[4].Content)
	assert.Equal(t, notDone, got.Messages[5].Content)
}

func TestAnswerThatWasCutIsGoneOnWith(t *testing.T) {
	server, p := served(t, nil, pt.OpenAIFinish("length", "It begins"), pt.OpenAIText("and ends"))
	req := request(t)
	answer, err := p.Call(t.Context(), req)
	require.Error(t, err)
	require.NotEmpty(t, answer.Session)
	req.Session, req.Prompt = answer.Session, "Go on."
	_, err = p.Call(t.Context(), req)
	require.NoError(t, err)
	assert.Equal(t, "It begins", sentTo(t, server, 1).Messages[2].Content)
}

func TestRedirectsAreNotFollowed(t *testing.T) {
	other := pt.NewServer(pt.OpenAIText("x"))
	t.Cleanup(other.Close)
	server, p := served(t, nil, pt.Reply{Status: 307}.With("Location", other.URL+"/v1/chat/completions"))
	_, err := p.Call(t.Context(), request(t))
	assert.Equal(t, 307, evidenceOf(t, err).Status)
	assert.Equal(t, 1, server.Count())
	assert.Zero(t, other.Count(), "the key goes nowhere else")
}

func TestFailureOfANewConversationHasNone(t *testing.T) {
	_, p := served(t, nil, pt.OpenAIServerError())
	answer, err := p.Call(t.Context(), request(t))
	require.Error(t, err)
	assert.Equal(t, executor.Answer{Usage: used(0, 0, 0)}, answer)
}
