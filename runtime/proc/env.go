package proc

import (
	"os"
	"runtime"
	"strings"
)

// safe are the variables that a program needs to find itself at home. None of them is a secret.
var safe = map[string]bool{
	"PATH": true, "HOME": true, "LANG": true, "LANGUAGE": true, "TMPDIR": true, "TERM": true, "USER": true,
	"LOGNAME": true,
	"SHELL":   true, "TZ": true,
}

// safeWindows are those that programs on Windows need as well.
var safeWindows = map[string]bool{
	"SYSTEMROOT": true, "SYSTEMDRIVE": true, "WINDIR": true, "COMSPEC": true, "PATHEXT": true, "TEMP": true,
	"TMP":         true,
	"USERPROFILE": true, "USERNAME": true, "HOMEDRIVE": true, "HOMEPATH": true, "APPDATA": true, "LOCALAPPDATA": true,
	"PROGRAMDATA": true, "PROGRAMFILES": true, "NUMBER_OF_PROCESSORS": true, "OS": true,
}

// SafeEnv returns the part of this process's environment that may be shown to a program which is
// not trusted: where programs, home and temporary files are, the language and the terminal. Keys of
// APIs are not in it. After it come extra: "NAME=value" sets a variable, "NAME" passes on this
// process's, if it is set.
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
		name = strings.ToUpper(name) // names there have no case
		if safeWindows[name] {
			return true
		}
	}
	return safe[name] || strings.HasPrefix(name, "LC_")
}
