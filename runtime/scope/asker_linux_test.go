package scope_test

import (
	"fmt"
	"io"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/scope"
)

// terminal opens a pseudo terminal: the end of the person, and that of the program.
func terminal(t *testing.T) (person, program *os.File) {
	t.Helper()
	person, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skipf("no pseudo terminals: %v", err)
	}
	t.Cleanup(func() { _ = person.Close() })
	conn, err := person.SyscallConn()
	require.NoError(t, err)
	var number int
	require.NoError(t, conn.Control(func(fd uintptr) {
		if err = unix.IoctlSetPointerInt(int(fd), unix.TIOCSPTLCK, 0); err == nil {
			number, err = unix.IoctlGetInt(int(fd), unix.TIOCGPTN)
		}
	}))
	require.NoError(t, err)
	program, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skipf("no pseudo terminals: %v", err)
	}
	t.Cleanup(func() { _ = program.Close() })
	return person, program
}

// On a real terminal a question can be stopped, and the next one is answered.
func TestAskAtATerminal(t *testing.T) {
	person, program := terminal(t)
	ctx, cancel := contextWithCause(t, "interrupted")
	shown := writerFunc(func([]byte) { cancel() })
	a := scope.NewAsker(scope.AskerConfig{In: program, Out: shown})
	_, err := a.Ask(ctx, executor.Question{Paths: []string{"a"}})
	assert.EqualError(t, err, "interrupted")

	go func() { _, _ = io.WriteString(person, "y\n") }()
	approved, err := a.Ask(t.Context(), executor.Question{Paths: []string{"b"}})
	require.NoError(t, err)
	assert.True(t, approved)
}
