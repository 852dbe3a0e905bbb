// Aidf makes an AI agent work on a task in a git repository. It reacts to each failure as errgen's
// taxonomy.yaml specifies: it waits, tries again, gives the agent feedback, reverts files,
// continues without the failed step, or stops. The program contains no code and no category of the
// taxonomy.
//
//	go run . -story
//
// plays all of these reactions on temporary repositories, without an account. With a provider it
// works on yours:
//
//	aidf -provider claude-cli -task task.md -repo ~/src/shop
//	aidf -provider claude-cli -task task.md -repo ~/src/shop -resume RUN -answer "All of them."
//	aidf runs | dir RUN | diff RUN | attempts RUN [NAME [FILE...]] | remove RUN...
//
// README.md describes tasks, configurations and flags. The exit code is 0 for a completed task, 1
// for a task that failed, is blocked, was cancelled or could not begin, and 2 for wrong usage. An
// interrupt ends the iteration cleanly; a second one kills the program.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/executor/config"
	"github.com/errgen/errgen/runtime/taxonomy"
)

func main() {
	signalled, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	ctx, cancel := context.WithCancelCause(context.Background())
	context.AfterFunc(signalled, func() {
		stop() // a second interrupt kills, as the hint that follows promises
		cancel(context.Cause(signalled))
	})
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

// The exit codes. A task that failed has that of its error in the taxonomy.
const (
	exitOK     = 0
	exitFailed = 1
	exitUsage  = 2
)

// options are those of the command line.
type options struct {
	provider, model            string
	taskFile, repo, configFile string
	run, resume, answer, state string

	unattended, dryRun   bool
	json, verbose, story bool
	patch                bool

	command string        // one of the commands, or empty
	older   time.Duration // of the command remove
	args    []string      // after the flags: those of the command
}

// commands are about runs that exist.
var commands = []string{"runs", "dir", "diff", "attempts", "remove"}

// usageError is a mistake on the command line.
type usageError string

func (e usageError) Error() string { return string(e) }

func misuse(format string, args ...any) error { return usageError(fmt.Sprintf(format, args...)) }

// program carries out one command line.
type program struct {
	options
	home       string // the configuration, if it sets where the clones are
	out, hints io.Writer
	screen     executor.Observer
}

// run carries out the command line and returns the exit code.
func run(ctx context.Context, args []string, out, hints io.Writer) int {
	return (&program{out: out, hints: hints}).run(ctx, args)
}

func (p *program) run(ctx context.Context, args []string) int {
	err := p.parse(args)
	code := exitOK
	if err == nil {
		code, err = p.carryOut(ctx)
	}
	if errors.Is(err, flag.ErrHelp) {
		return exitOK
	}
	if err == nil {
		return code
	}
	fmt.Fprintln(p.hints, "aidf:", printable(err.Error()))
	if _, ok := errors.AsType[usageError](err); ok {
		fmt.Fprintln(p.hints, "aidf -help describes the usage")
		return exitUsage
	}
	return exitFailed
}

func (p *program) carryOut(ctx context.Context) (int, error) {
	if p.state == "" {
		home, err := os.UserHomeDir()
		if p.state = os.Getenv("XDG_STATE_HOME"); p.state == "" && err != nil {
			return exitFailed, err
		} else if p.state == "" {
			p.state = filepath.Join(home, ".local", "state")
		}
		p.state = filepath.Join(p.state, "aidf")
	}
	switch {
	case p.story:
		return exitOK, p.playStory(ctx)
	case p.command != "":
		return exitOK, p.inspect(ctx)
	}
	return p.work(ctx)
}

// parse reads the command line.
func (p *program) parse(args []string) error {
	fs := flag.NewFlagSet("aidf", flag.ContinueOnError)
	fs.SetOutput(io.Discard)
	p.define(fs)
	if len(args) > 0 && slices.Contains(commands, args[0]) {
		p.command, args = args[0], args[1:]
	}
	err := fs.Parse(args)
	if errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(p.out, "aidf makes an AI agent work on a task in a git repository.\n\n"+
			"  aidf -provider NAME -task FILE [-repo DIR] [-config FILE]\n"+
			"  aidf -provider NAME -task FILE … -resume RUN [-answer TEXT]\n"+
			"  aidf runs [-json]                        lists the runs, and the clones of the repository\n"+
			"  aidf dir RUN                             prints where the run works\n"+
			"  aidf diff RUN | git apply                prints all changes of the run as a patch\n"+
			"  aidf attempts [-patch] RUN [NAME [FILE...]]   lists or shows what was reverted\n"+
			"  aidf remove RUN...                       removes runs with their clones; -older 720h removes old ones\n"+
			"  aidf -story")
		fs.SetOutput(p.out)
		fs.PrintDefaults()
		return err
	}
	if err != nil {
		return misuse("%s", err)
	}
	p.args = fs.Args()
	return p.check()
}

func (o *options) define(fs *flag.FlagSet) {
	fs.StringVar(&o.provider, "provider", "", "the provider: claude-cli, anthropic or openai")
	fs.StringVar(&o.model, "model", "", "the `name` of the provider's model")
	fs.StringVar(&o.taskFile, "task", "", "the task, a Markdown `file`")
	fs.StringVar(&o.repo, "repo", ".", "a `directory` of the git repository to work in")
	fs.StringVar(&o.configFile, "config", "", "the configuration, a YAML `file`")
	fs.StringVar(&o.run, "run", "", "the `name` of the run")
	fs.StringVar(&o.resume, "resume", "", "continue the run of this `name`, which died or was not completed")
	fs.StringVar(&o.answer, "answer", "", "the answer to the question of the run that is resumed")
	fs.StringVar(&o.state, "state", "", "the `directory` with the states of runs (default: in the user's state)")
	fs.BoolVar(&o.unattended, "unattended", false, "ask no person; changes that need an approval are denied")
	fs.BoolVar(&o.dryRun, "dry-run", false, "check whether the run could begin, show the prompt, and call no provider")
	fs.BoolVar(&o.patch, "patch", false, "show the attempt as it is, for git apply; by default secrets are masked")
	fs.DurationVar(&o.older, "older", 0, "remove the runs whose clone is `older`, and in no process")
	fs.BoolVar(&o.json, "json", false, "print the result, or the list, as JSON; progress goes to standard error")
	fs.BoolVar(&o.verbose, "v", false, "log all events to standard error")
	fs.BoolVar(&o.story, "story", false, "play a story of failures; it needs git only")
}

// check returns an error if flags are missing or contradict each other.
func (o *options) check() error {
	switch {
	case o.older != 0 && o.command != "remove", o.patch && o.command != "attempts":
		return misuse("-older is a flag of aidf remove, and -patch of aidf attempts")
	case o.command == "runs" && len(o.args) > 0, (o.command == "dir" || o.command == "diff") && len(o.args) > 1:
		return misuse("unexpected argument %q", o.args[len(o.args)-1])
	case o.command != "" && o.command != "runs" && len(o.args) == 0 && o.older == 0:
		return misuse("which run? aidf %s RUN", o.command)
	case o.command != "":
		return nil
	case len(o.args) > 0:
		return misuse("unexpected argument %q", o.args[0])
	case o.story:
		return nil
	case o.taskFile == "":
		return misuse("which task? -task FILE")
	case o.provider == "" && o.configFile == "":
		return misuse("which provider? -provider claude-cli, anthropic or openai")
	case o.provider != "" && !slices.Contains(providers, o.provider):
		return misuse("unknown provider %q, expected %s", o.provider, config.OneOf(providers))
	case o.run != "" && o.resume != "":
		return misuse("-run and -resume both name a run")
	case o.answer != "" && o.resume == "":
		return misuse("-answer needs -resume RUN")
	case o.resume != "" && o.dryRun:
		return misuse("-dry-run resumes no run")
	}
	return nil
}

// printable returns s with secrets masked, and with a replacement for each control character.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if r != '\n' && r != '\t' && !unicode.IsPrint(r) {
			return utf8.RuneError
		}
		return r
	}, taxonomy.Redact(s))
}
