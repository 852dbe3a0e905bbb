//go:build unix

package vet_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// BenchmarkVet measures errgenvet as a command on the runtime and on a service of 100,000 lines,
// without `go list`, and as a tool of go vet, against `go vet`. Everything else is compiled before.
func BenchmarkVet(b *testing.B) {
	tool := build(b, "a")
	service := b.TempDir()
	lines := writeService(b, service)
	for _, c := range []struct{ name, dir, pattern string }{
		{"runtime", "..", "./runtime/..."}, {"service", service, "./..."},
	} {
		list := []string{"list", "-e", "-export", "-compiled", "-deps", "-json=Export,CompiledGoFiles", c.pattern}
		measure(b, c.dir, "go", list...)
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				listed := measure(b, c.dir, "go", list...)
				used := measure(b, c.dir, tool, c.pattern)
				b.ReportMetric((used.wall - listed.wall).Seconds(), "s-without-list/op")
				b.ReportMetric((used.cpu - listed.cpu).Seconds(), "cpu-s-without-list/op")
				b.ReportMetric(float64(used.memory)/1e3, "MB/op")
			}
		})
	}
	b.Run("tool", func(b *testing.B) {
		vet := func(arg string) usage { return measure(b, service, "go", "vet", arg, "./...") }
		for b.Loop() { // other flags and another tool, so that no result is in the cache
			run := strconv.FormatInt(time.Now().UnixNano(), 36)
			reference, used := vet("-printf.funcs=f"+run), vet("-vettool="+build(b, run))
			b.ReportMetric(used.cpu.Seconds()/reference.cpu.Seconds(), "of-go-vet's-cpu/op")
			b.ReportMetric(used.wall.Seconds()/reference.wall.Seconds(), "of-go-vet's-time/op")
			b.ReportMetric(float64(lines), "lines/op")
		}
	})
}

func build(b *testing.B, id string) string {
	b.Helper()
	tool := filepath.Join(b.TempDir(), "errgenvet")
	out, err := exec.Command("go", "build", "-ldflags=-buildid="+id, "-o", tool, "./cmd/errgenvet").CombinedOutput()
	require.NoError(b, err, "%s", out)
	return tool
}

// usage is what a command and the commands that it runs used. The memory is that of the largest
// one, in KB.
type usage struct {
	wall, cpu time.Duration
	memory    int64
}

func measure(b *testing.B, dir, name string, args ...string) usage {
	b.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	var text strings.Builder
	cmd.Stderr = &text
	began := time.Now()
	err := cmd.Run()
	wall := time.Since(began)
	require.NoError(b, err, "%s", text.String())
	s := cmd.ProcessState
	return usage{wall, s.UserTime() + s.SystemTime(), s.SysUsage().(*syscall.Rusage).Maxrss}
}

// writeService writes a service with a package for each of its domains, which has a store, a
// service and handlers, and calls another package. It returns the number of lines.
func writeService(b *testing.B, dir string) (lines int) {
	b.Helper()
	write := func(name, text string) {
		file := filepath.Join(dir, name)
		require.NoError(b, os.MkdirAll(filepath.Dir(file), 0o700))
		require.NoError(b, os.WriteFile(file, []byte(text), 0o600))
		if strings.HasSuffix(name, ".go") && !strings.HasPrefix(name, "errs/") {
			lines += strings.Count(text, "\n")
		}
	}
	root, err := filepath.Abs("..")
	require.NoError(b, err)
	write("go.mod", fmt.Sprintf("module service.example.com\n\ngo 1.26.0\n\n"+
		"require github.com/errgen/errgen v0.0.0\n\nreplace github.com/errgen/errgen => %s\n", root))
	for _, pattern := range []string{"../examples/shop/errs/*_gen.go", "../go.sum"} {
		files, err := filepath.Glob(pattern)
		require.NoError(b, err)
		for _, file := range files {
			src, err := os.ReadFile(file)
			require.NoError(b, err)
			name := filepath.Base(file)
			if strings.HasSuffix(name, ".go") {
				name = "errs/" + name
			}
			write(name, string(src))
		}
	}
	for d := 0; lines < 100_000; d++ {
		pkg := fmt.Sprintf("d%03d", d)
		before := fmt.Sprintf("d%03d", d/2)
		imports := "\t\"service.example.com/" + before + "\"\n"
		field, call := "\tbefore *"+before+".Service\n", "s.before"
		if d == 0 {
			imports, field, call = "", "", "s.store"
		}
		parts := []string{strings.NewReplacer("PKG", pkg, "IMPORTS\n", imports, "FIELD\n", field).Replace(serviceHead)}
		routes := ""
		for _, noun := range []string{"Order", "Item", "Invoice", "Customer", "Parcel", "Refund"} {
			parts = append(parts, strings.NewReplacer("NOUN", noun, "BEFORE", call).Replace(serviceEntity))
			routes += strings.NewReplacer("NOUN", noun, "PKG", pkg).Replace(serviceRoutes)
		}
		parts = append(parts, "// Routes serves the package.\nfunc Routes(mux *http.ServeMux, s *Service) {\n"+
			"\toptions := []problem.Option{problem.ByTable(errs.Table)}\n"+routes+"}\n")
		write(pkg+"/service.go", strings.Join(parts, "\n"))
	}
	measure(b, dir, "go", "list", "-mod=mod", "-deps", "./...") // completes go.mod
	return lines
}

const serviceHead = `// Package PKG is a domain.
package PKG

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"

	"github.com/errgen/errgen/runtime/dberr"
	"github.com/errgen/errgen/runtime/problem"
	"github.com/errgen/errgen/runtime/retry"
	"service.example.com/errs"
IMPORTS
)

// Database is what a store needs.
type Database interface {
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
}

// Store keeps everything.
type Store struct{ DB Database }

// Service has the rules.
type Service struct {
	store *Store
FIELD
	last error
}

func classified(err error) error { return dberr.Classify(errs.Table, errs.SourcePostgres, err, false) }
`

const serviceEntity = `// NOUN is a row.
type NOUN struct {
	ID, Name string
	Cents    int64
}

// GetNOUN reads a row.
func (s *Store) GetNOUN(ctx context.Context, id string) (*NOUN, error) {
	var x NOUN
	err := s.DB.QueryRowContext(ctx, "SELECT id, name, cents FROM NOUN WHERE id = $1", id).Scan(&x.ID, &x.Name, &x.Cents)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, errs.NewOrderNotFound(id).WithCause(err)
	}
	if err != nil {
		return nil, classified(err)
	}
	return &x, nil
}

// PutNOUN inserts a row.
func (s *Store) PutNOUN(ctx context.Context, x NOUN) error {
	result, err := s.DB.ExecContext(ctx, "INSERT INTO NOUN VALUES ($1, $2, $3)", x.ID, x.Name, x.Cents)
	if err != nil {
		return classified(err)
	}
	n, err := result.RowsAffected()
	if err != nil {
		return fmt.Errorf("insert: %w", classified(err))
	}
	if n == 0 {
		return errs.NewOrderExists(x.ID)
	}
	return nil
}

// CloseNOUN updates a row.
func (s *Store) CloseNOUN(ctx context.Context, id string) (err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("close %s: %w", id, err)
		}
	}()
	result, err := s.DB.ExecContext(ctx, "UPDATE NOUN SET closed = true WHERE id = $1", id)
	if err != nil {
		return classified(err)
	}
	if n, _ := result.RowsAffected(); n == 0 {
		return errs.NewOrderClosed(id)
	}
	return nil
}

// GetNOUN returns a row.
func (s *Service) GetNOUN(ctx context.Context, id string) (*NOUN, error) {
	x, err := s.store.GetNOUN(ctx, id)
	switch {
	case errors.Is(err, errs.CodeOrderNotFound):
		if _, err := BEFORE.GetNOUN(ctx, id); err != nil {
			return nil, err
		}
		return &NOUN{ID: id}, nil
	case err != nil:
		s.last = err
		return nil, err
	}
	return x, nil
}

// PlaceNOUN stores a row, again if that helps.
func (s *Service) PlaceNOUN(ctx context.Context, x NOUN) error {
	if x.ID == "" {
		return errs.NewInvalid(nil)
	}
	err := retry.Do(ctx, func(ctx context.Context) error { return s.store.PutNOUN(ctx, x) }, retry.ByTable(errs.Table))
	if errors.Is(err, errs.CodeOrderExists) {
		return nil
	}
	if err != nil {
		return err
	}
	if _, err := BEFORE.GetNOUN(ctx, x.ID); err != nil && !errors.Is(err, errs.CodeOrderNotFound) {
		return fmt.Errorf("place: %w", err)
	}
	return nil
}

// CloseNOUN closes a row.
func (s *Service) CloseNOUN(ctx context.Context, id string) error {
	x, err := s.GetNOUN(ctx, id)
	if err != nil {
		return err
	}
	if x.Cents > 0 {
		return errs.NewOrderClosed(id)
	}
	if oe, ok := errors.AsType[*errs.OrderError](s.store.CloseNOUN(ctx, id)); ok && oe.Code() != errs.CodeOrderClosed {
		return oe
	}
	return errors.Join(s.last, BEFORE.CloseNOUN(ctx, id))
}

func (s *Service) serveGetNOUN(w http.ResponseWriter, r *http.Request) error {
	x, err := s.GetNOUN(r.Context(), r.PathValue("id"))
	if err != nil {
		return err
	}
	return json.NewEncoder(w).Encode(x)
}

func (s *Service) servePlaceNOUN(w http.ResponseWriter, r *http.Request) error {
	var x NOUN
	if err := problem.DecodeJSON(r, &x); err != nil {
		return errs.NewInvalid(nil).WithCause(err)
	}
	return s.PlaceNOUN(r.Context(), x)
}

func (s *Service) serveCloseNOUN(w http.ResponseWriter, r *http.Request) error {
	return s.CloseNOUN(r.Context(), r.PathValue("id"))
}
`

const serviceRoutes = `	mux.Handle("GET /PKG/NOUN/{id}", problem.Handler(s.serveGetNOUN, options...))
	mux.Handle("POST /PKG/NOUN", problem.Handler(s.servePlaceNOUN, options...))
	mux.Handle("DELETE /PKG/NOUN/{id}", problem.Handler(s.serveCloseNOUN, options...))
`
