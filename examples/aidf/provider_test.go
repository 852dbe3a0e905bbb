package main

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/providers/providertest"
	"github.com/errgen/errgen/runtime/scope"
)

func TestProvidersOverHTTP(t *testing.T) {
	const arguments = `{"path":"greet.txt","content":"Good day!\n"}`
	for _, c := range []struct {
		name    string
		path    string // of the server
		replies []providertest.Reply
	}{
		{"anthropic", "", []providertest.Reply{
			providertest.AnthropicTool("write_file", arguments), providertest.AnthropicTool("task_done", `{}`),
		}},
		{"openai", "/v1", []providertest.Reply{
			providertest.OpenAITool("write_file", arguments), providertest.OpenAITool("task_done", `{}`),
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			server := providertest.NewServer(c.replies...)
			defer server.Close()
			a := begun(t, c.name+": {base_url: '"+server.URL+c.path+
				"', api_key: '${AIDF_TEST_KEY}', prices: {input: 1, output: 2}}\n"+
				"commands: [go test ...]\n")
			t.Setenv("AIDF_TEST_KEY", "sk-of-nobody-0123456789")
			got := do("-task="+a.options.taskFile, "-config="+a.options.configFile, "-repo="+a.dir, "-json",
				"-provider="+c.name, "-model=m")
			t.Log(got.hints)
			t.Setenv("AIDF_TEST_KEY", "")
			assert.Equal(t, exitOK, got.code)
			r := got.result(t)
			assert.Equal(t, []string{"greet.txt"}, r.CommittedFiles)
			assert.False(t, r.Usage.CostUSD.IsZero())
			assert.NotContains(t, got.out+got.hints, "of-nobody")
		})
	}
}

func TestModelIsNeeded(t *testing.T) {
	a := begun(t, "")
	got := a.do("-provider=openai")
	assert.Equal(t, exitFailed, got.code)
	assert.Contains(
		t, got.hints, "CONFIG_INVALID: invalid configuration: model, expected the name of a model of openai")
}

func TestKeyIsNeeded(t *testing.T) {
	a := begun(t, "")
	got := a.do("-provider=anthropic", "-model=m")
	assert.Equal(t, "PROVIDER_NOT_AVAILABLE", got.result(t).ErrorCode)
}

// A path is matched as it is written, whatever patterns make of its letters.
func TestLiterally(t *testing.T) {
	for _, path := range []string{"a.md", "[a].md", "{a,b}.md", "!a?*.md", "~a", `a^\b`} {
		s, err := scope.New(scope.Config{Forbidden: []string{scope.Literal(filepath.ToSlash(path))}})
		require.NoError(t, err, path)
		verdict, _ := s.Explain(filepath.ToSlash(path))
		assert.Equal(t, executor.Forbidden, verdict, path)
		verdict, _ = s.Explain("a")
		assert.Equal(t, executor.Allowed, verdict, path)
	}
}

func TestNewName(t *testing.T) {
	for task, want := range map[string]string{
		"tasks/0042 Fix it.md": `^0042-fix-it-[a-z2-7]{6}$`,
		"Ümläut.md":            `^ml-ut-[a-z2-7]{6}$`,
		"---.md":               `^run-[a-z2-7]{6}$`,
	} {
		assert.Regexp(t, want, newName(task))
	}
}
