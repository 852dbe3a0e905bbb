package toolbox

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/errgen/errgen/runtime/executor/proc"
	"github.com/errgen/errgen/runtime/internal/text"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// Server is a server of the Model Context Protocol: a program that offers tools over its standard
// input and output. It runs in the directory of the toolbox during one call of the provider.
// Neither the scope nor the command policy restricts its tools.
type Server struct {
	// Name is the prefix of the tools: the tool "search" of the server "docs" is "docs__search". It
	// has up to 32 letters, digits and hyphens.
	Name string
	// Command are the program and its arguments.
	Command []string
	// Env is added to [Options.Env] in the environment of the program: "NAME=value".
	Env []string
	// Tools are patterns for the names of the tools that are offered, such as "search" and "get_*".
	// "*" offers all.
	Tools []string
	// Check, unless nil, is called before each use of a tool, with the server's name of the tool.
	// If it returns an error, the tool is not used, and the call of the provider ends.
	Check func(ctx context.Context, tool string, args json.RawMessage) error
}

var (
	serverName  = regexp.MustCompile(`^[A-Za-z0-9-]{1,32}$`)
	invalidName = regexp.MustCompile(`[^A-Za-z0-9_-]`)
)

func (s *Server) check() error {
	switch {
	case !serverName.MatchString(s.Name):
		return errors.New("the name must have 1 to 32 letters, digits and hyphens")
	case len(s.Command) == 0 || s.Command[0] == "":
		return errors.New("the command is missing")
	case len(s.Tools) == 0:
		return errors.New("no tools are offered")
	}
	for _, p := range s.Tools {
		if _, err := path.Match(p, ""); err != nil {
			return fmt.Errorf("tools: pattern %s: %w", text.Quote(p, maxQuoted), err)
		}
	}
	return nil
}

const (
	serverStart    = 30 * time.Second // until a server has listed its tools
	maxServerTools = 128
	maxToolName    = 64 // the limit of the APIs
	maxDescription = 2 << 10
	maxServerLine  = 4 << 20 // bytes of a message of a server
	maxServerError = 16 << 10
)

var errServerStart = errors.New("the MCP server did not start in time")

// server is a running MCP server.
type server struct {
	Server
	toolbox    *Toolbox
	session    *mcp.ClientSession
	stdin      *os.File
	stdout     *io.PipeReader
	stderr     *proc.Tail
	cancel     context.CancelCauseFunc // ends the session
	stop       context.CancelFunc      // ends the process
	ended      chan struct{}           // closed when the process has ended
	exit       proc.Exit
	err        error
	startedErr error // of Options.Started
}

// connect starts a server and adds its tools.
func (t *Toolbox) connect(ctx context.Context, config Server) error {
	s := &server{Server: config, toolbox: t, stderr: proc.NewTail(maxServerError), ended: make(chan struct{})}
	if err := s.start(ctx); err != nil {
		return fmt.Errorf("start MCP server %s: %w", s.Name, err)
	}
	t.servers = append(t.servers, s)
	// The session lives until the toolbox is closed.
	session, cancel := context.WithCancelCause(ctx)
	s.cancel = cancel
	limit := time.AfterFunc(serverStart, func() { cancel(errServerStart) })
	defer limit.Stop()
	client := mcp.NewClient(&mcp.Implementation{Name: "errgen", Version: "1"},
		&mcp.ClientOptions{Capabilities: &mcp.ClientCapabilities{}})
	transport := &mcp.IOTransport{Reader: s.stdout, Writer: s.stdin, MaxLineLength: maxServerLine}
	var err error
	if s.session, err = client.Connect(session, transport, nil); err == nil {
		err = s.list(session)
	}
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case context.Cause(session) == errServerStart:
		return s.failure("timeout", errServerStart)
	}
	return s.failure("start", err)
}

// start starts the process.
func (s *server) start(ctx context.Context) error {
	stdin, write, err := os.Pipe() // a file, so that proc.Run does not wait for a copy of the input
	if err != nil {
		return err
	}
	stdout, out := io.Pipe()
	s.stdin, s.stdout = write, stdout
	process, stop := context.WithCancel(context.WithoutCancel(ctx))
	s.stop = stop
	t := s.toolbox
	go func() {
		defer close(s.ended)
		s.exit, s.err = proc.Run(process, proc.Command{
			Path: s.Command[0], Args: s.Command[1:], Dir: t.dir,
			Env:   proc.SafeEnv(slices.Concat(t.options.Env, s.Env)...),
			Stdin: stdin, Stdout: out, Stderr: s.stderr, Grace: t.options.Grace, Sweep: true,
			Started: func(id proc.ID) error {
				_ = stdin.Close() // the process has inherited it
				s.startedErr = t.started(id)
				return s.startedErr
			},
		})
		_ = stdin.Close()
		_ = out.Close()
	}()
	return nil
}

// close ends the server: first by the end of its input, then by signals.
func (s *server) close() {
	defer s.cancel(nil)
	if s.session != nil {
		_ = s.session.Close() // the process is ended in any case
	}
	_ = s.stdin.Close()
	_ = s.stdout.Close()
	grace := time.NewTimer(s.toolbox.options.Grace)
	defer grace.Stop()
	select {
	case <-s.ended:
	case <-grace.C:
	}
	s.stop()
	<-s.ended
}

// failure ends a server that does not work, and returns the evidence.
func (s *server) failure(kind string, err error) *taxonomy.Evidence {
	s.close()
	source := s.toolbox.options.Source
	ev := proc.Failure(source, opCall, s.Command[0], s.exit, s.err)
	if ev == nil || errors.Is(s.err, context.Canceled) {
		ev = s.toolbox.evidence()
		ev.Type, ev.Err = kind, err
	}
	if s.startedErr != nil {
		ev.Err = s.startedErr
	}
	delete(ev.Attributes, "command") // rules use it for commands of the model
	ev.SetAttribute("mcp_server", s.Name)
	ev.Text = cmp.Or(strings.TrimSpace(strings.ToValidUTF8(s.stderr.String(), "\uFFFD")),
		fmt.Sprintf("MCP server %s: %s", s.Name, text.Error(err, maxQuoted)))
	return ev
}

// list adds the offered tools to the toolbox.
func (s *server) list(ctx context.Context) error {
	names := map[string]bool{}
	for offered, err := range s.session.Tools(ctx, nil) {
		if err != nil {
			return err
		}
		name := s.Name + "__" + invalidName.ReplaceAllString(offered.Name, "_")
		if !s.offers(offered.Name) || len(name) > maxToolName || names[name] || len(names) == maxServerTools {
			continue
		}
		names[name] = true
		schema, err := json.Marshal(offered.InputSchema)
		if o, invalid := object(schema); err != nil || invalid != nil || o == nil {
			schema = json.RawMessage(`{"type":"object"}`)
		}
		s.toolbox.tools = append(s.toolbox.tools, tool{
			Tool: Tool{Name: name, Description: text.Head(offered.Description, maxDescription), Schema: schema},
			call: func(ctx context.Context, args json.RawMessage) (Result, error) {
				return s.call(ctx, name, offered.Name, args)
			},
		})
	}
	return nil
}

// offers reports whether the configuration offers a tool of the server.
func (s *server) offers(tool string) bool {
	return slices.ContainsFunc(s.Tools, func(p string) bool {
		ok, _ := path.Match(p, tool) // check has validated the pattern
		return ok
	})
}

// call uses a tool. The failure of a tool is a result for the model. If the server has ended, call
// returns evidence.
func (s *server) call(ctx context.Context, name, tool string, args json.RawMessage) (Result, error) {
	if _, err := object(args); err != nil {
		return Result{}, s.toolbox.badArguments(name, err)
	}
	if s.Check != nil {
		if err := s.Check(ctx, tool, args); err != nil {
			return Result{}, err
		}
	}
	timeout, output := s.toolbox.options.Timeout, s.toolbox.limits.output
	limited, cancel := context.WithTimeoutCause(ctx, timeout, errCommandLimit)
	defer cancel()
	if len(args) == 0 {
		args = json.RawMessage("{}")
	}
	result, err := s.session.CallTool(limited, &mcp.CallToolParams{Name: tool, Arguments: args})
	switch {
	case ctx.Err() != nil:
		return Result{}, context.Cause(ctx)
	case limited.Err() != nil:
		return failed("ended after %s, which is the limit", timeout), nil
	case err != nil:
		if _, answered := errors.AsType[*jsonrpc.Error](err); !answered || errors.Is(err, mcp.ErrConnectionClosed) {
			return Result{}, s.failure("mcp", err)
		}
		return failed("%s", text.Error(err, output)), nil
	}
	out := newClip(output)
	for i, c := range result.Content {
		if i > 0 {
			_, _ = io.WriteString(out, "\n")
		}
		if t, is := c.(*mcp.TextContent); is {
			_, _ = io.WriteString(out, t.Text)
			continue
		}
		kind := strings.ToLower(strings.TrimSuffix(strings.TrimPrefix(fmt.Sprintf("%T", c), "*mcp."), "Content"))
		_, _ = fmt.Fprintf(out, "[%s: not shown]", kind)
	}
	if len(result.Content) == 0 && result.StructuredContent != nil {
		structured, _ := json.Marshal(result.StructuredContent) // it was JSON
		_, _ = out.Write(structured)
	}
	return Result{Text: out.String(), IsError: result.IsError}, nil
}
