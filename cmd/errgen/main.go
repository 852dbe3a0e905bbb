// Errgen makes a Go package of an error taxonomy. Run "errgen help" for how to use it.
package main

import (
	"context"
	"os"
	"runtime/debug"

	"github.com/errgen/errgen/internal/cli"
)

func main() {
	// A run is short and most of what it allocates is garbage at once: less collecting is a tenth
	// of its time.
	debug.SetGCPercent(200)
	os.Exit(cli.Run(context.Background(), os.Args[1:], cli.Env{Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr}))
}
