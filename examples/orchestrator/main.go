// Orchestrator carries out a plan through a ladder of tiers: haiku, sonnet, opus, a person. The
// lowest tier carries a step out. A failure is classified by taxonomy.yaml, and its reaction
// decides what follows: another try, a higher tier that finds the cause and fixes it, or a
// question.
//
//	go run . demo/plan.md
//	go run . -check demo/missing.md
//	go run . -dir /tmp/shop demo/question.md
//	go run . -dir /tmp/shop -step 3.1 -answer 'A delivery costs 250 cents.' demo/question.md
//
// The exit code is 0 when the plan is completed, 1 when it failed, 2 for wrong usage and for a plan
// with faults, 3 when a person is asked, and 130 when the run was cancelled.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"

	"orchestrator.example.com/runner/errs"

	"github.com/errgen/errgen/runtime/detect"
	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/executor/plan"
	"github.com/errgen/errgen/runtime/executor/plan/verify"
	"github.com/errgen/errgen/runtime/executor/scope"
	"github.com/errgen/errgen/runtime/taxonomy"
)

//go:generate go tool errgen generate

const (
	exitCompleted = 0
	exitFailed    = 1
	exitUsage     = 2
	exitBlocked   = 3
	exitCancelled = 130
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

// options are the command line.
type options struct {
	plan, dir, tiers, profile, name string
	forbid                          []string
	check, review, keep, json       bool
	answers                         bool
	answer                          plan.Answer
}

func (o *options) parse(args []string, out io.Writer) error {
	fs := flag.NewFlagSet("orchestrator", flag.ContinueOnError)
	fs.SetOutput(out)
	fs.StringVar(&o.dir, "dir", "", "work in this `directory` of git, which is created from the project beside the "+
		"plan if it does not exist; the default is a temporary one")
	fs.StringVar(&o.tiers, "tiers", "", "the `file` with the providers of the tiers; the default is the scripts "+
		"beside the plan")
	fs.StringVar(&o.profile, "profile", "", "react as this `profile` of the taxonomy: chains or tasks")
	fs.StringVar(&o.name, "run", "plan", "the `name` of the run")
	fs.Func("forbid", "forbid changes of files that match the `pattern`; may be repeated", func(s string) error {
		o.forbid = append(o.forbid, s)
		return nil
	})
	fs.BoolVar(&o.check, "check", false, "only check the plan and its prerequisites")
	fs.BoolVar(&o.review, "review", false, "make the highest tier review the plan first")
	fs.BoolVar(&o.keep, "keep-work", false, "commit nothing")
	fs.BoolVar(&o.json, "json", false, "print the result as JSON")
	fs.StringVar(&o.answer.Step, "step", "", "the `ID` of the step that is answered")
	fs.StringVar(&o.answer.Text, "answer", "", "the answer to the question about the step")
	fs.BoolVar(&o.answer.ByHand, "done", false, "the step was carried out by hand; it is verified")
	if err := fs.Parse(args); err != nil {
		return err
	}
	o.plan = fs.Arg(0)
	if fs.NArg() > 0 { // flags may follow the plan
		if err := fs.Parse(fs.Args()[1:]); err != nil {
			return err
		}
	}
	o.answers = o.answer.Text != "" || o.answer.ByHand
	switch {
	case o.plan == "" || fs.NArg() > 0:
		return errors.New("name the file of one plan")
	case o.answers && o.answer.Step == "":
		return errors.New("-answer and -done need -step")
	}
	return nil
}

// run carries out the command line and returns the exit code.
func run(ctx context.Context, args []string, out, hints io.Writer) int {
	var o options
	fail := func(code int, err error) int {
		fmt.Fprintln(hints, "orchestrator:", taxonomy.Redact(err.Error()))
		return code
	}
	if err := o.parse(args, hints); errors.Is(err, flag.ErrHelp) {
		return exitCompleted
	} else if err != nil {
		return fail(exitUsage, err)
	}
	source, err := os.ReadFile(o.plan)
	if err != nil {
		return fail(exitUsage, err)
	}
	p, problems := plan.Read(source)
	if len(problems) == 0 {
		problems = plan.Check(p)
	}
	for _, problem := range problems {
		fmt.Fprintf(hints, "%s: %s [%s]\n", o.plan, problem, problem.Kind)
	}
	if len(problems) > 0 {
		return exitUsage
	}
	dir, remove, err := openDir(ctx, o.dir, filepath.Join(filepath.Dir(o.plan), "project"))
	if err != nil {
		return fail(exitFailed, err)
	}
	defer remove()
	if o.check {
		return checkNeeds(ctx, out, verify.New(dir), p)
	}
	runner, err := o.runner(ctx, dir, newTimeline(out, o.json))
	if err != nil {
		return fail(exitUsage, err)
	}
	var res *plan.Result
	if o.answers {
		res, err = runner.Answer(ctx, o.name, p, o.answer)
	} else {
		res, err = runner.Run(ctx, o.name, p)
	}
	if err != nil {
		return fail(exitUsage, err)
	}
	if o.json {
		err = json.NewEncoder(out).Encode(res)
	} else {
		printResult(out, p, res, o.again())
	}
	if err != nil {
		return fail(exitFailed, err)
	}
	return map[string]int{"completed": exitCompleted, "blocked": exitBlocked, "cancelled": exitCancelled,
		"failed": exitFailed}[res.Status]
}

// runner connects the plan with the tree, the tiers and the taxonomy.
func (o *options) runner(ctx context.Context, dir string, lines *timeline) (*plan.Runner, error) {
	table, err := errs.Table.Profile(taxonomy.ProfileName(o.profile))
	if o.profile == "" {
		table, err = errs.Table, nil
	}
	if err != nil {
		return nil, err
	}
	forbidden := append([]string{}, o.forbid...)
	for _, file := range []string{o.plan, o.tiers} { // no tier edits its own plan
		if inside, ok := within(dir, file); ok {
			forbidden = append(forbidden, scope.Literal(inside))
		}
	}
	all, err := scope.New(scope.Config{Forbidden: forbidden})
	if err != nil {
		return nil, err
	}
	tiers, err := loadTiers(o.tiers, o.plan, all)
	if err != nil {
		return nil, err
	}
	home := ""
	if o.dir == "" {
		home = dir + ".clones" // removed with the temporary directory
	}
	tree, store, err := openTree(ctx, dir, o.name, home)
	if err != nil {
		return nil, err
	}
	return plan.New(plan.Config{
		Table: table, Classify: detect.Classifier(errs.Explain, detect.WithTable(table)), Tiers: tiers,
		Facts: verify.New(tree.Dir()), Workspace: tree, Store: store, ReviewPlan: o.review,
		KeepWork: o.keep, Observe: lines.observe,
		Guard: func(files []string) (executor.Guard, error) {
			return scope.New(scope.Config{Allowed: files, Forbidden: forbidden})
		},
	})
}

// within returns the path of a file relative to the directory, if it is there.
func within(dir, file string) (path string, ok bool) {
	file, err := filepath.EvalSymlinks(file)
	if err != nil {
		return "", false
	}
	if file, err = filepath.Abs(file); err == nil {
		path, err = filepath.Rel(dir, file)
	}
	return filepath.ToSlash(path), err == nil && filepath.IsLocal(path)
}

// again returns the beginning of the command that answers a question; empty if the tree is removed.
func (o *options) again() string {
	if o.dir == "" {
		return ""
	}
	return fmt.Sprintf("orchestrator -dir %s -run %s %s", o.dir, o.name, o.plan)
}

// checkNeeds prints all prerequisites of a plan and whether they are there, and returns the exit
// code.
func checkNeeds(ctx context.Context, out io.Writer, facts plan.Verifier, p *plan.Plan) int {
	code := exitCompleted
	print := func(of string, needs []plan.Need) {
		for _, need := range needs {
			kind, name := need.Kind()
			mark, comment := "[x]", need.For
			if need.MadeBy != "" {
				mark, comment = "[ ]", "made by "+need.MadeBy
			} else if missing := facts.Needs(ctx, "prepare", []plan.Need{need}); len(missing) > 0 {
				code, mark, comment = exitFailed, "[!]", missing[0].Text
			}
			line := fmt.Sprintf("%s %-9s %-10s %-24s %s", mark, of, kind, name, oneLine(comment, 100))
			fmt.Fprintln(out, strings.TrimRight(line, " "))
		}
	}
	print("plan", p.Needs)
	for _, s := range p.Steps {
		print("step "+s.ID, s.Needs)
	}
	return code
}
