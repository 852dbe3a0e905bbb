// Errgenvet infers which errors the functions of a program return. Run "errgenvet help" for how to
// use it. The go command runs it as a tool of go vet.
package main

import (
	"context"
	"os"
	"runtime/debug"
	"strings"

	"golang.org/x/tools/go/analysis/unitchecker"

	"github.com/errgen/errgen/vet"
	"github.com/errgen/errgen/vet/internal/command"
)

func main() {
	args := os.Args[1:]
	if vets(args) {
		debug.SetGCPercent(400) // a process for each package
		unitchecker.Main(vet.Analyzer)
	}
	debug.SetGCPercent(75) // programs are large, and memory costs more than the time of collecting
	os.Exit(command.Run(context.Background(), args, command.Env{Stdout: os.Stdout, Stderr: os.Stderr}))
}

// vets reports whether the go command runs the program: to ask for its version or flags, or with a
// configuration file.
func vets(args []string) bool {
	return len(args) > 0 && (strings.HasPrefix(args[0], "-V") || args[0] == "-flags" ||
		strings.HasSuffix(args[len(args)-1], ".cfg"))
}
