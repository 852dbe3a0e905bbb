package state

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"testing"
)

// JournalChild returns a process that holds a run of a file until it dies.
func JournalChild(t testing.TB, path, run string) *exec.Cmd {
	return childCommand(t, "journal", path, run)
}

func journalChild(args []string) error {
	ctx := context.Background()
	s, err := Open(ctx, args[0], Options{})
	if err != nil {
		return err
	}
	if _, err := s.Journal().Open(ctx, args[1]); err != nil {
		return err
	}
	fmt.Println("held")
	_, err = os.Stdin.Read(make([]byte, 1))
	return err
}
