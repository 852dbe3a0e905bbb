package notify_test

import (
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/gen/errs"
	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/notify"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// hostile looks like options, markup and code of the three tools' languages.
const hostile = `--help $(touch x) '; "& do shell script \"id\" <b>`

func hostileMessage() notify.Message {
	m := notify.NewMessage(ended(executor.EndFatal, "git", "GIT_REVERT_FAILED", hostile))
	m.Level = slog.LevelError
	return m
}

// The texts are arguments or variables of their own, never a part of a script, and never begin like
// an option.
func TestDesktopCommands(t *testing.T) {
	m := hostileMessage()
	text := "[GIT] Task failed: " + hostile + " (GIT_REVERT_FAILED), task t1"

	c := notify.DesktopCommand("linux", m)
	assert.Equal(t, "notify-send", c.Path)
	escaped := strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&#34;", "'", "&#39;").Replace(text)
	assert.Equal(t, []string{"--app-name=errgen", "--urgency=critical", "--", "errgen: task failed", escaped}, c.Args)

	c = notify.DesktopCommand("darwin", m)
	assert.Equal(t, "osascript", c.Path)
	require.Len(t, c.Args, 4)
	assert.NotContains(t, c.Args[1], "help")
	assert.Equal(t, []string{"errgen: task failed", text}, c.Args[2:])

	c = notify.DesktopCommand("windows", m)
	assert.Equal(t, "powershell.exe", c.Path)
	assert.NotContains(t, strings.Join(c.Args, " "), "help")
	assert.Contains(t, c.Env, "ERRGEN_NOTIFY_TEXT="+text)
	assert.Contains(t, c.Env, "ERRGEN_NOTIFY_ICON=Error")
}

func TestDesktopRunsTheTool(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the tool is a script for Linux")
	}
	dir := t.TempDir()
	script := "#!/bin/sh\nfor a; do echo \"<$a>\"; done >" + filepath.Join(dir, "args") + "\n/usr/bin/env >>" +
		filepath.Join(dir, "args") + "\n"
	require.NoError(t, os.WriteFile(filepath.Join(dir, "notify-send"), []byte(script), 0o700))
	t.Setenv("PATH", dir)
	t.Setenv("DISPLAY", ":7")
	t.Setenv("OPENAI_API_KEY", "planted")
	n := notify.New(notify.Options{}, notify.Route{Channel: notify.NewDesktop()})
	require.NoError(t, n.Notify(t.Context(), ended(executor.EndCompleted, "", "", "")))
	said, err := os.ReadFile(filepath.Join(dir, "args"))
	require.NoError(t, err)
	assert.True(
		t, strings.HasPrefix(
			string(said),
			"<--app-name=errgen>\n<--urgency=low>\n<-->\n<errgen: task completed>\n<Task completed: t1>\n"),
		string(said))
	assert.Contains(t, string(said), "DISPLAY=:7\n")
	assert.NotContains(t, string(said), "planted")

	require.NoError(
		t, os.WriteFile(filepath.Join(dir, "notify-send"), []byte("#!/bin/sh\necho no bus >&2\nexit 3\n"), 0o700))
	ev := joined(t, n.Notify(t.Context(), ended(executor.EndCompleted, "", "", "")))[0]
	assert.Equal(t, taxonomy.Some(3), ev.ExitCode)
	assert.Equal(t, "no bus\n", ev.Text)
	assert.Equal(t, "desktop", ev.Attribute("resource"))
}

func TestDesktopWithoutTool(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	ev := joined(t, notify.New(notify.Options{}, notify.Route{Channel: notify.NewDesktop()}).
		Notify(t.Context(), ended(executor.EndFatal, "", "", "")))[0]
	assert.Equal(t, "not_found", ev.Type)
	assert.Equal(t, "desktop", ev.Attribute("resource"))
	assert.Error(t, errs.Classify(ev))
}
