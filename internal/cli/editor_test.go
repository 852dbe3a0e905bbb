package cli

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net/textproto"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestEditor asks the language server of VS Code, Neovim and others about files of a service. The
// server finds the schema by the first line of a file.
func TestEditor(t *testing.T) {
	server, dir := startServer(t), t.TempDir()
	status, _, stderr := call(t, dir, "", "init", "-service")
	require.Equal(t, exitClean, status, stderr)
	starter, err := os.ReadFile(filepath.Join(dir, "taxonomy.yaml"))
	require.NoError(t, err)
	modeline, _, _ := strings.Cut(string(starter), "\n")
	require.Contains(t, modeline, "yaml-language-server: $schema=./errgen.schema.json")

	// The cursor is at the mark.
	const head = "errgen: 1\npackage: errs\n"
	for _, tt := range []struct{ name, text, item, doc string }{
		{"keys", head + "polic⟦⟧", "policies", "Limits of retries"},
		{"keys of a code", head + "categories:\n  a:\n    codes:\n      X:\n        recov⟦⟧", "recoverability",
			"What can help"},
		{"defaults", head + "policies:\n  p:\n    max_atte⟦⟧", "max_attempts", "Default: 3."},
		{"words", head + "categories:\n  a:\n    codes:\n      X:\n        severity: ⟦⟧", "critical", ""},
		{"texts", "language: de\nmessages:\n  X:\n    reso⟦⟧", "resolution", "Advice for a person"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			before, _, _ := strings.Cut(modeline+"\n"+tt.text, "⟦⟧")
			uri := server.open(filepath.Join(dir, strings.ReplaceAll(tt.name, " ", "-")+".yaml"), before+"\n")
			at := map[string]int{"line": strings.Count(before, "\n"),
				"character": len(before) - 1 - strings.LastIndex(before, "\n")}
			var found struct {
				Items []struct {
					Label         string
					Documentation json.RawMessage
				}
			}
			server.call("textDocument/completion", object{"textDocument": object{"uri": uri}, "position": at}, &found)
			var doc string
			var labels []string
			for _, item := range found.Items {
				labels = append(labels, item.Label)
				if item.Label == tt.item {
					doc = string(item.Documentation)
				}
			}
			require.Contains(t, labels, tt.item)
			assert.Contains(t, doc, tt.doc)
		})
	}

	uri := server.open(filepath.Join(dir, "taxonomy.yaml"), string(starter))
	line := strings.Count(string(starter[:strings.Index(string(starter), "\npackage:")+1]), "\n")
	var hover struct{ Contents struct{ Value string } }
	server.call("textDocument/hover", object{"textDocument": object{"uri": uri},
		"position": object{"line": line, "character": 2}}, &hover)
	assert.Contains(t, hover.Contents.Value, "Name of the Go package")
	assert.Empty(t, server.findingsOf(uri), "of the starter")
	uri = server.open(filepath.Join(dir, "wrong.yaml"), modeline+"\n"+head+"categorys: {}\n")
	assert.Contains(t, fmt.Sprint(server.findingsOf(uri)), "categorys")
}

// The task of docs/editors.md for VS Code reads findings.
func TestProblemMatcher(t *testing.T) {
	page, err := os.ReadFile("../../docs/editors.md")
	require.NoError(t, err)
	_, block, _ := strings.Cut(string(page), "```json tasks.json\n")
	block, _, _ = strings.Cut(block, "```\n")
	var file struct {
		Tasks []struct {
			ProblemMatcher struct{ Pattern struct{ Regexp string } }
		}
	}
	require.NoError(t, json.Unmarshal([]byte(block), &file))
	dir := t.TempDir()
	const wrong = "errgen: 1\npackage: errs\npolicys: {}\ncategories: {}\n"
	require.NoError(t, os.WriteFile(filepath.Join(dir, "taxonomy.yaml"), []byte(wrong), 0o644))
	_, stdout, _ := call(t, dir, "", "lint")
	found := regexp.MustCompile("(?m)" + file.Tasks[0].ProblemMatcher.Pattern.Regexp).FindStringSubmatch(stdout)
	require.Len(t, found, 7, stdout)
	assert.Equal(t, []string{"taxonomy.yaml", "3", "1", "error"}, found[1:5])
	assert.Equal(t, "E-unknown-key", found[6])
}

type object map[string]any

// languageServer is a running yaml-language-server.
type languageServer struct {
	t        *testing.T
	in       io.Writer
	out      *textproto.Reader
	id       int
	findings map[string][]any // by URI
}

func startServer(t *testing.T) *languageServer {
	cmd := exec.CommandContext(t.Context(), nodeTool(t, "yaml-language-server"), "--stdio")
	in, err := cmd.StdinPipe()
	require.NoError(t, err)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	t.Cleanup(func() { _, _ = in.Close(), cmd.Wait() })
	s := &languageServer{t: t, in: in, out: textproto.NewReader(bufio.NewReader(out)), findings: map[string][]any{}}
	s.call("initialize", object{"processId": nil, "rootUri": nil, "capabilities": object{
		"textDocument": object{"hover": object{"contentFormat": []string{"markdown"}}}}}, new(any))
	s.send(object{"method": "initialized", "params": object{}})
	return s
}

func (s *languageServer) open(path, text string) (uri string) {
	uri = "file://" + path
	require.NoError(s.t, os.WriteFile(path, []byte(text), 0o644)) // a file is where its schema is beside it
	s.send(object{"method": "textDocument/didOpen", "params": object{"textDocument": object{
		"uri": uri, "languageId": "yaml", "version": 1, "text": text}}})
	return uri
}

func (s *languageServer) send(message object) {
	message["jsonrpc"] = "2.0"
	text, err := json.Marshal(message)
	require.NoError(s.t, err)
	_, err = fmt.Fprintf(s.in, "Content-Length: %d\r\n\r\n%s", len(text), text)
	require.NoError(s.t, err)
}

// message is a message of the server.
type message struct {
	ID     any
	Method string
	Params struct {
		URI         string
		Diagnostics []any
		Items       []any
	}
	Result, Error json.RawMessage
}

// next returns the next message. It answers the server's own calls, and keeps its findings.
func (s *languageServer) next() (m message) {
	s.t.Helper()
	header, err := s.out.ReadMIMEHeader()
	require.NoError(s.t, err)
	n, err := strconv.Atoi(header.Get("Content-Length"))
	require.NoError(s.t, err)
	text := make([]byte, n)
	_, err = io.ReadFull(s.out.R, text)
	require.NoError(s.t, err)
	require.NoError(s.t, json.Unmarshal(text, &m))
	switch {
	case m.Method == "textDocument/publishDiagnostics":
		s.findings[m.Params.URI] = m.Params.Diagnostics
	case m.Method != "" && m.ID != nil:
		s.send(object{"id": m.ID, "result": make([]any, len(m.Params.Items))})
	}
	return m
}

func (s *languageServer) call(method string, params object, result any) {
	s.t.Helper()
	s.id++
	s.send(object{"id": s.id, "method": method, "params": params})
	for {
		if m := s.next(); m.Method == "" {
			require.Empty(s.t, string(m.Error))
			require.NoError(s.t, json.Unmarshal(m.Result, result), string(m.Result))
			return
		}
	}
}

// findingsOf waits for the findings about a file.
func (s *languageServer) findingsOf(uri string) []any {
	for {
		if found, ok := s.findings[uri]; ok {
			return found
		}
		s.next()
	}
}
