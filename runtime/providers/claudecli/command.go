package claudecli

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/errgen/errgen/runtime/proc"
)

// home are the variables that say where the program keeps its configuration and its login.
var home = []string{"CLAUDE_CONFIG_DIR", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME",
	"NODE_EXTRA_CA_CERTS", "SSL_CERT_FILE", "SSL_CERT_DIR"}

// noRetries turns the program's own tries off, of which there are ten by default. It is documented
// as "override the number of times to retry failed API requests" at
// https://code.claude.com/docs/en/env-vars.
const noRetries = "CLAUDE_CODE_MAX_RETRIES=0"

// environment is the program's whole environment. What turns its tries off comes last, so that
// nothing overrides it.
func (o Options) environment() []string {
	return proc.SafeEnv(slices.Concat(home, o.Env, []string{noRetries})...)
}

// arguments are those of a call that continues a session, or begins one. Every value is bound to
// its flag by "=", so that no value can be taken for another flag.
func (o Options) arguments(session string) []string {
	args := []string{"-p", "--output-format=stream-json", "--verbose"}
	if o.SkipPermissions {
		args = append(args, "--dangerously-skip-permissions")
	} else {
		args = append(args, "--permission-mode="+o.PermissionMode)
	}
	add := func(flag, value string) {
		if value != "" {
			args = append(args, flag+"="+value)
		}
	}
	add("--model", o.Model)
	if o.MaxTurns > 0 {
		add("--max-turns", strconv.Itoa(o.MaxTurns))
	}
	add("--allowedTools", strings.Join(o.AllowedTools, ","))
	add("--disallowedTools", strings.Join(o.DisallowedTools, ","))
	args = append(args, o.Args...)
	add("--resume", session)
	return args
}

// sessionForm is what a session's name looks like: a UUID, with room for other ideas.
var sessionForm = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_.-]{0,127}$`)

// validSession returns a session's name, or "" for what cannot be one. The name comes from a
// process and from a file.
func validSession(name string) string {
	if sessionForm.MatchString(name) {
		return name
	}
	return ""
}
