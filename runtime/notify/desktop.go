package notify

import (
	"context"
	"fmt"
	"html"
	"log/slog"
	"runtime"
	"strings"

	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/proc"
)

// desktop shows messages with the system's own tool.
type desktop struct{ system string }

// NewDesktop returns the channel "desktop", which shows each message on this machine's desktop: by
// notify-send, by osascript on macOS, by PowerShell on Windows. Where the tool is missing, sending
// fails with evidence of type not_found.
func NewDesktop() Channel { return desktop{runtime.GOOS} }

// Name returns "desktop".
func (desktop) Name() string { return "desktop" }

// Send runs the tool.
func (d desktop) Send(ctx context.Context, m Message) error {
	c := d.command(m)
	said := proc.NewTail(4 << 10)
	c.Stdout, c.Stderr = said, said
	exit, err := proc.Run(ctx, c)
	ev := proc.Failure("notify", "notify", c.Path, exit, err)
	if ev == nil {
		return nil
	}
	if err == nil {
		ev.Text = said.String()
	}
	return ev
}

// Scripts that never change; what they show comes in as data.
const (
	appleScript = `on run argv
display notification (item 2 of argv) with title (item 1 of argv)
end run`
	powerShell = `Add-Type -AssemblyName System.Windows.Forms
$icon = New-Object System.Windows.Forms.NotifyIcon
$icon.Icon = [System.Drawing.SystemIcons]::Information
$icon.Visible = $true
$icon.ShowBalloonTip(5000, $env:ERRGEN_NOTIFY_TITLE, $env:ERRGEN_NOTIFY_TEXT, $env:ERRGEN_NOTIFY_ICON)
Start-Sleep -Seconds 5
$icon.Dispose()`
)

// command returns the tool with its arguments. No text of the message can become an option, since
// both texts begin with words of our own, and none is ever part of a script.
func (d desktop) command(m Message) proc.Command {
	heading := "errgen: task " + string(m.Status)
	text := body(m)
	switch d.system {
	case "darwin":
		return proc.Command{Path: "osascript", Args: []string{"-e", appleScript, heading, text}, Env: proc.SafeEnv()}
	case "windows":
		return proc.Command{
			Path: "powershell.exe", Args: []string{"-NoProfile", "-NonInteractive", "-Command", powerShell},
			Env: append(proc.SafeEnv(),
				"ERRGEN_NOTIFY_TITLE="+heading, "ERRGEN_NOTIFY_TEXT="+text, "ERRGEN_NOTIFY_ICON="+icon(m.Level)),
		}
	}
	return proc.Command{
		Path: "notify-send",
		Args: []string{"--app-name=errgen", "--urgency=" + urgency(m.Level), "--", heading, html.EscapeString(text)},
		Env:  proc.SafeEnv("DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY", "XDG_RUNTIME_DIR", "DBUS_SESSION_BUS_ADDRESS"),
	}
}

// body returns the message with what else fits on a desktop.
func body(m Message) string {
	text := m.Text
	if m.Code != "" {
		text += " (" + m.Code + ")"
	}
	if m.Status != executor.StatusCompleted && m.Task != "" && !strings.Contains(text, m.Task) {
		text += fmt.Sprintf(", task %s", m.Task)
	}
	return text
}

func urgency(l slog.Level) string {
	switch {
	case l >= slog.LevelError:
		return "critical"
	case l >= slog.LevelWarn:
		return "normal"
	}
	return "low"
}

func icon(l slog.Level) string {
	switch {
	case l >= slog.LevelError:
		return "Error"
	case l >= slog.LevelWarn:
		return "Warning"
	}
	return "Info"
}
