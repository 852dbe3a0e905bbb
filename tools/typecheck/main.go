// Typecheck checks the types of modules, their tests included, as they are for another system. It
// compiles nothing: go vet would compile all that they import first, which takes minutes for each
// system. It prints what is wrong, and exits with 1 then, and with 2 when go list could not be run.
// What functions outside of the modules do is not looked at.
//
// Usage:
//
//	typecheck [-os system] [-C module]...
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"runtime"
)

func main() {
	os.Exit(run(os.Args[1:], os.Stdout, os.Stderr))
}

func run(args []string, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("typecheck", flag.ContinueOnError)
	flags.SetOutput(stderr)
	system := flags.String("os", runtime.GOOS, "the `system`, as GOOS has it")
	var modules []string
	flags.Func("C", "a `directory` with a module to check; may be repeated", func(dir string) error {
		modules = append(modules, dir)
		return nil
	})
	if err := flags.Parse(args); err != nil {
		return 2
	}
	if len(modules) == 0 {
		modules = []string{"."}
	}
	c := newChecker()
	for _, dir := range modules {
		all, err := list(dir, *system)
		if err != nil {
			_, _ = fmt.Fprintf(stderr, "typecheck: %s: %v\n", dir, err)
			return 2
		}
		c.module(all)
	}
	for _, problem := range c.problems {
		_, _ = fmt.Fprintln(stdout, problem)
	}
	return min(1, len(c.problems))
}
