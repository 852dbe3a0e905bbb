package verify

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
	"time"

	"github.com/errgen/errgen/runtime/detect"
	"github.com/errgen/errgen/runtime/executor/plan"
	"github.com/errgen/errgen/runtime/internal/text"
	"github.com/errgen/errgen/runtime/taxonomy"
)

const dialTimeout = 5 * time.Second

// Needs returns evidence for each missing prerequisite: the type not_found, denied, unset_variable,
// network or timeout, with the attributes kind and name. It never contains the value of a variable.
func (f *Facts) Needs(ctx context.Context, op string, needs []plan.Need) []*taxonomy.Evidence {
	return f.within(func(f *Facts) []*taxonomy.Evidence { return f.needs(ctx, op, needs) })
}

func (f *Facts) needs(ctx context.Context, op string, needs []plan.Need) []*taxonomy.Evidence {
	var found []*taxonomy.Evidence
	for i := range needs {
		kind, name := needs[i].Kind()
		typ, err := f.missing(ctx, kind, name)
		if typ == "" && err == nil {
			continue
		}
		ev := taxonomy.Evidence{}
		if err != nil {
			ev = detect.Of(err)
		}
		if typ != "" {
			ev.Type = typ
		}
		ev.Source, ev.Op = "plan", op
		ev.Text = fmt.Sprintf("the %s %s is missing", kind, text.OneLine(name, maxText))
		if ev.Type != "not_found" && err != nil {
			ev.Text += ": " + text.OneLine(err.Error(), maxText)
		}
		if needs[i].For != "" {
			ev.Text += " (" + text.OneLine(needs[i].For, maxText) + ")"
		}
		ev.Attributes = map[string]string{"kind": kind, "name": name}
		if kind == "file" || kind == "directory" {
			ev.Files = []string{name}
		}
		found = append(found, &ev)
		if ctx.Err() != nil {
			break
		}
	}
	return found
}

// missing returns the type of the evidence and its error. Both are empty if the prerequisite
// exists. For an address, only the error is set, and the type comes from it.
func (f *Facts) missing(ctx context.Context, kind, name string) (string, error) {
	switch kind {
	case "file", "directory":
		return typeOf(f.inTree(kind, path.Clean(name)))
	case "program":
		return typeOf(f.program(name))
	case "env":
		if os.Getenv(name) == "" {
			return "unset_variable", nil
		}
	case "address":
		dialer := net.Dialer{Timeout: dialTimeout}
		conn, err := dialer.DialContext(ctx, "tcp", name)
		if err != nil {
			return "", err
		}
		_ = conn.Close()
	}
	return "", nil
}

// typeOf returns the type of the evidence of an error, and the error.
func typeOf(err error) (string, error) {
	switch {
	case err == nil:
		return "", nil
	case errors.Is(err, fs.ErrPermission):
		return "denied", err
	}
	return "not_found", err
}

func (f *Facts) inTree(kind, name string) error {
	if kind == "file" {
		file, err := f.openFile(name)
		if err == nil {
			_ = file.Close()
		}
		return err
	}
	info, err := f.root.Stat(name)
	if err == nil && !info.IsDir() {
		return errors.New("it is a file")
	}
	return err
}

// program checks that a program is in PATH. A name with a slash is a file of the tree.
func (f *Facts) program(name string) error {
	if strings.Contains(name, "/") && !filepath.IsAbs(name) {
		info, err := f.root.Stat(path.Clean(name))
		switch {
		case err != nil:
			return err
		case info.IsDir() || info.Mode()&0o111 == 0:
			return fs.ErrPermission
		}
		return nil
	}
	_, err := exec.LookPath(name)
	return err
}
