// Errgen makes a Go package of an error taxonomy. Run "errgen help" for how to use it.
package main

import (
	"context"
	"os"

	"github.com/errgen/errgen/internal/cli"
)

func main() {
	os.Exit(cli.Run(context.Background(), os.Args[1:], cli.Env{Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr}))
}
