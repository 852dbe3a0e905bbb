// Package devserver starts a development server of Temporal for the tests of a package.
package devserver

import (
	"cmp"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
)

var server struct {
	sync.Mutex
	address, folder string
	cmd             *exec.Cmd
}

// Address returns the address of the server, which all tests of the process share, and starts it
// for the first of them. The caller waits until the server accepts connections. If the Temporal CLI
// is missing, the test is skipped, or fails if ERRGEN_TEMPORAL=required.
func Address(t testing.TB) string {
	t.Helper()
	server.Lock()
	defer server.Unlock()
	if server.cmd != nil {
		return server.address
	}
	program := cli()
	switch {
	case program == "" && os.Getenv("ERRGEN_TEMPORAL") == "required":
		t.Fatal("the Temporal CLI is missing; make temporal builds it")
	case program == "":
		t.Skip("SKIPPED: without the Temporal CLI, no test runs on a real server; make temporal builds it")
	}
	if err := start(program); err != nil {
		t.Fatal(err)
	}
	return server.address
}

// cli returns the path of the Temporal CLI: that of make temporal, or else the installed one.
func cli() string {
	dir, _ := os.Getwd()
	for ; dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		path := filepath.Join(dir, "build", "temporal")
		if _, err := os.Stat(path); err == nil {
			return path
		}
	}
	path, _ := exec.LookPath("temporal")
	return path
}

func start(program string) error {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	server.address = l.Addr().String()
	_, port, _ := net.SplitHostPort(server.address)
	if server.folder, err = os.MkdirTemp("", "errgen-temporal-"); err != nil {
		return cmp.Or(l.Close(), err)
	}
	cmd := exec.Command(program, "server", "start-dev", "--headless", "--port", port, "--log-level", "never",
		"--db-filename", filepath.Join(server.folder, "db"))
	if err := cmp.Or(l.Close(), cmd.Start()); err != nil {
		return err
	}
	server.cmd = cmd
	return nil
}

// Stop ends the server, if it was started. Call it at the end of TestMain.
func Stop() {
	if server.cmd != nil {
		_ = server.cmd.Process.Kill()
		_ = server.cmd.Wait()
		_ = os.RemoveAll(server.folder)
	}
}
