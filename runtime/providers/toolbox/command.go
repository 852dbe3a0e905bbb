package toolbox

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/errgen/errgen/runtime/executor/proc"
	"github.com/errgen/errgen/runtime/internal/text"
)

// Policy lists the commands that a model may run. It decides which commands start, not what they
// do: "go test ..." runs the code of the tests. The zero Policy allows none.
type Policy struct {
	// Name is the attribute policy of evidence; "allow-list" by default.
	Name string
	// Allow are the allowed commands: "make test", "go test ...", "git log -n *". A command is
	// allowed if a pattern matches all of its words.
	//
	// Within a word, *, ? and [a-z] match characters other than a slash. The word * matches any
	// word. None of them matches an option, which begins with "-", unless the pattern's word begins
	// with "-". If the last word is "...", it matches any further words, including options.
	//
	// The first word is matched literally: "go" does not allow "./go". A shell is an ordinary
	// command: only a pattern such as "sh -c *" allows it, and with it every command.
	Allow []string
}

// rest is the last word of a pattern that allows any further words.
const rest = "..."

// pattern is an allowed command.
type pattern struct {
	words []string
	rest  bool
}

func (p Policy) compile() ([]pattern, error) {
	var all []pattern
	for _, line := range p.Allow {
		compiled, err := compile(line)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", text.Quote(line, maxQuoted), err)
		}
		all = append(all, compiled)
	}
	return all, nil
}

func compile(line string) (pattern, error) {
	words, err := split(line, "\n\r")
	if err != nil {
		return pattern{}, err
	}
	var p pattern
	if n := len(words) - 1; n >= 0 && words[n] == rest {
		p.rest, words = true, words[:n]
	}
	if len(words) == 0 {
		return pattern{}, errors.New("contains no command")
	}
	for _, word := range words {
		if _, err := path.Match(word, ""); err != nil {
			return pattern{}, fmt.Errorf("word %s: %w", text.Quote(word, maxQuoted), err)
		}
	}
	if strings.ContainsAny(words[0], `*?[\`) {
		return pattern{}, errors.New("the command itself must be literal")
	}
	p.words = words
	return p, nil
}

// matches reports whether the pattern allows a command.
func (p pattern) matches(argv []string) bool {
	if len(argv) < len(p.words) || len(argv) > len(p.words) && !p.rest {
		return false
	}
	for i, word := range p.words {
		if word == argv[i] {
			continue
		}
		if i == 0 || strings.HasPrefix(argv[i], "-") && !strings.HasPrefix(word, "-") {
			return false
		}
		if ok, err := path.Match(word, argv[i]); word != "*" && (err != nil || !ok) {
			return false
		}
	}
	return true
}

// allowed reports whether a pattern allows the command.
func (t *Toolbox) allowed(argv []string) bool {
	return slices.ContainsFunc(t.commands, func(p pattern) bool { return p.matches(argv) })
}

const commandDescription = "Runs a command and returns its exit code and output. There is no shell: no pipes, " +
	"redirections, variables or globs. These commands are allowed, where * matches any word that is no option, and " +
	"... any further words; asking for another command ends the task:\n"

type runArgs struct {
	Command string `json:"command" jsonschema:"The command line. Quotes group words; there is no shell."`
	Dir     string `json:"dir,omitempty" jsonschema:"The directory to run it in; the root by default."`
}

// maxCommand bounds the bytes of a command line.
const maxCommand = 32 << 10

// run implements run_command.
func (t *Toolbox) run(ctx context.Context, a runArgs) (Result, error) {
	if strings.TrimSpace(a.Command) == "" {
		return failed("command is missing"), nil
	}
	if len(a.Command) > maxCommand {
		return failed("the command has more than %d bytes", maxCommand), nil
	}
	argv, err := split(a.Command, operators)
	switch {
	case errors.Is(err, errUnfinished):
		return failed("%s", err), nil
	case err == nil && !t.allowed(argv):
		err = errors.New("the command is not allowed")
	}
	if err != nil {
		ev := t.evidence()
		ev.Type, ev.Err = "command_blocked", err
		ev.Text = fmt.Sprintf("%s: %s", text.Quote(a.Command, maxQuoted), err)
		ev.Attributes = map[string]string{"command": a.Command,
			"policy": cmp.Or(t.options.Commands.Name, "allow-list")}
		return Result{}, ev
	}
	dir, err := t.resolve(cmp.Or(a.Dir, "."))
	var info fs.FileInfo
	if err == nil {
		info, err = t.root.Stat(dir)
	}
	if err == nil && !info.IsDir() {
		err = errors.New("not a directory")
	}
	if err != nil {
		return t.pathFailed(ctx, a.Dir, err)
	}
	return t.execute(ctx, filepath.Join(t.dir, dir), argv)
}

// errCommandLimit is the cause if a command was ended at its time limit.
var errCommandLimit = errors.New("the command took too long")

// execute runs a command. The result describes its end to the model.
func (t *Toolbox) execute(ctx context.Context, dir string, argv []string) (Result, error) {
	limited, cancel := context.WithTimeoutCause(ctx, t.options.Timeout, errCommandLimit)
	defer cancel()
	out := newClip(t.limits.output)
	var refused error
	exit, err := proc.Run(limited, proc.Command{
		Path: argv[0], Args: argv[1:], Dir: dir, Env: append(proc.SafeEnv(), t.options.Env...),
		Stdout: out, Stderr: out, Grace: t.options.Grace, Sweep: true,
		Started: func(id proc.ID) error { refused = t.started(id); return refused },
	})
	switch {
	case refused != nil:
		return Result{}, refused
	case ctx.Err() != nil:
		return Result{}, context.Cause(ctx)
	case errors.Is(err, errCommandLimit):
		return failed("ended after %s, which is the limit\n%s", t.options.Timeout, out), nil
	case errors.Is(err, exec.ErrNotFound), errors.Is(err, fs.ErrNotExist):
		return failed("%s: there is no such command", text.Quote(argv[0], maxQuoted)), nil
	case err != nil:
		return failed("%s could not be started: %s", text.Quote(argv[0], maxQuoted), reason(err)), nil
	case exit.Signal != "":
		return failed("ended by %s\n%s", exit.Signal, out), nil
	}
	return Result{Text: fmt.Sprintf("exit code %d\n%s", exit.Code, out), IsError: exit.Code != 0}, nil
}

// clip keeps the beginning and the end of an output. It is safe for concurrent use.
type clip struct {
	io.Writer
	limit int
	head  *proc.Head
	tail  *proc.Tail
}

func newClip(limit int) *clip {
	c := &clip{limit: limit, head: proc.NewHead(limit), tail: proc.NewTail(limit / 2)}
	c.Writer = io.MultiWriter(c.head, c.tail)
	return c
}

// String returns both parts as valid UTF-8.
func (c *clip) String() string {
	kept := c.head.String() // a cut text is masked, so that it can be cut again
	if total := c.head.Total(); total > int64(c.limit) {
		half := c.limit - c.limit/2
		kept = fmt.Sprintf("%s\n[%d bytes are left out]\n%s", kept[:min(len(kept), half)], total-int64(c.limit), c.tail)
	}
	return strings.ToValidUTF8(kept, "\uFFFD")
}

// The problems of a command line.
var (
	errOperator   = errors.New("shell operators are not allowed")
	errUnfinished = errors.New("a quote is not closed")
)

// operators are the characters that a shell interprets outside of quotes. They are refused, because
// without a shell the command would not do what the model expects. Tildes and globs are passed
// literally.
const operators = "|&;<>()$`\n\r"

// split returns the words of a command line. Quotes and backslashes work as in a POSIX shell, and
// nothing is expanded. Forbidden characters outside of quotes are an error.
func split(line, forbidden string) ([]string, error) {
	if strings.IndexByte(line, 0) >= 0 {
		return nil, errOperator // a zero byte would end an argument
	}
	var words []string
	var word []byte
	inWord, quote := false, byte(0) // quote is the open quote
	for i := 0; i < len(line); i++ {
		c := line[i]
		escaped := c == '\\' && i+1 < len(line) && line[i+1] != '\n'
		switch {
		case quote != 0 && c == quote:
			quote = 0
		case quote == '\'':
			word = append(word, c)
		case quote == '"' && escaped && strings.IndexByte("\"\\$`", line[i+1]) >= 0, quote == 0 && escaped:
			i++
			word, inWord = append(word, line[i]), true
		case quote == '"' && (c != '$' && c != '`' || strings.IndexByte(forbidden, c) < 0):
			word = append(word, c)
		case quote == '"' || strings.IndexByte(forbidden, c) >= 0:
			return nil, errOperator
		case c == '\'' || c == '"':
			quote, inWord = c, true
		case c == ' ' || c == '\t':
			if inWord {
				words = append(words, string(word))
			}
			word, inWord = nil, false
		default:
			word, inWord = append(word, c), true
		}
	}
	if quote != 0 {
		return nil, errUnfinished
	}
	if inWord {
		words = append(words, string(word))
	}
	return words, nil
}
