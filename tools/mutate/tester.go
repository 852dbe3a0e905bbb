package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"
)

// result is what became of a mutant.
type result uint8

const (
	killed result = iota
	survived
	broken // does not compile
)

func (r result) String() string {
	return [...]string{"killed", "survived", "does not compile"}[r]
}

// tester builds and runs the tests of one package.
type tester struct {
	dir     string
	path    string // import path of the package
	work    string // for overlays and binaries; removed by close
	timeout time.Duration
}

func newTester(ctx context.Context, dir string, timeout time.Duration) (*tester, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("resolve %s: %w", dir, err)
	}
	list := exec.CommandContext(ctx, "go", "list", ".")
	list.Dir = abs
	path, err := list.Output()
	if err != nil {
		return nil, fmt.Errorf("find the package's import path: %w", err)
	}
	work, err := os.MkdirTemp("", "mutate")
	if err != nil {
		return nil, fmt.Errorf("make a place to build in: %w", err)
	}
	return &tester{dir: abs, path: strings.TrimSpace(string(path)), work: work, timeout: timeout}, nil
}

func (t *tester) close() { _ = os.RemoveAll(t.work) }

// baseline runs the tests of the package as it is.
func (t *tester) baseline(ctx context.Context) error {
	binary := filepath.Join(t.work, "baseline.test")
	if out, err := t.build(ctx, binary, ""); err != nil {
		return fmt.Errorf("build: %w\n%s", err, out)
	}
	if _, err := os.Stat(binary); err != nil {
		return errors.New("the package has no tests")
	}
	if out, err := t.test(ctx, binary); err != nil {
		return fmt.Errorf("%w\n%s", err, out)
	}
	return nil
}

// all tests the mutants, some at a time, and returns their results in the same order. It calls done
// for each, one at a time, as they end.
func (t *tester) all(ctx context.Context, mutants []mutant, workers int, done func(mutant, result)) ([]result, error) {
	results := make([]result, len(mutants))
	next := make(chan int)
	var (
		wait  sync.WaitGroup
		mu    sync.Mutex
		first error
	)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	for range max(workers, 1) {
		wait.Go(func() {
			for i := range next {
				r, err := t.one(ctx, i, mutants[i])
				mu.Lock()
				switch {
				case err == nil:
					results[i] = r
					done(mutants[i], r)
				case first == nil:
					first = err
					cancel()
				}
				mu.Unlock()
			}
		})
	}
	for i := range mutants {
		if ctx.Err() != nil {
			break
		}
		next <- i
	}
	close(next)
	wait.Wait()
	if first == nil {
		first = ctx.Err()
	}
	return results, first
}

// one builds and tests a mutant.
func (t *tester) one(ctx context.Context, i int, m mutant) (result, error) {
	base := filepath.Join(t.work, strconv.Itoa(i))
	defer func() {
		for _, ext := range []string{".go", ".json", ".test"} {
			_ = os.Remove(base + ext)
		}
	}()
	if err := os.WriteFile(base+".go", m.apply(), 0o600); err != nil {
		return 0, fmt.Errorf("write a mutant: %w", err)
	}
	overlay, err := json.Marshal(map[string]any{"Replace": map[string]string{m.path: base + ".go"}})
	if err != nil {
		return 0, fmt.Errorf("write an overlay: %w", err)
	}
	if err := os.WriteFile(base+".json", overlay, 0o600); err != nil {
		return 0, fmt.Errorf("write an overlay: %w", err)
	}
	if out, err := t.build(ctx, base+".test", base+".json"); err != nil {
		return broken, errors.Join(ctx.Err(), t.foreignFault(out))
	}
	if _, err := t.test(ctx, base+".test"); err != nil {
		return killed, ctx.Err()
	}
	return survived, nil
}

// foreignFault returns an error when a build failed for another reason than the mutant, say because
// a package that the mutated one imports was being edited.
func (t *tester) foreignFault(out []byte) error {
	for line := range strings.Lines(string(out)) {
		fields := strings.Fields(line)
		if len(fields) > 1 && fields[0] == "#" && fields[1] == t.path {
			return nil
		}
	}
	return fmt.Errorf("build a mutant: not the mutant is at fault:\n%s", out)
}

// build compiles the tests without the symbols that only a debugger reads.
func (t *tester) build(ctx context.Context, binary, overlay string) ([]byte, error) {
	args := []string{"test", "-c", "-vet=off", "-ldflags=-s -w", "-o", binary}
	if overlay != "" {
		args = append(args, "-overlay", overlay)
	}
	cmd := exec.CommandContext(ctx, "go", append(args, ".")...)
	cmd.Dir = t.dir
	return cmd.CombinedOutput()
}

// test runs a test binary as `go test` would: in the package's directory.
func (t *tester) test(ctx context.Context, binary string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, t.timeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, binary, "-test.failfast", "-test.short")
	cmd.Dir = t.dir
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	err := cmd.Run()
	return out.Bytes(), err
}
