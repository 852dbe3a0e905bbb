package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/errgen/errgen/runtime/escalate"
	"github.com/errgen/errgen/runtime/scope"
	"github.com/errgen/errgen/runtime/taxonomy"

	"orchestrator.example.com/runner/errs"
)

// options is what the command line says.
type options struct {
	plan    string
	profile string
	tiers   string
	review  string
	dir     string
	keep    bool
	commit  bool
	// allow and forbid are patterns of files.
	allow, forbid []string
	check         bool
	json          bool

	run    string
	state  string
	answer string
	by     string
	done   bool
	giveUp bool
	// answers reports that there is an answer, which may be empty.
	answers bool

	diagram   string
	corrected string

	turns    int
	time     time.Duration
	stepTime time.Duration
}

const usage = `orchestrator carries out a plan through a ladder of tiers, and does about failures what its ` +
	`taxonomy says.

  orchestrator [flags] PLAN.md
  orchestrator -check [flags] PLAN.md
  orchestrator -run NAME -state DIR -answer TEXT [flags] PLAN.md
  orchestrator -dir DIR -answer TEXT [flags] PLAN.md
  orchestrator -classify [flags] <what was said
`

// parse reads the command line. What is wrong with it is the error; how it is used is written to
// help.
func parse(args []string, help io.Writer) (*options, error) {
	o := &options{}
	fs := flag.NewFlagSet("orchestrator", flag.ContinueOnError)
	fs.SetOutput(io.Discard)
	o.define(fs)
	err := o.read(fs, args)
	if errors.Is(err, flag.ErrHelp) {
		fmt.Fprint(help, usage+"\n")
		fs.SetOutput(help)
		fs.PrintDefaults()
		return nil, err
	}
	if err != nil {
		return nil, err
	}
	return o, o.problems()
}

func (o *options) define(fs *flag.FlagSet) {
	fs.StringVar(&o.profile, "profile", "", "react as the profile of this `name` does: chains or tasks")
	fs.StringVar(
		&o.tiers, "tiers", "",
		"take the tiers' providers from this `file`; otherwise they play the scripts beside the plan")
	fs.StringVar(
		&o.review, "review", "", "have the tier of this `name` review the plan, and what other tiers have done")
	fs.StringVar(
		&o.dir, "dir", "",
		"work in this `directory`, which is under git; otherwise in a fresh copy of the project beside the plan")
	fs.Func("allow", "let tiers change only what this `pattern` matches; it can be given several times",
		adder(&o.allow))
	fs.Func("forbid", "have tiers change nothing that this `pattern` matches; it can be given several times",
		adder(&o.forbid))
	fs.BoolVar(&o.keep, "keep", false, "keep the fresh copy, and say where it is")
	fs.BoolVar(&o.commit, "commit", false, "commit what each step that counts has changed")
	fs.BoolVar(&o.check, "check", false, "only check the plan and what it takes for granted")
	fs.BoolVar(&o.json, "json", false, "answer in JSON, with all that is known")
	fs.StringVar(
		&o.run, "run", "",
		"the `name` of the run, otherwise one of its own for each plan and -dir; one that is kept is gone on with")
	fs.StringVar(
		&o.state, "state", "",
		"keep what runs know in this `directory`, so that they can be gone on with; otherwise, with -dir, in its "+
			".git until the run is completed")
	fs.Func("answer", "answer the run's question with this `text`, and try again", func(text string) error {
		o.answer, o.answers = text, true
		return nil
	})
	fs.StringVar(&o.by, "by", "", "the `name` of who answers")
	fs.BoolVar(&o.done, "done", false, "answer that the step was done by hand; it is verified")
	fs.BoolVar(&o.giveUp, "give-up", false, "answer that the step is given up")
	fs.StringVar(
		&o.diagram, "diagram", "",
		"write the path that was taken to this `file` as a Mermaid diagram; - is standard output")
	fs.StringVar(
		&o.corrected, "corrected", "",
		"write the plan with the corrections that count to this `file`; - is standard output")
	fs.DurationVar(&o.stepTime, "step-time", 0, "how `long` a step may take in all; as long as it takes unless set")
	fs.IntVar(&o.turns, "turns", 0, "the `number` of calls that a step may have; 150 unless set")
	fs.DurationVar(&o.time, "time", 0, "how `long` a call of a tier may take, with its waits; 10m unless set")
}

// adder adds what a flag says each time that it is given.
func adder(all *[]string) func(string) error {
	return func(text string) error {
		*all = append(*all, text)
		return nil
	}
}

// read reads flags and the plan, in any order; behind "--" there is only the plan.
func (o *options) read(fs *flag.FlagSet, args []string) error {
	var plans []string
	for {
		if err := fs.Parse(args); err != nil {
			return err
		}
		rest := fs.Args()
		if len(rest) == 0 {
			break
		}
		if read := len(args) - len(rest); read > 0 && args[read-1] == "--" {
			plans = append(plans, rest...)
			break
		}
		plans, args = append(plans, rest[0]), rest[1:]
	}
	switch len(plans) {
	case 0:
		return errors.New("no plan; name the file of one")
	case 1:
		o.plan = plans[0]
		return nil
	}
	return fmt.Errorf("there is one plan in a run, and %q is another", plans[1])
}

// problems returns what does not go together.
func (o *options) problems() error {
	var all []error
	problem := func(wrong bool, text string) {
		if wrong {
			all = append(all, errors.New(text))
		}
	}
	if _, err := errs.Table.Profile(taxonomy.ProfileName(o.profile)); err != nil {
		all = append(all, err)
	}
	answers := o.answers || o.done || o.giveUp
	if _, err := scope.New(scope.Config{Allowed: o.allow, Forbidden: o.forbid}); err != nil {
		all = append(all, err)
	}
	problem(answers && !o.keeps(), "an answer needs -state or -dir, where the run is kept that it is an answer to")
	problem(
		o.run != "" &&
			!nameForm.MatchString(o.run),
		"-run is 1 to 80 letters, digits, '-', '_' and '.', the first a letter or a digit")
	problem(o.run != "" && !o.keeps(), "-run needs -state or -dir, where the run is kept")
	problem(o.done && o.giveUp, "-done and -give-up are two answers; give one")
	problem(o.answers && !o.done && !o.giveUp && strings.TrimSpace(o.answer) == "",
		"-answer is empty: say what has changed, or what the answer is; -done says that the step was done by hand")
	problem(o.by != "" && !answers, "-by says who answers, and there is no answer")
	problem(answers && o.check, "-check answers nothing")
	problem(o.turns < 0, "-turns is less than 0")
	problem(o.time < 0, "-time is less than 0")
	problem(o.stepTime < 0, "-step-time is less than 0")
	problem(o.diagram == "-" && o.corrected == "-", "only one of -diagram and -corrected can be standard output")
	problem(o.json && (o.diagram == "-" || o.corrected == "-"), "-json is standard output already; name a file")
	problem(o.check && (o.diagram != "" || o.corrected != ""), "-check carries nothing out that could be written")
	return errors.Join(all...)
}

// reply returns the answer to the run's question; nil when there is none.
func (o *options) reply() *escalate.Answer {
	a := &escalate.Answer{Text: o.answer, By: o.by}
	switch {
	case o.done:
		a.Action = escalate.DoneByHand
	case o.giveUp:
		a.Action = escalate.GiveUp
	case !o.answers:
		return nil
	}
	return a
}

// asksJSON reports that the arguments ask for JSON, whether or not they can be read.
func asksJSON(args []string) bool {
	if end := slices.Index(args, "--"); end >= 0 {
		args = args[:end]
	}
	return slices.ContainsFunc(args, func(arg string) bool {
		return arg == "-json" || arg == "--json" || arg == "-json=true" || arg == "--json=true"
	})
}

// quiet reports that standard output is for a file only.
func (o *options) quiet() bool { return o.json || o.diagram == "-" || o.corrected == "-" }
