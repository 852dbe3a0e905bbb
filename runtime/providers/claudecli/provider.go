package claudecli

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/internal/text"
	"github.com/errgen/errgen/runtime/proc"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// The operations that this package's evidence is about.
const (
	opCall      = "call"
	opAvailable = "available"
)

// Provider runs Claude Code. It is made by [New] and safe for concurrent use.
type Provider struct {
	options    Options
	credential string
	mask       *strings.Replacer // takes the secrets out that the program was given
}

var (
	_ executor.Provider     = (*Provider)(nil)
	_ executor.Credentialed = (*Provider)(nil)
	_ executor.Ender        = (*Provider)(nil)
)

// New returns a provider. It reports every option that cannot be, and does not look whether there
// is such a program: [Provider.Available] does.
func New(o Options) (*Provider, error) {
	o = o.withDefaults()
	if err := o.check(); err != nil {
		return nil, fmt.Errorf("options of %s: %w", o.Name, err)
	}
	return &Provider{options: o, credential: credential(o), mask: mask(o.environment())}, nil
}

// Name returns the source that evidence names.
func (p *Provider) Name() string { return p.options.Name }

// Credential names the key or login that is used.
func (p *Provider) Credential() string { return p.credential }

// credentials are the variables that say which credential counts, the first of them that is set.
var credentials = []string{"ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN", "CLAUDE_CONFIG_DIR",
	"HOME",
	"USERPROFILE"}

// credential names the credential of o: a key that is in its environment, or the login of whoever's
// home it is.
func credential(o Options) string {
	if o.Credential != "" {
		return o.Credential
	}
	env := o.environment()
	for _, name := range credentials {
		if value := lookup(env, name); value != "" {
			return o.Name + ":" + fingerprint(name+"="+value)
		}
	}
	return o.Name
}

// lookup returns a variable of an environment, of which the last counts.
func lookup(env []string, name string) string {
	for i := len(env) - 1; i >= 0; i-- {
		if value, ok := strings.CutPrefix(env[i], name+"="); ok {
			return value
		}
	}
	return ""
}

// leastSecret is the length in bytes from which on a value is taken for a secret, and not for a
// switch.
const leastSecret = 8

// mask takes the values of variables that are secrets by their names out of a text.
func mask(env []string) *strings.Replacer {
	var pairs []string
	for _, entry := range env {
		if name, value, _ := strings.Cut(entry, "="); len(value) >= leastSecret && taxonomy.NamesSecret(name) {
			pairs = append(pairs, value, taxonomy.Redacted)
		}
	}
	return strings.NewReplacer(pairs...)
}

// masked returns a text without secrets: those that the program was given, and what looks like one.
func (p *Provider) masked(s string) string {
	return taxonomy.Scrub(p.mask.Replace(strings.ToValidUTF8(s, "\uFFFD")))
}

// endOf returns the last n bytes of a text, or fewer. One that is cut is masked.
func (p *Provider) endOf(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return text.Mask(p.masked).Tail(s, n)
}

// fingerprint tells credentials apart without telling anything about them.
func fingerprint(s string) string {
	sum := sha256.Sum256([]byte("errgen credential " + s))
	return hex.EncodeToString(sum[:4])
}

// End ends the group of a process that a call of an earlier run left behind.
func (p *Provider) End(ctx context.Context, process executor.Process) error {
	return proc.End(ctx, proc.ID{PID: process.PID, Start: process.Start}, p.options.Grace)
}

// Available reports why the program cannot be used: it is asked for something that is refused, it
// is not there, cannot be started, or does not tell its version.
func (p *Provider) Available(ctx context.Context) error {
	if err := p.permitted(opAvailable); err != nil {
		return err
	}
	limited, cancel := context.WithTimeout(ctx, p.options.Probe)
	defer cancel()
	said := proc.NewTail(maxStderr)
	exit, err := proc.Run(limited, proc.Command{
		Path: p.options.Path, Args: []string{"--version"}, Env: p.options.environment(),
		Stdout: said, Stderr: said, Grace: p.options.Grace, Sweep: true,
	})
	if ctx.Err() != nil && err != nil {
		return err
	}
	ev := proc.Failure(p.options.Name, opAvailable, p.options.Path, exit, err)
	if ev == nil {
		return nil
	}
	ev.Credential = p.credential
	if said.Total() > 0 {
		ev.Text = strings.ToValidUTF8(said.Masked(p.mask.Replace), "\uFFFD")
	}
	if errors.Is(err, context.DeadlineExceeded) {
		timedOut(ev, p.options.Probe, exit.Took)
	}
	return ev
}

// permitted reports, as evidence, that what is asked for is refused.
func (p *Provider) permitted(op string) error {
	if !p.options.skips() || p.options.AllowSkipPermissions {
		return nil
	}
	return &taxonomy.Evidence{
		Source: p.options.Name, Op: op, Type: "skip_denied", Credential: p.credential,
		Text:       "skipping the permission checks is asked for, and nothing allows it",
		Attributes: map[string]string{"resource": p.options.Name},
	}
}

// timedOut says that a limit was reached.
func timedOut(ev *taxonomy.Evidence, limit, elapsed time.Duration) {
	ev.Type = "timeout"
	if ev.Attributes == nil {
		ev.Attributes = map[string]string{}
	}
	if limit > 0 {
		ev.Attributes["timeout_ms"] = strconv.FormatInt(limit.Milliseconds(), 10)
	}
	ev.Attributes["elapsed_ms"] = strconv.FormatInt(elapsed.Milliseconds(), 10)
}

// program returns where the program is, so that a relative path does not depend on the working
// directory of a call.
func (p *Provider) program() (string, error) {
	path, err := exec.LookPath(p.options.Path)
	if err != nil {
		return p.options.Path, nil // starting it says why
	}
	return filepath.Abs(path)
}
