//go:build unix

package toolbox_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/providers/toolbox"
	"github.com/errgen/errgen/runtime/taxonomy"
)

func init() { serve = serveMCP }

// serveMCP is the server, which is a process of its own.
func serveMCP(mode string) {
	switch mode {
	case "crash":
		fmt.Fprintln(os.Stderr, "no database")
		os.Exit(3)
	case "silent":
		select {}
	case "flood":
		for range 1 << 10 {
			_, _ = os.Stdout.WriteString(strings.Repeat("x", 64<<10))
		}
		os.Exit(0)
	case "deaf":
		signal.Ignore(syscall.SIGTERM)
		defer func() { select {} }() // also after the end of its input
	case "child":
		child := exec.Command("sleep", "300")
		child.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
		if err := child.Start(); err != nil {
			os.Exit(4)
		}
		_ = os.WriteFile("child", []byte(strconv.Itoa(child.Process.Pid)), 0o600)
	}
	s := mcp.NewServer(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	type input struct {
		Text string `json:"text,omitempty" jsonschema:"what to do"`
	}
	add := func(name string, do func(ctx context.Context, text string) (*mcp.CallToolResult, error)) {
		mcp.AddTool(s, &mcp.Tool{Name: name, Description: "does " + name},
			func(ctx context.Context, _ *mcp.CallToolRequest, in input) (*mcp.CallToolResult, any, error) {
				r, err := do(ctx, in.Text)
				return r, nil, err
			})
	}
	says := func(texts ...string) *mcp.CallToolResult {
		r := &mcp.CallToolResult{}
		for _, text := range texts {
			r.Content = append(r.Content, &mcp.TextContent{Text: text})
		}
		return r
	}
	add("echo", func(_ context.Context, text string) (*mcp.CallToolResult, error) {
		dir, _ := os.Getwd()
		return says(text, filepath.Base(dir)), nil
	})
	add("env", func(context.Context, string) (*mcp.CallToolResult, error) {
		return says(strings.Join(os.Environ(), "\n")), nil
	})
	add("fails", func(context.Context, string) (*mcp.CallToolResult, error) { return nil, errors.New("not today") })
	add("image", func(context.Context, string) (*mcp.CallToolResult, error) {
		image := &mcp.ImageContent{Data: []byte("x"), MIMEType: "image/png"}
		return &mcp.CallToolResult{Content: []mcp.Content{image}}, nil
	})
	add("long", func(context.Context, string) (*mcp.CallToolResult, error) {
		return says("begin" + strings.Repeat("x", 1<<20) + "end"), nil
	})
	add("huge", func(context.Context, string) (*mcp.CallToolResult, error) {
		return says(strings.Repeat("x", 8<<20)), nil
	})
	add("exit", func(context.Context, string) (*mcp.CallToolResult, error) {
		fmt.Fprintln(os.Stderr, "out of memory")
		os.Exit(9)
		return nil, nil
	})
	add("hang", func(ctx context.Context, _ string) (*mcp.CallToolResult, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	})
	add("odd.name", func(context.Context, string) (*mcp.CallToolResult, error) { return says("odd"), nil })
	_ = s.Run(context.Background(), &mcp.StdioTransport{})
}

// server is this program as an MCP server.
func server(t *testing.T, mode string, tools ...string) toolbox.Server {
	t.Helper()
	self, err := os.Executable()
	require.NoError(t, err)
	return toolbox.Server{Name: "test", Command: []string{self}, Env: []string{beServer + "=" + mode}, Tools: tools}
}

// with adds a server and records its processes.
func with(s toolbox.Server, started *[]executor.Process) func(*toolbox.Options) {
	return func(o *toolbox.Options) {
		o.Servers = []toolbox.Server{s}
		o.Grace = 200 * time.Millisecond
		o.Started = func(p executor.Process) error {
			if started != nil {
				*started = append(*started, p)
			}
			return nil
		}
	}
}

// assertGone asserts that a process does not run.
func assertGone(t *testing.T, pid int) {
	t.Helper()
	require.NotZero(t, pid)
	out, err := exec.Command("ps", "-o", "stat=", "-p", strconv.Itoa(pid)).Output()
	assert.True(t, err != nil || strings.HasPrefix(strings.TrimSpace(string(out)), "Z"), "process %d runs", pid)
}

func TestServerTools(t *testing.T) {
	t.Setenv("ANTHROPIC_API_KEY", "sk-ant-secret")
	dir, _ := tree(t, nil)
	var started []executor.Process
	tools := open(t, dir, with(server(t, "tools", "*"), &started))
	names := map[string]toolbox.Tool{}
	for _, x := range tools.Tools() {
		names[x.Name] = x
	}
	echo := names["test__echo"]
	assert.Equal(t, "does echo", echo.Description)
	var schema struct {
		Type       string
		Properties map[string]any
	}
	require.NoError(t, json.Unmarshal(echo.Schema, &schema))
	assert.Equal(t, "object", schema.Type)
	assert.Contains(t, schema.Properties, "text")
	assert.Contains(t, names, "test__odd_name")
	assert.Equal(t, "task_blocked", tools.Tools()[len(names)-1].Name)
	require.Len(t, started, 1)

	assert.Equal(t, toolbox.Result{Text: "hi\ntree"}, use(t, tools, "test__echo", "text", "hi"))
	assert.Equal(t, "odd", use(t, tools, "test__odd_name").Text)
	assert.Equal(t, toolbox.Result{Text: "not today", IsError: true}, use(t, tools, "test__fails"))
	assert.Equal(t, toolbox.Result{Text: "[image: not shown]"}, use(t, tools, "test__image"))
	env := use(t, tools, "test__env").Text
	assert.Contains(t, env, "PATH=")
	assert.NotContains(t, env, "sk-ant-secret")
	long := use(t, tools, "test__long").Text
	assert.True(t, strings.HasPrefix(long, "beginx") && strings.HasSuffix(long, "xend"))
	assert.Less(t, len(long), 33<<10)
	assert.True(t, use(t, tools, "test__echo", "text", 7).IsError, "the server validates the arguments")
	assert.Equal(t, "tool_arguments", end(t, tools, "test__echo", json.RawMessage(`{"text":`)).Type)
	require.NoError(t, tools.Close())
	assertGone(t, started[0].PID)
}

func TestServerToolsAreAllowed(t *testing.T) {
	dir, _ := tree(t, nil)
	refusal := &taxonomy.Evidence{Source: "scope", Op: "scope", Type: "forbidden"}
	s := server(t, "tools", "e?ho", "env")
	s.Check = func(_ context.Context, tool string, args json.RawMessage) error {
		if tool == "env" || strings.Contains(string(args), "secret") {
			return refusal
		}
		return nil
	}
	tools := open(t, dir, with(s, nil))
	assert.True(t, use(t, tools, "test__exit").IsError, "a tool that is not offered does not exist")
	assert.Equal(t, "x\ntree", use(t, tools, "test__echo", "text", "x").Text)
	assert.Equal(t, refusal, end(t, tools, "test__env", nil))
	assert.Equal(t, refusal, end(t, tools, "test__echo", args(t, "text", "secret")))
}

func TestServerThatEnds(t *testing.T) {
	for tool, code := range map[string]taxonomy.Opt[int]{"test__exit": taxonomy.Some(9), "test__huge": {}} {
		t.Run(tool, func(t *testing.T) {
			dir, _ := tree(t, nil)
			tools := open(t, dir, with(server(t, "tools", "*"), nil))
			ev := end(t, tools, tool, nil)
			assert.Equal(t, []string{"anthropic-api", "call", "test"},
				[]string{ev.Source, ev.Op, ev.Attribute("mcp_server")})
			assert.Equal(t, code, ev.ExitCode)
			assert.NotEmpty(t, ev.Text)
			ev = end(t, tools, "test__echo", nil)
			assert.Equal(t, "test", ev.Attribute("mcp_server"), "it stays ended")
		})
	}
}

func TestServerThatDoesNotStart(t *testing.T) {
	dir, _ := tree(t, nil)
	for what, c := range map[string]struct {
		server toolbox.Server
		kind   string
		code   taxonomy.Opt[int]
		text   string
	}{
		"a missing program": {toolbox.Server{Name: "test", Command: []string{"no-such-program"}, Tools: []string{"*"}},
			"not_found", taxonomy.Opt[int]{}, ""},
		"a crash": {server(t, "crash", "*"), "", taxonomy.Some(3), "no database"},
		"another protocol": {toolbox.Server{Name: "test", Command: []string{"echo", "hello"},
			Tools: []string{"*"}}, "start", taxonomy.Opt[int]{}, ""},
		"an endless line": {server(t, "flood", "*"), "start", taxonomy.Opt[int]{}, ""},
	} {
		t.Run(what, func(t *testing.T) {
			o := toolbox.Options{Dir: dir, Source: "openai-api"}
			with(c.server, nil)(&o)
			_, err := toolbox.New(t.Context(), o)
			ev, is := errors.AsType[*taxonomy.Evidence](err)
			require.True(t, is, "%v", err)
			assert.Equal(t, []string{"openai-api", "call", c.kind, "test"},
				[]string{ev.Source, ev.Op, ev.Type, ev.Attribute("mcp_server")})
			assert.Equal(t, c.code, ev.ExitCode)
			assert.Contains(t, ev.Text, c.text)
		})
	}
	refusal := errors.New("the journal is full")
	o := toolbox.Options{Dir: dir, Servers: []toolbox.Server{server(t, "tools", "*")},
		Started: func(executor.Process) error { return refusal }}
	_, err := toolbox.New(t.Context(), o)
	assert.ErrorIs(t, err, refusal)
}

// A call that ends takes the server with it, whatever the server does.
func TestServerIsEnded(t *testing.T) {
	for _, mode := range []string{"tools", "deaf", "child"} {
		t.Run(mode, func(t *testing.T) {
			dir, _ := tree(t, nil)
			var started []executor.Process
			tools := open(t, dir, with(server(t, mode, "*"), &started))
			why := errors.New("the user left")
			ctx, cancel := context.WithCancelCause(t.Context())
			time.AfterFunc(100*time.Millisecond, func() { cancel(why) })
			_, err := tools.Call(ctx, "test__hang", nil)
			require.ErrorIs(t, err, why)
			require.NoError(t, tools.Close())
			assertGone(t, started[0].PID)
			if mode == "child" {
				pid, err := strconv.Atoi(content(t, dir, "child"))
				require.NoError(t, err)
				assertGone(t, pid)
			}
		})
	}
	dir, _ := tree(t, nil)
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	o := toolbox.Options{Dir: dir}
	with(server(t, "silent", "*"), nil)(&o)
	_, err := toolbox.New(ctx, o)
	require.ErrorIs(t, err, context.DeadlineExceeded)
}

func TestServerLimit(t *testing.T) {
	dir, _ := tree(t, nil)
	tools := open(t, dir, with(server(t, "tools", "*"), nil), func(o *toolbox.Options) {
		o.Timeout = time.Second // the second call must end within it on a slow machine
	})
	assert.True(t, use(t, tools, "test__hang").IsError)
	assert.Equal(t, "x\ntree", use(t, tools, "test__echo", "text", "x").Text, "the server still works")
}

func TestServerOptions(t *testing.T) {
	valid := toolbox.Server{Name: "docs", Command: []string{"docs-server"}, Tools: []string{"*"}}
	require.NoError(t, toolbox.Options{Servers: []toolbox.Server{valid}}.Check())
	for what, change := range map[string]func(*toolbox.Server){
		"no name":    func(s *toolbox.Server) { s.Name = "" },
		"a name":     func(s *toolbox.Server) { s.Name = "a b" },
		"no command": func(s *toolbox.Server) { s.Command = nil },
		"no tools":   func(s *toolbox.Server) { s.Tools = nil },
		"a pattern":  func(s *toolbox.Server) { s.Tools = []string{"["} },
	} {
		s := valid
		change(&s)
		assert.Error(t, toolbox.Options{Servers: []toolbox.Server{s}}.Check(), what)
	}
}
