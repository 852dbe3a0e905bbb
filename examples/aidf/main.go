// Aidf has an AI agent work on a git repository, task by task, and does about each failure what the
// taxonomy of errgen's repository says: it waits, tries again, tells the agent, puts files back,
// goes on without, stops. It names no code and no category: what a failure is, and what follows, is
// in taxonomy.yaml.
//
//	go run . -story
//
// shows all of that on a temporary repository, without any account. With a provider it works on
// yours:
//
//	go run . -provider claude-cli -task task.md -repo ~/src/shop
//
// The provider is claude-cli (the program claude and its login), anthropic or openai
// (ANTHROPIC_API_KEY or OPENAI_API_KEY, and a -model). A task is a Markdown file; what is below
// "Scope" says which files it may change:
//
//	# Task: A friendlier greeting
//
//	## Goal
//	greet.txt greets the world in a whole sentence.
//
//	## Scope
//	### Allowed
//	- `greet.txt`
//	- `docs/**`
//	### Forbidden
//	- `deploy/**`
//
// A configuration is a YAML file, in which ${NAME} stands for an environment variable:
//
//	provider: claude-cli
//	limits: {iterations: 20, failures: 3, iteration: 10m, run: 2h}
//	scope: {mode: ask, forbidden: [.env, "secrets/**"]}   # for all tasks
//	validation:
//	  pre_commit:
//	    - go vet ./...            # a line for the shell
//	    - [go, test, ./...]       # a program and its arguments
//	deliver: commits              # nothing, commits, push, pull_request
//	notify:
//	  - {channel: desktop, statuses: [blocked, failed]}
//	  - {channel: webhook, url: "${HOOK_URL}"}
//	profile: unattended
//	overrides:                    # what this run has otherwise than the taxonomy
//	  policies: {rate_limit: {initial_delay: 30s}}
//
// What is on the command line outweighs it. README.md has all settings.
//
// The exit code is 0 for a task that is completed, 1 for one that failed, is blocked or was
// cancelled, also if it could not even begin, and 2 for wrong usage. An interrupt ends the
// iteration cleanly; a second one kills the program. A run whose process died is gone on with by
// -resume and its name, which -list tells.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/errgen/errgen/gen/errs"
	"github.com/errgen/errgen/runtime/config"
	"github.com/errgen/errgen/runtime/taxonomy"
)

func main() {
	os.Exit(run(os.Args[1:], os.Stdout, os.Stderr))
}

// The exit codes.
const (
	exitOK     = 0
	exitFailed = 1
	exitUsage  = 2
)

// options are what the command line says.
type options struct {
	provider, model, profile   string
	taskFile, repo, configFile string
	run, resume, journal       string
	answer                     string

	unattended, push, dryRun bool
	byHand, takeOver         bool
	list, json, verbose      bool
	story, keep              bool
}

// run does what the command line says and returns the exit code.
func run(args []string, out, hints io.Writer) int {
	o, err := parse(args, out)
	if errors.Is(err, flag.ErrHelp) {
		return exitOK
	}
	if err != nil {
		return misused(hints, err)
	}
	p := &program{options: *o, out: out, hints: hints}
	switch {
	case o.story:
		return p.tell()
	case o.list:
		return p.listRuns()
	}
	return p.work()
}

func misused(hints io.Writer, err error) int {
	fmt.Fprintf(hints, "aidf: %s\naidf -help says how it is used\n", printable(err.Error()))
	return exitUsage
}

// parse reads the command line. What is wrong with it is the error; how it is used is written to
// help.
func parse(args []string, help io.Writer) (*options, error) {
	o := &options{}
	fs := flag.NewFlagSet("aidf", flag.ContinueOnError)
	fs.SetOutput(io.Discard)
	o.define(fs)
	err := fs.Parse(args)
	if errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(help, "aidf has an AI agent work on a task in a git repository.\n\n"+
			"  aidf -provider NAME -task FILE [-repo DIR] [-config FILE]\n  aidf -story\n  aidf -list")
		fs.SetOutput(help)
		fs.PrintDefaults()
		return nil, err
	}
	if err == nil && fs.NArg() > 0 {
		err = fmt.Errorf("unexpected argument %q", fs.Arg(0))
	}
	if err == nil {
		err = o.check()
	}
	return o, err
}

func (o *options) define(fs *flag.FlagSet) {
	fs.StringVar(&o.provider, "provider", "", "who does the work: claude-cli, anthropic or openai")
	fs.StringVar(&o.model, "model", "", "the provider's model of this `name`")
	fs.StringVar(&o.taskFile, "task", "", "the task, a Markdown `file`")
	fs.StringVar(&o.repo, "repo", ".", "a `directory` of the git repository to work in")
	fs.StringVar(&o.configFile, "config", "", "the configuration, a YAML `file`")
	fs.StringVar(&o.profile, "profile", "", "react as the taxonomy's profile of this `name` does")
	fs.StringVar(&o.run, "run", "", "the `name` of the run; one that died is gone on with")
	fs.StringVar(&o.resume, "resume", "", "continue the run of this `name`: one that died, is blocked or failed")
	fs.StringVar(&o.answer, "answer", "", "with -resume: the `text` that answers the run's question")
	fs.BoolVar(&o.byHand, "by-hand", false, "with -resume: the work was done by hand; check and deliver it")
	fs.BoolVar(&o.takeOver, "take-over", false, "deliver also what earlier runs left uncommitted")
	fs.StringVar(
		&o.journal, "journal", "", "the `directory` where runs are remembered (default: with the user's state)")
	fs.BoolVar(&o.unattended, "unattended", false, "ask nobody; what a person would have to allow is denied")
	fs.BoolVar(&o.push, "push", false, "push finished work")
	fs.BoolVar(&o.dryRun, "dry-run", false, "look whether the run could begin, show the prompt, and call nobody")
	fs.BoolVar(&o.list, "list", false, "list the runs that are remembered")
	fs.BoolVar(&o.json, "json", false, "print the result, or the list, as JSON; progress goes to standard error")
	fs.BoolVar(&o.verbose, "v", false, "log everything that happens to standard error")
	fs.BoolVar(&o.story, "story", false, "tell a story of failures, with nothing but git installed")
	fs.BoolVar(&o.keep, "keep", false, "keep the story's directory")
}

// check finds what does not go together.
func (o *options) check() error {
	switch {
	case o.story || o.list:
		return nil
	case o.taskFile == "":
		return errors.New("which task? -task FILE")
	case o.provider == "" && o.configFile == "":
		return errors.New("which provider? -provider claude-cli, anthropic or openai")
	case o.provider != "" && !slices.Contains(providers, o.provider):
		return fmt.Errorf("there is no provider %q; there are %s", o.provider, config.Either(providers))
	case o.run != "" && o.resume != "":
		return errors.New("-run and -resume name a run twice")
	case o.resume == "" && (o.answer != "" || o.byHand):
		return errors.New("-answer and -by-hand need -resume NAME")
	case o.resume != "" && o.dryRun:
		return errors.New("a dry run begins nothing that could be gone on with")
	}
	if _, err := errs.Table.Profile(taxonomy.ProfileName(o.profile)); err != nil {
		return err
	}
	return nil
}
