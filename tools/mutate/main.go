// Mutate measures the tests of one Go package: it changes the package a little, again and again,
// and counts how often the tests notice.
//
//	go run ./tools/mutate [flags] [package directory]
//
// Each mutant is one change of a file that is not a test: a literal changed, a boolean flipped, a
// statement dropped, two neighbouring elements of a list swapped, an operator replaced, a condition
// negated. Declarations of nothing but _ are left alone: they are assertions that the compiler
// checks, not code. A mutant is built with `go test -c -overlay`, so that the package itself is
// never touched, and its tests run until the first failure or the timeout. It is killed when they
// fail, has survived when they pass, and does not count when it does not compile.
//
// The survivors are printed as file:line:col with the change, then the score. The exit status is 1
// when the score is below -min or the tests fail before anything was changed, 2 when the command
// was used wrongly.
//
// A large package has thousands of mutants, each a build of its own. -sample takes some of them,
// the same ones for the same -seed:
//
//	go run ./tools/mutate -min 95 -sample 300 -seed 1 gen/errs
//
// Gremlins covers control flow independently of this program, with mutation operators of its own,
// and needs no place in go.mod. What it calls not covered are the conditions of cases and the
// values of package variables, where Go's coverage sees no statement:
//
//	go run github.com/go-gremlins/gremlins/cmd/gremlins@v0.6.0 unleash --workers 2 --timeout-coefficient 20 --threshold-efficacy 95 ./gen/errs
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/signal"
	"runtime"
	"slices"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

type options struct {
	dir     string
	min     float64
	sample  int
	seed    uint64
	workers int
	timeout time.Duration
	only    string
	list    bool
	verbose bool
}

func run(ctx context.Context, args []string, out, errOut io.Writer) int {
	opts, err := parse(args, errOut)
	if err != nil {
		return 2
	}
	status, err := measure(ctx, opts, out)
	if err != nil {
		fmt.Fprintln(errOut, "mutate:", err)
		return 2
	}
	return status
}

func parse(args []string, errOut io.Writer) (options, error) {
	var o options
	flags := flag.NewFlagSet("mutate", flag.ContinueOnError)
	flags.SetOutput(errOut)
	flags.Float64Var(&o.min, "min", 95, "lowest `score` in percent that passes")
	flags.IntVar(&o.sample, "sample", 0, "test `n` mutants chosen by the seed; 0 tests all")
	flags.Uint64Var(&o.seed, "seed", 1, "`number` that decides the sample")
	flags.IntVar(&o.workers, "p", runtime.GOMAXPROCS(0), "`mutants` at a time")
	flags.DurationVar(&o.timeout, "timeout", time.Minute, "`time` after which a mutant's tests count as failed")
	flags.StringVar(&o.only, "only", "", "mutate only the files whose names match the `pattern`")
	flags.BoolVar(&o.list, "list", false, "print the mutants and test none")
	flags.BoolVar(&o.verbose, "v", false, "print every mutant's result")
	if err := flags.Parse(args); err != nil {
		return o, err
	}
	switch flags.NArg() {
	case 0:
		o.dir = "."
	case 1:
		o.dir = flags.Arg(0)
	default:
		err := fmt.Errorf("one package directory at most, %d given", flags.NArg())
		fmt.Fprintln(errOut, "mutate:", err)
		return o, err
	}
	return o, nil
}

func measure(ctx context.Context, opts options, out io.Writer) (int, error) {
	mutants, err := load(opts.dir, opts.only)
	if err != nil {
		return 0, err
	}
	total := len(mutants)
	mutants = choose(mutants, opts.sample, opts.seed)
	if opts.list {
		for _, m := range mutants {
			fmt.Fprintln(out, m)
		}
		return 0, nil
	}
	tester, err := newTester(ctx, opts.dir, opts.timeout)
	if err != nil {
		return 0, err
	}
	defer tester.close()
	if err := tester.baseline(ctx); err != nil {
		fmt.Fprintln(out, "the tests fail before anything is changed:", err)
		return 1, nil
	}
	results, err := tester.all(ctx, mutants, opts.workers, func(m mutant, r result) {
		if opts.verbose || r == survived {
			fmt.Fprintf(out, "%s: %s\n", r, m)
		}
	})
	if err != nil {
		return 0, err
	}
	return report(out, results, total, opts.min), nil
}

// choose returns n of the mutants, in their order; the same ones for the same seed.
func choose(mutants []mutant, n int, seed uint64) []mutant {
	if n <= 0 || n >= len(mutants) {
		return mutants
	}
	index := rand.New(rand.NewPCG(seed, seed)).Perm(len(mutants))[:n]
	slices.Sort(index)
	chosen := make([]mutant, n)
	for i, j := range index {
		chosen[i] = mutants[j]
	}
	return chosen
}

func report(out io.Writer, results []result, total int, least float64) int {
	var count [3]int
	for _, r := range results {
		count[r]++
	}
	counted := count[killed] + count[survived]
	score := 100.0
	if counted > 0 {
		score = 100 * float64(count[killed]) / float64(counted)
	}
	fmt.Fprintf(out, "%d of %d mutants: %d killed, %d survived, %d do not compile; score %.1f %%\n",
		len(results), total, count[killed], count[survived], count[broken], score)
	if score < least {
		fmt.Fprintf(out, "the score is below %.1f %%\n", least)
		return 1
	}
	return 0
}
