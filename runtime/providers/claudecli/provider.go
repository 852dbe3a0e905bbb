package claudecli

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/executor/proc"
	"github.com/errgen/errgen/runtime/internal/text"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// The operations of evidence.
const (
	opCall      = "call"
	opAvailable = "available"
)

// Provider runs Claude Code. It is safe for concurrent use.
type Provider struct {
	options    Options
	credential string
	secrets    *strings.Replacer // masks the secrets that the program gets
}

var (
	_ executor.Provider     = (*Provider)(nil)
	_ executor.Credentialed = (*Provider)(nil)
	_ executor.Ender        = (*Provider)(nil)
)

// New returns a provider, or an error with all invalid options. [Provider.Available] checks that
// the program exists.
func New(o Options) (*Provider, error) {
	o.setDefaults()
	if err := o.check(); err != nil {
		return nil, fmt.Errorf("options of %s: %w", o.Name, err)
	}
	env := o.environment()
	var pairs []string
	for _, entry := range env {
		// Shorter values are settings and not secrets.
		if name, value, _ := strings.Cut(entry, "="); len(value) >= 8 && taxonomy.IsSecretName(name) {
			pairs = append(pairs, value, taxonomy.Redacted)
		}
	}
	return &Provider{options: o, credential: credential(o, env), secrets: strings.NewReplacer(pairs...)}, nil
}

// credential returns a fingerprint of the key in the environment or, without a key, of the login.
func credential(o Options, env []string) string {
	if o.Credential != "" {
		return o.Credential
	}
	for _, name := range []string{"ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN",
		"CLAUDE_CONFIG_DIR", "HOME", "USERPROFILE"} {
		for i := len(env) - 1; i >= 0; i-- { // the last entry counts
			if value, ok := strings.CutPrefix(env[i], name+"="); ok && value != "" {
				sum := sha256.Sum256([]byte("errgen credential " + env[i]))
				return o.Name + ":" + hex.EncodeToString(sum[:4])
			}
		}
	}
	return o.Name
}

// Name returns the source of evidence.
func (p *Provider) Name() string { return p.options.Name }

// Credential names the key or login.
func (p *Provider) Credential() string { return p.credential }

// mask masks the secrets that the program gets, and everything that looks like a secret.
func (p *Provider) mask(s string) string {
	return taxonomy.Redact(p.secrets.Replace(strings.ToValidUTF8(s, "\uFFFD")))
}

// tail returns the last n bytes of a text. A text that is cut is masked.
func (p *Provider) tail(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return text.Mask(p.mask).Tail(s, n)
}

// output returns the output of a program, without the secrets that the program got.
func (p *Provider) output(t *proc.Tail) string {
	return strings.ToValidUTF8(t.Masked(p.secrets.Replace), "\uFFFD")
}

// End ends the group of a process that an interrupted call left running.
func (p *Provider) End(ctx context.Context, process executor.Process) error {
	return proc.End(ctx, proc.ID{PID: process.PID, Start: process.Start}, p.options.Grace)
}

// Available returns an error if the program cannot be used: its options are refused, it does not
// exist, it cannot be started, or it fails to print its version.
func (p *Provider) Available(ctx context.Context) error {
	if err := p.checkPermissions(opAvailable); err != nil {
		return err
	}
	limited, cancel := context.WithTimeout(ctx, p.options.Probe)
	defer cancel()
	output := proc.NewTail(maxStderr)
	exit, err := proc.Run(limited, proc.Command{
		Path: p.options.Path, Args: []string{"--version"}, Env: p.options.environment(),
		Stdout: output, Stderr: output, Grace: p.options.Grace, Sweep: true,
	})
	if ctx.Err() != nil && err != nil {
		return err
	}
	ev := proc.Failure(p.options.Name, opAvailable, p.options.Path, exit, err)
	if ev == nil {
		return nil
	}
	ev.Credential = p.credential
	if output.Total() > 0 {
		ev.Text = p.output(output)
	}
	if errors.Is(err, context.DeadlineExceeded) {
		ev.Type = "timeout"
	}
	return ev
}

// checkPermissions returns evidence if the options skip the permission checks without confirmation.
func (p *Provider) checkPermissions(op string) error {
	if !p.options.skips() || p.options.AllowSkipPermissions {
		return nil
	}
	return &taxonomy.Evidence{
		Source: p.options.Name, Op: op, Type: "skip_denied", Credential: p.credential,
		Text:       "the options skip the permission checks without AllowSkipPermissions",
		Attributes: map[string]string{"resource": p.options.Name},
	}
}

// program returns the path of the program. It is absolute, so that it does not depend on the
// working directory of a call.
func (p *Provider) program() (string, error) {
	path, err := exec.LookPath(p.options.Path)
	if err != nil {
		return p.options.Path, nil // starting it reports why
	}
	return filepath.Abs(path)
}
