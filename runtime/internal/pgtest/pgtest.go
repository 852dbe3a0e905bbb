// Package pgtest starts PostgreSQL servers for tests.
package pgtest

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Start starts a server of the machine and returns the URL of its database. Without PostgreSQL it
// skips the test, unless ERRGEN_POSTGRES is "required".
func Start(t testing.TB, settings ...string) string {
	t.Helper()
	found, _ := filepath.Glob("/usr/lib/postgresql/*/bin/initdb")
	if path, err := exec.LookPath("initdb"); err == nil {
		found = append(found, path)
	}
	if len(found) == 0 {
		if os.Getenv("ERRGEN_POSTGRES") == "required" {
			t.Fatal("PostgreSQL is not installed")
		}
		t.Skip("PostgreSQL is not installed")
	}
	bin := filepath.Dir(found[len(found)-1])
	dir, err := os.MkdirTemp("", "pgtest")
	check(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	command := func(name string, args ...string) *exec.Cmd {
		cmd := exec.Command(filepath.Join(bin, name), args...)
		cmd.Dir = dir
		check(t, asUser(cmd, dir))
		return cmd
	}
	run(t, command("initdb", "-D", "data", "-U", "test", "-A", "trust", "-N", "--locale=C", "-E", "UTF8"))
	l, err := net.Listen("tcp", "127.0.0.1:0")
	check(t, err)
	port := l.Addr().(*net.TCPAddr).Port
	check(t, l.Close())
	o := fmt.Sprintf("-F -p %d -c listen_addresses=127.0.0.1 -c unix_socket_directories=''", port)
	for _, s := range settings {
		o += " -c " + s
	}
	run(t, command("pg_ctl", "-D", "data", "-w", "-t", "60", "-l", "log", "-o", o, "start"))
	t.Cleanup(func() { _ = command("pg_ctl", "-D", "data", "-m", "immediate", "stop").Run() })
	return fmt.Sprintf("postgres://test@127.0.0.1:%d/postgres?sslmode=disable", port)
}

func run(t testing.TB, cmd *exec.Cmd) {
	t.Helper()
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", strings.Join(cmd.Args, " "), err, out)
	}
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
