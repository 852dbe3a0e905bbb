package proc

import (
	"os"
	"runtime"
	"slices"
	"strings"
)

// safe are the variables that programs need. None of them is a secret.
var safe = []string{"PATH", "HOME", "LANG", "LANGUAGE", "TMPDIR", "TERM", "USER", "LOGNAME", "SHELL", "TZ"}

// safeWindows are further variables that programs on Windows need.
var safeWindows = []string{
	"SYSTEMROOT", "SYSTEMDRIVE", "WINDIR", "COMSPEC", "PATHEXT", "TEMP", "TMP", "USERPROFILE", "USERNAME", "HOMEDRIVE",
	"HOMEPATH", "APPDATA", "LOCALAPPDATA", "PROGRAMDATA", "PROGRAMFILES", "NUMBER_OF_PROCESSORS", "OS",
}

// SafeEnv returns the part of this process's environment that a program may have that is not
// trusted: the locations of programs, home and temporary files, the language and the terminal. It
// contains no API keys. The variables of extra follow: "NAME=value" sets a variable, and "NAME"
// passes the value of this process, if it has one.
func SafeEnv(extra ...string) []string {
	var env []string
	for _, entry := range os.Environ() {
		if name, _, ok := strings.Cut(entry, "="); ok && isSafe(name) {
			env = append(env, entry)
		}
	}
	for _, entry := range extra {
		if strings.Contains(entry, "=") {
			env = append(env, entry)
		} else if value, ok := os.LookupEnv(entry); ok {
			env = append(env, entry+"="+value)
		}
	}
	return env
}

func isSafe(name string) bool {
	if runtime.GOOS == "windows" {
		name = strings.ToUpper(name) // names have no case
		if slices.Contains(safeWindows, name) {
			return true
		}
	}
	return slices.Contains(safe, name) || strings.HasPrefix(name, "LC_")
}
