package cli

import (
	_ "embed"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/errgen/errgen/internal/schema"
)

// The taxonomies that init writes.
var (
	//go:embed starter.yaml
	starter []byte
	//go:embed starter_service.yaml
	serviceStarter []byte
	//go:embed starter_agent.yaml
	agentStarter []byte
)

// schemaFile is the schema that a modeline, the first line of serviceStarter and agentStarter, names.
const (
	schemaFile = "errgen.schema.json"
	modeline   = "# yaml-language-server: $schema=./" + schemaFile + "\n"
)

func initFlags(set *flag.FlagSet, o *options) {
	set.BoolVar(&o.service, "service", false, "write a taxonomy for a service, and its schema")
	set.BoolVar(&o.agent, "agent", false, "write a taxonomy for a program that runs agents, and its schema")
}

func (s *session) init(o *options, args []string) error {
	name, content, page := defaultFile, starter, ""
	switch {
	case o.service && o.agent:
		return usagef("-service and -agent are two taxonomies, so choose one")
	case o.service:
		content, page = serviceStarter, "services.md"
	case o.agent:
		content, page = agentStarter, "agents.md"
	}
	if len(args) > 0 {
		name = args[0]
	}
	if name == stdinArg {
		return s.write(content)
	}
	if err := createFile(s.path(name), content); err != nil {
		return fmt.Errorf("write starter taxonomy: %s: %w", name, cause(err))
	}
	wrote, manual := name, ""
	if page != "" {
		manual = fmt.Sprintf(furtherSteps, page)
		beside := filepath.Join(filepath.Dir(name), schemaFile)
		switch err := createFile(s.path(beside), schema.JSON(nil)); {
		case err == nil:
			wrote += " and " + beside
		case !errors.Is(err, fs.ErrExist):
			return fmt.Errorf("write schema: %s: %w", beside, cause(err))
		}
	}
	return s.printf(nextSteps, wrote, name, argument(name), manual)
}

// argument returns the argument that names the file, with a leading space, or "" for the default
// file.
func argument(name string) string {
	if name == defaultFile {
		return ""
	}
	return " " + name
}

const nextSteps = `wrote %[1]s; next:

  edit %[2]s to declare the errors of your program
  //go:generate go tool errgen generate%[3]s
                   a line like this in one of your Go files lets "go generate" write the package
  go generate ./...
  go mod tidy
  go test ./...    runs the tests that were generated, too
%[4]s`

// furtherSteps name the page that continues with a taxonomy for a kind of program.
const furtherSteps = `
The program around it, from here on:
https://github.com/errgen/errgen/blob/main/docs/%s
`

// createFile writes a file that does not exist yet. If it fails, it leaves no file.
func createFile(path string, content []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	_, err = f.Write(content)
	if err := errors.Join(err, f.Close()); err != nil {
		return errors.Join(err, os.Remove(path))
	}
	return nil
}
