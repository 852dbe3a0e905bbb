package claudecli

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/errgen/errgen/runtime/proc"
)

const (
	// DefaultName is the source that evidence names unless [Options] say otherwise.
	DefaultName = "claude-cli"
	// DefaultPath is the program unless [Options] say otherwise; it is looked up in PATH.
	DefaultPath = "claude"
	// DefaultPermissionMode lets files be edited, and refuses what else no rule allows.
	DefaultPermissionMode = "acceptEdits"
	// DefaultProbe is how long the program may take to tell its version unless [Options] say
	// otherwise.
	DefaultProbe = 15 * time.Second
)

// Options are what a [Provider] is made of. The zero Options are the program "claude" with the
// login of its user.
type Options struct {
	// Name is the source that evidence names; [DefaultName].
	Name string
	// Path is the program; [DefaultPath].
	Path string
	// Model is the model's name; empty leaves it to the program.
	Model string
	// MaxTurns is how many turns a call may take; 0 is no limit.
	MaxTurns int
	// PermissionMode says what is done about tools for which there is no rule;
	// [DefaultPermissionMode].
	PermissionMode string
	// AllowedTools and DisallowedTools are rules such as "Edit" and "Bash(go test *)". The program
	// enforces them. They are no sandbox: a test runner runs what the model wrote.
	AllowedTools, DisallowedTools []string
	// Policy, unless empty, names the command policy that the rules are. A command that was refused
	// then fails the call, with evidence of type "command_blocked"; otherwise only the model is
	// told.
	Policy string
	// SkipPermissions asks for no permission checks at all. It is refused, as evidence of type
	// "skip_denied", unless AllowSkipPermissions says that somebody has thought about it. Args that
	// ask for the same are treated likewise.
	SkipPermissions, AllowSkipPermissions bool
	// Args are further arguments, from whoever configures the provider. They are trusted.
	Args []string
	// Env is what the program's environment has besides [proc.SafeEnv] and where it keeps its
	// configuration: "NAME=value", or "NAME" to pass on this process's. Without "ANTHROPIC_API_KEY"
	// the login of the user counts. A proxy must be passed on by name, because its address may hold
	// a password.
	Env []string
	// Credential names the credential for waits that runs share; a fingerprint of the key or login
	// unless set.
	Credential string
	// Probe is how long the program may take to tell its version; [DefaultProbe].
	Probe time.Duration
	// Grace is how long the program has to end by itself, once it is asked to or has given its
	// result; [proc.DefaultGrace].
	Grace time.Duration
}

func (o Options) withDefaults() Options {
	if o.Name == "" {
		o.Name = DefaultName
	}
	if o.Path == "" {
		o.Path = DefaultPath
	}
	if o.PermissionMode == "" {
		o.PermissionMode = DefaultPermissionMode
	}
	if o.Probe <= 0 {
		o.Probe = DefaultProbe
	}
	if o.Grace <= 0 {
		o.Grace = proc.DefaultGrace
	}
	return o
}

// check reports all problems at once.
func (o Options) check() error {
	var errs []error
	if o.MaxTurns < 0 {
		errs = append(errs, fmt.Errorf("the limit of turns is %d", o.MaxTurns))
	}
	for _, rule := range slices.Concat(o.AllowedTools, o.DisallowedTools) {
		if strings.TrimSpace(rule) == "" || strings.Contains(rule, ",") {
			errs = append(errs, fmt.Errorf("the rule %q is empty or has a comma, which separates rules", rule))
		}
	}
	for _, entry := range o.Env {
		if name, _, _ := strings.Cut(entry, "="); name == "" {
			errs = append(errs, errors.New("an entry of the environment has no name"))
		}
	}
	return errors.Join(errs...)
}

// bypass is the permission mode without checks.
const bypass = "bypassPermissions"

// skips reports whether the options ask for no permission checks.
func (o Options) skips() bool {
	if o.SkipPermissions || o.PermissionMode == bypass {
		return true
	}
	for _, arg := range o.Args {
		if strings.Contains(arg, bypass) || strings.Contains(arg, "dangerously-skip-permissions") {
			return true
		}
	}
	return false
}
