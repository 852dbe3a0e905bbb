//go:build unix

package gittree_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/errgen/errgen/runtime/gittree"
)

// A change is found, saved and reverted.
func Example() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "tree")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	for _, args := range [][]string{
		{"init", "-q"}, {"-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "--allow-empty", "-m", "begin"},
	} {
		if out, err := exec.Command("git", append([]string{"-C", dir}, args...)...).CombinedOutput(); err != nil {
			panic(string(out))
		}
	}

	space, err := gittree.Open(ctx, dir, "run-1", gittree.Options{})
	if err != nil {
		panic(err)
	}
	defer space.Close(true)
	before, err := space.Snapshot(ctx)
	if err != nil {
		panic(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "a.txt"), []byte("hello\n"), 0o600); err != nil { // by an agent
		panic(err)
	}
	after, err := space.Snapshot(ctx)
	if err != nil {
		panic(err)
	}
	changes, err := space.Diff(ctx, before, after)
	fmt.Println(changes[0].Path, changes[0].Kind, err)

	if _, err := space.Save(ctx, "1", before, after); err != nil {
		panic(err)
	}
	_, err = space.Restore(ctx, before, []string{"a.txt"})
	_, missing := os.Stat(filepath.Join(dir, "a.txt"))
	fmt.Println(err, os.IsNotExist(missing))
	// Output:
	// a.txt added <nil>
	// <nil> true
}
