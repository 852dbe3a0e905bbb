// Testsum runs go test in one module after another and says what came of it: the lines that go test
// prints for its packages, the output of the tests that failed, and one last line of the form "N
// passed, N failed". It exits with 1 when anything failed and with 2 when go test could not be run.
//
// Usage:
//
//	testsum [-o summary] [-C module]... [-- arguments of go test]
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
)

func main() {
	os.Exit(run(os.Args[1:], os.Stdout, os.Stderr))
}

func run(args []string, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("testsum", flag.ContinueOnError)
	flags.SetOutput(stderr)
	file := flags.String("o", "", "also write the last line to `file`")
	modules := directories{}
	flags.Var(&modules, "C", "a `directory` with a module to test; may be repeated")
	if err := flags.Parse(args); err != nil {
		return 2
	}
	if len(modules) == 0 {
		modules = directories{"."}
	}
	var total tally
	for _, dir := range modules {
		if err := testModule(dir, flags.Args(), &total, stdout, stderr); err != nil {
			_, _ = fmt.Fprintf(stderr, "testsum: %v\n", err)
			return 2
		}
	}
	line := total.String()
	if *file != "" {
		if err := os.WriteFile(*file, []byte(line+"\n"), 0o644); err != nil {
			_, _ = fmt.Fprintf(stderr, "testsum: write the summary: %v\n", err)
			return 2
		}
	}
	_, _ = fmt.Fprintln(stdout, line)
	if total.failed > 0 {
		return 1
	}
	return 0
}

// testModule runs go test in dir and adds what it reports to total.
func testModule(dir string, args []string, total *tally, stdout, stderr io.Writer) error {
	cmd := exec.Command("go", append([]string{"test", "-json"}, args...)...)
	cmd.Dir = dir
	cmd.Stderr = stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("run go test in %s: %w", dir, err)
	}
	before := *total
	readErr := total.read(out, stdout)
	waitErr := cmd.Wait()
	if readErr != nil {
		return fmt.Errorf("read what go test says in %s: %w", dir, readErr)
	}
	var exit *exec.ExitError
	if waitErr != nil && !errors.As(waitErr, &exit) {
		return fmt.Errorf("run go test in %s: %w", dir, waitErr)
	}
	// A run that fails must never look like one that passes, whatever its events say.
	if waitErr != nil && total.failed == before.failed {
		total.failed++
	}
	if waitErr == nil && total.packages == before.packages {
		return fmt.Errorf("go test in %s tested nothing", dir)
	}
	return nil
}

// directories is a flag that may be repeated.
type directories []string

func (d *directories) String() string { return strings.Join(*d, " ") }

func (d *directories) Set(s string) error {
	*d = append(*d, s)
	return nil
}
