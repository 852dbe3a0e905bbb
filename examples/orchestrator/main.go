// Orchestrator says which of five categories the failure of a step is, whether trying again can help, which tier takes
// over, and which rule decided.
//
//	cat CLAUDE.md 2>&1 | go run . -exit-code 1
//	go run . -source check -type count -attr expected=5 -attr actual=3 -json
//	go run . -source review -type skipped_steps -profile chains
//
// What was said on the error channel is read from standard input; of a long text the end counts. An error body in
// JSON tells its type, code and message, too. The categories, the order in which they are asked for and what is done about
// them stand in taxonomy.yaml and nowhere else.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"

	"github.com/errgen/errgen/runtime/detect/detectflag"
	"github.com/errgen/errgen/runtime/executor/terminal"

	"orchestrator.example.com/runner/errs"
)

//go:generate go tool errgen generate

func main() {
	err := run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
	if err == nil || errors.Is(err, flag.ErrHelp) {
		return
	}
	fmt.Fprintln(os.Stderr, "orchestrator:", terminal.Printable(err.Error()))
	os.Exit(2)
}

// run says what the failure is that args and in describe, and writes it to out. Only wrong usage and failing input and
// output are errors; usage is written to hints.
func run(args []string, in io.Reader, out, hints io.Writer) error {
	o, err := parse(args, hints)
	if err != nil {
		return err
	}
	text, err := detectflag.ReadEnd(in)
	if err != nil {
		return fmt.Errorf("read standard input: %w", err)
	}
	detectflag.Said(&o.evidence, text)
	table, err := errs.Table.Profile(o.profile)
	if err != nil {
		return err
	}
	r := newReport(table, judge(&o.evidence, table))
	if o.json {
		return r.writeJSON(out)
	}
	return r.writeText(out)
}
