// Package claudecli is a provider that runs Claude Code's command line as a process, without a
// person: "claude -p --output-format stream-json --verbose".
//
//	rules := []string{"Edit", "Bash(go test *)"}
//	provider, err := claudecli.New(claudecli.Options{AllowedTools: rules})
//
// The prompt is the standard input, and the output is a stream of JSON events that ends with a
// result. Only is_error of the result decides whether the call succeeded, because its subtype can
// be "success" although the API failed. A result without a valid is_error is a broken stream. If
// there are several results, the last one counts, unless an earlier one failed.
//
// A failure is a [github.com/errgen/errgen/runtime/taxonomy.Evidence]. Its text is the result of a
// failed run and the end of standard error, never the conversation. The retries of the program are
// off, because the taxonomy decides about retries.
//
// Each call is a process group. It is ended as a whole at the deadline of the call, when the call
// is cancelled, and soon after the result; see package proc for the differences between systems.
//
// The events are those of Claude Code's documentation
// (https://code.claude.com/docs/en/headless) and of github.com/anthropics/claude-agent-sdk-python.
// Unknown events and fields are ignored.
package claudecli

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/errgen/errgen/runtime/executor/proc"
)

// The defaults of [Options].
const (
	DefaultName = "claude-cli"
	DefaultPath = "claude"
	// DefaultPermissionMode permits changes of files, and refuses everything else without a rule.
	DefaultPermissionMode = "acceptEdits"
	DefaultProbe          = 15 * time.Second
)

// Options configure a [Provider]. The zero Options are the program "claude" with the login of its
// user.
type Options struct {
	// Name is the source of evidence; [DefaultName] by default.
	Name string
	// Path is the program. The default is [DefaultPath], which is looked up in PATH.
	Path string
	// Model is the name of the model; by default that of the program.
	Model string
	// MaxTurns limits the turns of a call; 0 is no limit.
	MaxTurns int
	// PermissionMode applies to tools without a rule; [DefaultPermissionMode] by default.
	PermissionMode string
	// AllowedTools and DisallowedTools are rules such as "Edit" and "Bash(go test *)", which the
	// program enforces. They are no sandbox: a test runner runs code that the model wrote.
	AllowedTools, DisallowedTools []string
	// Policy is a name for the rules, as a command policy. If it is set, a refused command fails
	// the call with evidence of type "command_blocked". By default, the program only reports the
	// refusal to the model.
	Policy string
	// SkipPermissions skips all permission checks. Calls are refused with evidence of type
	// "skip_denied", unless AllowSkipPermissions confirms it. The same applies to Args that skip
	// them.
	SkipPermissions, AllowSkipPermissions bool
	// Args are further arguments. They are trusted.
	Args []string
	// Env is added to the environment, which is [proc.SafeEnv] and the variables that locate the
	// program's configuration: "NAME=value", or "NAME" for the value in this process. Without
	// "ANTHROPIC_API_KEY" the program uses the login of the user. A proxy is passed by name,
	// because its address may contain a password.
	Env []string
	// Credential names the credential, because runs with the same credential share waits. The
	// default is a fingerprint of the key or login.
	Credential string
	// Probe limits the time of [Provider.Available]; [DefaultProbe] by default.
	Probe time.Duration
	// Grace is the time in which the program must end after its result, and after the request to
	// end; [proc.DefaultGrace] by default.
	Grace time.Duration
}

func (o *Options) setDefaults() {
	o.Name, o.Path = cmp.Or(o.Name, DefaultName), cmp.Or(o.Path, DefaultPath)
	o.PermissionMode = cmp.Or(o.PermissionMode, DefaultPermissionMode)
	o.Probe, o.Grace = cmp.Or(max(o.Probe, 0), DefaultProbe), cmp.Or(max(o.Grace, 0), proc.DefaultGrace)
}

// check reports all problems.
func (o *Options) check() error {
	var errs []error
	if o.MaxTurns < 0 {
		errs = append(errs, fmt.Errorf("max turns: %d is out of range (at least 0)", o.MaxTurns))
	}
	for _, rule := range slices.Concat(o.AllowedTools, o.DisallowedTools) {
		if strings.TrimSpace(rule) == "" || strings.Contains(rule, ",") {
			errs = append(errs, fmt.Errorf("rule %q is empty or contains a comma", rule))
		}
	}
	for _, entry := range o.Env {
		if name, _, _ := strings.Cut(entry, "="); name == "" {
			errs = append(errs, errors.New("environment: an entry has no name"))
		}
	}
	return errors.Join(errs...)
}

// skips reports whether the options skip the permission checks.
func (o *Options) skips() bool {
	const bypass = "bypassPermissions"
	return o.SkipPermissions || o.PermissionMode == bypass || slices.ContainsFunc(o.Args, func(arg string) bool {
		return strings.Contains(arg, bypass) || strings.Contains(arg, "dangerously-skip-permissions")
	})
}

// environment returns the program's whole environment. Its last entry turns off the program's own
// retries; see https://code.claude.com/docs/en/env-vars.
func (o *Options) environment() []string {
	home := []string{"CLAUDE_CONFIG_DIR", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME",
		"NODE_EXTRA_CA_CERTS", "SSL_CERT_FILE", "SSL_CERT_DIR"}
	return proc.SafeEnv(slices.Concat(home, o.Env, []string{"CLAUDE_CODE_MAX_RETRIES=0"})...)
}

// arguments returns the arguments of a call that continues a session, or begins one. Each value
// is part of its flag, so that it cannot be another flag.
func (o *Options) arguments(session string) []string {
	args := []string{"-p", "--output-format=stream-json", "--verbose"}
	add := func(flag, value string) {
		if value != "" {
			args = append(args, flag+"="+value)
		}
	}
	if o.SkipPermissions {
		args = append(args, "--dangerously-skip-permissions")
	} else {
		add("--permission-mode", o.PermissionMode)
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

// sessionForm is the form of a session: a UUID, or something similar.
var sessionForm = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_.-]{0,127}$`)

// validSession returns the session, or "" if its form is invalid. Sessions are not trusted, because
// they come from processes and files.
func validSession(name string) string {
	if sessionForm.MatchString(name) {
		return name
	}
	return ""
}
