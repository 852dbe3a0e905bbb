// Duyetbot says what a failure of a bot that works on GitHub is: it classifies what it is told by the rules of
// taxonomy.yaml, and says which rule decided.
//
//	go run . -source github -status 403 -attr ratelimit-remaining=0
//	npm test 2>&1 | go run . -source tool -exit-code 1
//	go run . -json -profile fast -source llm <<<'Rate limit exceeded'
//
// What was said on the error channel is read from standard input; of a long text the end counts. An error body in
// JSON tells its type, code and message, too.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"

	"github.com/errgen/errgen/runtime/detect/detectflag"
	"github.com/errgen/errgen/runtime/executor/terminal"

	"bot.example.com/duyetbot/errs"
)

//go:generate go tool errgen generate

func main() {
	err := run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
	if err == nil || errors.Is(err, flag.ErrHelp) {
		return
	}
	fmt.Fprintln(os.Stderr, "duyetbot:", terminal.Printable(err.Error()))
	os.Exit(2)
}

// run classifies what args and in tell, and writes what it came to to out. Only wrong usage and failing input and output are
// errors; usage is written to hints.
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
