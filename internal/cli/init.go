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

// starter is what init writes.
//
//go:embed starter.yaml
var starter []byte

// serviceStarter is what init writes with -service.
//
//go:embed starter_service.yaml
var serviceStarter []byte

// schemaFile is the schema that a modeline, the first line of serviceStarter, names.
const (
	schemaFile = "errgen.schema.json"
	modeline   = "# yaml-language-server: $schema=./" + schemaFile + "\n"
)

func initFlags(set *flag.FlagSet, o *options) {
	set.BoolVar(&o.service, "service", false, "write a taxonomy for a service, and its schema")
}

func (s *session) init(o *options, args []string) error {
	name, starter := defaultFile, starter
	if o.service {
		starter = serviceStarter
	}
	if len(args) > 0 {
		name = args[0]
	}
	if name == stdinArg {
		return s.write(starter)
	}
	if err := createFile(s.path(name), starter); err != nil {
		return fmt.Errorf("write starter taxonomy: %s: %w", name, cause(err))
	}
	wrote, manual := name, ""
	if o.service {
		manual = serviceSteps
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

// serviceSteps are the further steps of a service.
const serviceSteps = `
How the service sends, logs and retries these errors:
https://github.com/errgen/errgen/blob/main/docs/services.md
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
