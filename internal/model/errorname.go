package model

import (
	"errors"
	"fmt"
	"go/token"
	"regexp"
	"slices"
	"strings"
)

// ErrorName is a variable or a type of a Go package, as `is` and `as` name it. The generated
// package imports the package, so the compiler checks that the name exists.
type ErrorName struct {
	Path    string // import path
	Name    string
	Pointer bool
}

// importPath matches the paths that the go command accepts, except relative ones. An element begins
// with neither a dot nor a dash, so a path never leaves the module cache or reads as an option.
var importPath = regexp.MustCompile(`^[A-Za-z0-9_~+][A-Za-z0-9_~+.-]*(/[A-Za-z0-9_~+][A-Za-z0-9_~+.-]*)*$`)

// ParseErrorName parses a name with its full import path: "os/exec.ErrNotFound",
// "*github.com/jackc/pgx/v5/pgconn.PgError".
func ParseErrorName(s string) (ErrorName, error) {
	rest, pointer := strings.CutPrefix(s, "*")
	dot := strings.LastIndexByte(rest, '.')
	if dot < 0 {
		return ErrorName{}, errors.New("a name needs the import path of its package, such as io.EOF")
	}
	name := ErrorName{Path: rest[:dot], Name: rest[dot+1:], Pointer: pointer}
	switch {
	case !importPath.MatchString(name.Path) || strings.HasSuffix(name.Path, ".") || strings.Contains(name.Path, "./"):
		return ErrorName{}, errors.New("the import path is not valid")
	case !strings.ContainsAny(name.Path, "./") && !slices.Contains(standardPackages, name.Path):
		return ErrorName{}, fmt.Errorf("%q is not the import path of a package", name.Path)
	case !token.IsIdentifier(name.Name) || !token.IsExported(name.Name):
		return ErrorName{}, errors.New("the name after the last dot is not exported")
	}
	return name, nil
}

// standardPackages are the packages of the standard library whose import path has one element. Any
// other path of one element cannot be downloaded, and is probably the name of a package.
var standardPackages = strings.Fields(`
	bufio bytes cmp context crypto embed encoding errors expvar flag fmt hash html image io iter log maps math
	mime net os path plugin reflect regexp runtime slices sort strconv strings structs sync syscall testing time
	unicode unique unsafe weak`)

// canonical maps the names of package os to the variables and types that they alias.
var canonical = map[string]string{
	"os.ErrInvalid": "io/fs.ErrInvalid", "os.ErrPermission": "io/fs.ErrPermission", "os.ErrExist": "io/fs.ErrExist",
	"os.ErrNotExist": "io/fs.ErrNotExist", "os.ErrClosed": "io/fs.ErrClosed", "*os.PathError": "*io/fs.PathError",
}

// SameError reports whether two names mean the same error. It resolves only the aliases of the
// standard library.
func SameError(a, b string) bool {
	if full, ok := canonical[a]; ok {
		a = full
	}
	if full, ok := canonical[b]; ok {
		b = full
	}
	return a == b
}
