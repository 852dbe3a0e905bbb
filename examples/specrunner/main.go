// Specrunner has a coding agent do the tasks of a specification, one after the other, and does
// about each failure what taxonomy.yaml says: it tries again and tells the agent why, gives up, or
// ends the run. What it knows it keeps in an SQLite file, so that a process that dies loses
// nothing.
//
//	go run . -dir demo
//
// shows that with an agent that needs no account. With one of yours, in the directory of a project:
//
//	specrunner -config specrunner.yml     begins, or begins again, with what is left to do
//	specrunner -status                    shows how the tasks stand
//	specrunner -resume                    goes on with a run whose process died
//	specrunner -reset TASK                has a task begun anew
//
// The tasks are in spec/tasks.md, the state is in spec/.executor-state.db. README.md says how a
// task and the configuration are written.
//
// The exit code is 0 when all tasks are done, 1 when work is left (also when the run was stopped,
// held or interrupted), 2 for wrong usage, which includes a configuration or a tasks file that is
// faulty, and 3 when the instrument itself broke: the state cannot be opened or written, or the
// program has a fault.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strconv"

	"github.com/errgen/errgen/runtime/config"
	"github.com/errgen/errgen/runtime/taxonomy"

	"specrunner.example.com/runner/errs"
)

//go:generate go tool errgen generate

func main() {
	os.Exit(run(os.Args[1:], os.Stdout, os.Stderr))
}

// The exit codes.
const (
	exitDone   = 0
	exitLeft   = 1
	exitUsage  = 2
	exitBroken = 3
)

// options are what the command line says. Paths are seen from dir.
type options struct {
	dir, config, tasks, state, prefix, stopFile string

	profile, onFailure string
	usd, tokens        spendFlag // tokens are whole

	task, reset    string
	status, resume bool
	json, verbose  bool
}

// run does what the command line says and returns the exit code.
func run(args []string, out, hints io.Writer) (code int) {
	defer func() {
		if p := recover(); p != nil {
			fmt.Fprintln(hints, "specrunner: the program has a fault:", shown(fmt.Sprint(p)))
			code = exitBroken
		}
	}()
	o, err := parse(args, out)
	if errors.Is(err, flag.ErrHelp) {
		return exitDone
	}
	p := &cli{out: out, hints: hints}
	if err != nil {
		return p.fail(misuse("%w", err))
	}
	p.options = *o
	switch {
	case o.status:
		return p.showStatus()
	case o.reset != "":
		return p.resetTask()
	}
	return p.work()
}

// parse reads the command line. What is wrong with it is the error; how it is used is written to
// help.
func parse(args []string, help io.Writer) (*options, error) {
	o := &options{tokens: spendFlag{whole: true}}
	fs := flag.NewFlagSet("specrunner", flag.ContinueOnError)
	fs.SetOutput(io.Discard)
	o.define(fs)
	err := fs.Parse(args)
	if errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(help, "specrunner has a coding agent do the tasks of a specification.\n\n"+
			"  specrunner [-dir DIR] [-config FILE] [-resume] [-task ID]\n  specrunner -status [-json]\n  "+
			"specrunner -reset TASK")
		fs.SetOutput(help)
		fs.PrintDefaults()
		return nil, err
	}
	if err == nil && fs.NArg() > 0 {
		err = fmt.Errorf("unexpected argument %q", fs.Arg(0))
	}
	if err == nil {
		err = o.given(fs)
	}
	if err == nil {
		err = o.check()
	}
	return o, err
}

func (o *options) define(fs *flag.FlagSet) {
	fs.StringVar(&o.dir, "dir", ".", "the project's `directory`, where the agent works; other paths are seen from it")
	fs.StringVar(&o.config, "config", "", "the configuration, a YAML `file` (default: "+defaultConfig+
		", if it is there)")
	fs.StringVar(&o.tasks, "tasks", "", "the tasks, a Markdown `file` (default: "+defaultTasks+")")
	fs.StringVar(&o.state, "state", "", "the `file` of the state (default: spec/.executor-state.db)")
	fs.StringVar(
		&o.prefix, "prefix", "", "keep the state in spec/.executor-`PREFIX`state.db, for one of several specifications")
	fs.StringVar(&o.stopFile, "stop-file", "", "stop between two attempts as soon as this `file` is there (default: "+
		defaultStopFile+")")
	fs.StringVar(&o.profile, "profile", "", "react as the taxonomy's profile of this `name` does")
	fs.StringVar(
		&o.onFailure, "on-failure", "",
		"the rest of the queue when a task fails: stop, skip what depends on it, or continue with everything")
	fs.Var(&o.usd, "budget-usd", "what all tasks may cost together, in US `dollars`; none is no limit")
	fs.Var(&o.tokens, "budget-tokens", "how many `tokens` all tasks may use together; none is no limit")
	fs.StringVar(&o.task, "task", "", "do only the task of this `ID`")
	fs.BoolVar(&o.resume, "resume", false, "go on with the run whose process died, and then with the rest")
	fs.StringVar(
		&o.reset, "reset", "", "forget how the `task` stands, so that it is begun anew; its attempts stay on record")
	fs.BoolVar(&o.status, "status", false, "show how the tasks stand")
	fs.BoolVar(&o.json, "json", false, "print the outcome, or the status, as JSON; progress goes to standard error")
	fs.BoolVar(&o.verbose, "v", false, "log everything that happens to standard error")
}

// ignored are the flags that would change nothing, by what they stand beside.
var ignored = map[string][]string{
	"status": {"budget-tokens", "budget-usd", "on-failure", "stop-file", "v"},
	"reset":  {"budget-tokens", "budget-usd", "on-failure"},
}

// given finds flags without a value, as a variable leaves them that is not set: they would be taken
// for flags that are not there, and a reset for the work itself. The profile without a name is one:
// the taxonomy as it is. It also finds flags that change nothing.
func (o *options) given(fs *flag.FlagSet) (err error) {
	for doing, is := range map[string]bool{"status": o.status, "reset": o.reset != ""} {
		fs.Visit(func(f *flag.Flag) {
			if is && slices.Contains(ignored[doing], f.Name) {
				err = fmt.Errorf("-%s ignores -%s", doing, f.Name)
			}
		})
	}
	fs.Visit(func(f *flag.Flag) {
		if f.Value.String() == "" && f.Name != "profile" && !isSpend(f.Value) {
			err = fmt.Errorf("-%s is empty; leave it out, or name something", f.Name)
		}
	})
	return err
}

func isSpend(v flag.Value) bool {
	_, is := v.(*spendFlag)
	return is
}

// check finds what does not go together.
func (o *options) check() error {
	switch {
	case o.status && (o.resume || o.reset != "" || o.task != ""):
		return errors.New("-status only shows; it goes with none of -resume, -reset and -task")
	case o.reset != "" && (o.resume || o.task != ""):
		return errors.New("-reset goes neither with -resume nor with -task")
	case o.state != "" && o.prefix != "":
		return errors.New("-state and -prefix name the state twice")
	case o.onFailure != "" && !slices.Contains(failurePolicies, o.onFailure):
		return fmt.Errorf("-on-failure is %q; there are %s", o.onFailure, config.Either(failurePolicies))
	}
	if err := checkPrefix(o.prefix); err != nil {
		return fmt.Errorf("-prefix: %w", err)
	}
	_, err := errs.Table.Profile(taxonomy.ProfileName(o.profile))
	return err
}

// spendFlag is a number, or none.
type spendFlag struct {
	set    bool
	whole  bool // there are no parts of it
	amount taxonomy.Opt[float64]
}

// Set reads a number that is not negative, or the word none.
func (f *spendFlag) Set(text string) error {
	f.set = true
	if text == "none" {
		return nil
	}
	n, err := strconv.ParseFloat(text, 64)
	switch ok := err == nil && n >= 0 && n <= maxSpend; {
	case f.whole && (!ok || n != math.Trunc(n)):
		return errors.New("a whole number from 0, or none")
	case !ok:
		return errors.New("a number from 0, or none")
	}
	f.amount = taxonomy.Some(n)
	return nil
}

// String returns what was set.
func (f *spendFlag) String() string {
	if n, ok := f.amount.Get(); ok {
		return strconv.FormatFloat(n, 'f', -1, 64)
	}
	return ""
}
