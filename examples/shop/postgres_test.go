package main

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"
)

// postgres starts a PostgreSQL server of the machine and returns the URL of its database. Without
// PostgreSQL it skips the test, unless ERRGEN_POSTGRES is "required".
func postgres(t *testing.T) string {
	t.Helper()
	found, _ := filepath.Glob("/usr/lib/postgresql/*/bin/initdb")
	if path, err := exec.LookPath("initdb"); err == nil {
		found = append(found, path)
	}
	if len(found) == 0 {
		require.NotEqual(t, "required", os.Getenv("ERRGEN_POSTGRES"), "PostgreSQL is not installed")
		t.Skip("PostgreSQL is not installed")
	}
	bin := filepath.Dir(found[len(found)-1])
	dir, err := os.MkdirTemp("", "shop")
	require.NoError(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	run := func(name string, args ...string) *exec.Cmd {
		cmd := exec.Command(filepath.Join(bin, name), args...)
		cmd.Dir = dir
		if os.Geteuid() == 0 { // the server refuses to run as root
			u, err := user.Lookup("postgres")
			require.NoError(t, err)
			uid, _ := strconv.Atoi(u.Uid)
			gid, _ := strconv.Atoi(u.Gid)
			require.NoError(t, os.Chown(dir, uid, gid))
			as := &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
			cmd.SysProcAttr = &syscall.SysProcAttr{Credential: as}
		}
		return cmd
	}
	initdb := run("initdb", "-D", "data", "-U", "shop", "-A", "trust", "-N", "--locale=C", "-E", "UTF8")
	out, err := initdb.CombinedOutput()
	require.NoError(t, err, "%s", out)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	port := l.Addr().(*net.TCPAddr).Port
	require.NoError(t, l.Close())
	settings := fmt.Sprintf("-F -p %d -c listen_addresses=127.0.0.1 -c unix_socket_directories=''", port)
	out, err = run("pg_ctl", "-D", "data", "-w", "-t", "60", "-l", "log", "-o", settings, "start").CombinedOutput()
	require.NoError(t, err, "%s", out)
	t.Cleanup(func() { _ = run("pg_ctl", "-D", "data", "-m", "immediate", "stop").Run() })
	return fmt.Sprintf("postgres://shop@127.0.0.1:%d/postgres?sslmode=disable", port)
}

// breakStore makes the statements of a store fail as after a deployment without its migration.
func breakStore(t *testing.T, db *pgxpool.Pool) {
	t.Helper()
	_, err := db.Exec(context.Background(), "DROP TABLE orders")
	require.NoError(t, err)
}
