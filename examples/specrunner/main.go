// Specrunner says which of eight codes the failure of an attempt at a task is, what follows from it, and which rule
// decided.
//
//	claude -p "$prompt" 2>&1 >answer.txt | go run . -exit-code 1 -output answer.txt
//	go run . -source post_done -type tests -output failed.txt -json
//	go run . -type timeout -attr limit=30m -profile phase1
//
// What was said on the error channel is read from standard input; of a long text the end counts. An error body in
// JSON tells its type, code and message, too. The codes, how they are recognised and what is done about them stand in
// taxonomy.yaml and nowhere else.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"

	"specrunner.example.com/runner/errs"
)

//go:generate go tool errgen generate

func main() {
	err := run(os.Args[1:], piped(os.Stdin), os.Stdout, os.Stderr)
	if err == nil || errors.Is(err, flag.ErrHelp) {
		return
	}
	fmt.Fprintln(os.Stderr, "specrunner:", printable(err.Error()))
	os.Exit(2)
}

// run says what the failure is that args and in describe, and writes it to out. Only wrong usage and failing input and
// output are errors; usage is written to hints.
func run(args []string, in io.Reader, out, hints io.Writer) error {
	o, err := parse(args, hints)
	if err != nil {
		return err
	}
	text, err := tail(in, textLimit)
	if err != nil {
		return fmt.Errorf("read standard input: %w", err)
	}
	heard(&o.evidence, text)
	if o.evidence.Output, err = readTail(o.output); err != nil {
		return err
	}
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
