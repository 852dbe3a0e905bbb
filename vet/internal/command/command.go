// Package command is the errgenvet command. Streams, directory and context are parameters, so that
// tests run the command in their process.
package command

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"path/filepath"

	"github.com/errgen/errgen/vet/internal/program"
)

// The exit status.
const (
	exitClean    = 0
	exitFindings = 1
	exitTrouble  = 2
)

const usage = `errgenvet infers which errors the functions of a Go program return.

usage:
  errgenvet [check] [-format text|json|github|sarif] [packages]   print findings
  errgenvet codes [-all] [packages]      print the codes of exported functions, handlers and methods
  errgenvet uses [packages]              print as JSON which codes the program handles, how and where
  errgenvet fix [-entries] FUNCTION...   write contracts //errgen:errors from what is inferred
  go vet -vettool=$(go tool -n errgenvet) ./...

All commands take -C DIR. Check and codes take -vta, which resolves the calls of interfaces by the
types that reach them. Packages are those of the go command; the default is ./...
`

// Env has the surroundings of the command.
type Env struct {
	Stdout, Stderr io.Writer
	Dir            string // base of relative paths; empty is the process's working directory
}

// errFindings ends a command that has printed findings.
var errFindings = errors.New("findings")

// errUsage ends a command whose flags were wrong, which package flag has printed.
var errUsage = errors.New("usage")

// Run runs the command and returns its exit status. The arguments are without the program's name.
func Run(ctx context.Context, args []string, env Env) int {
	commands := map[string]func(*session) error{
		"check": (*session).check, "codes": (*session).codes, "uses": (*session).uses, "fix": (*session).fix,
	}
	s := &session{ctx: ctx, Env: env, name: "check"}
	if len(args) > 0 && (args[0] == "help" || args[0] == "-h" || args[0] == "-help" || args[0] == "--help") {
		fmt.Fprint(env.Stdout, usage)
		return exitClean
	}
	if len(args) > 0 && commands[args[0]] != nil {
		s.name, args = args[0], args[1:]
	}
	err := s.parse(args)
	if err == nil {
		err = commands[s.name](s)
	}
	switch {
	case err == nil:
		return exitClean
	case errors.Is(err, errFindings):
		return exitFindings
	case !errors.Is(err, errUsage):
		fmt.Fprintln(env.Stderr, "errgenvet:", err)
	}
	return exitTrouble
}

// session is one run of a command.
type session struct {
	Env
	ctx  context.Context
	name string

	args              []string
	dir, format       string
	all, vta, entries bool
}

func (s *session) parse(args []string) error {
	flags := flag.NewFlagSet("errgenvet "+s.name, flag.ContinueOnError)
	flags.SetOutput(s.Stderr)
	flags.Usage = func() { fmt.Fprint(s.Stderr, usage) }
	flags.StringVar(&s.dir, "C", "", "work in this directory")
	switch s.name {
	case "check":
		flags.StringVar(&s.format, "format", "text", "text, json, github or sarif")
		flags.BoolVar(&s.vta, "vta", false, "resolve interfaces by the types that reach them")
	case "codes":
		flags.BoolVar(&s.all, "all", false, "also functions that are not exported")
		flags.BoolVar(&s.vta, "vta", false, "resolve interfaces by the types that reach them")
	case "fix":
		flags.BoolVar(&s.entries, "entries", false, "all handlers and remote methods")
	}
	if err := flags.Parse(args); err != nil {
		return errUsage
	}
	s.args = flags.Args()
	if s.dir == "" || !filepath.IsAbs(s.dir) {
		s.dir = filepath.Join(s.Dir, s.dir)
	}
	if s.dir == "" {
		s.dir = "."
	}
	return nil
}

// load loads the program.
func (s *session) load(patterns []string) (*program.Program, error) {
	if len(patterns) == 0 {
		patterns = []string{"./..."}
	}
	p, err := program.Load(s.ctx, program.Options{Dir: s.dir, Patterns: patterns, Dependencies: true, VTA: s.vta})
	if err != nil {
		return nil, err
	}
	if p.Open {
		return nil, fmt.Errorf("the inference did not end after %d rounds: please report the program", p.Rounds)
	}
	if len(p.Known) == 0 {
		return nil, errors.New("no package here imports a package that errgen generated")
	}
	return p, nil
}
