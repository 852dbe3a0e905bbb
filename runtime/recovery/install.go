package recovery

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/errgen/errgen/runtime/taxonomy"
	"github.com/errgen/errgen/runtime/validate"
)

// PlaceholderPackage is the argument of an [Installer] in whose place the name of the package
// stands.
const PlaceholderPackage = "{package}"

// Installer installs packages that failures say are missing. Whoever can have a failure say
// something can thus choose what is installed, and installing runs code of the package: list what
// may be installed.
type Installer struct {
	// Ecosystem says how failures name packages, and which names are plain ones.
	Ecosystem Ecosystem
	// Command is a program and its arguments, one of which is {package}: best behind "--", where
	// the program knows that. No shell reads them.
	Command []string
	// Allow are the names that may be installed. Nil together with a nil Allowed allows nothing,
	// unless AllowAny is set.
	Allow []string
	// Allowed is asked about names that Allow has not.
	Allowed func(name string) bool
	// AllowAny allows every plain name. It excludes Allow and Allowed.
	AllowAny bool
	// Check is run after the installation, and must pass; without it Options.Validate, if there is
	// one.
	Check []validate.Command
	// Limit is how long the command may take; 0 is that of the tools.
	Limit time.Duration
}

func (in *Installer) wrong() []error {
	var all []error
	if !in.Ecosystem.known() {
		all = append(all, misfit("Installer.Ecosystem", string(in.Ecosystem), "npm, python or go"))
	}
	if what := in.unusable(); what != "" {
		all = append(all, misfit("Installer.Command", validate.Command{Args: in.Command}.String(), what))
	}
	for i, c := range in.Check {
		if what := unusable(c, false); what != "" {
			all = append(all, misfit(fmt.Sprintf("Installer.Check[%d]", i), c.String(), what))
		}
	}
	if in.AllowAny && (in.Allow != nil || in.Allowed != nil) {
		all = append(all, misfit("Installer.AllowAny", "true", "no Allow and no Allowed beside it"))
	}
	for i, name := range in.Allow {
		if err := in.Ecosystem.plain(name, true); err != nil {
			all = append(all, misfit(fmt.Sprintf("Installer.Allow[%d]", i), name, "a plain package name"))
		}
	}
	return all
}

func (in *Installer) unusable() string {
	at := slices.Index(in.Command, PlaceholderPackage)
	count := 0
	for _, arg := range in.Command {
		if strings.Contains(arg, PlaceholderPackage) {
			count++
		}
	}
	switch {
	case len(in.Command) == 0 || in.Command[0] == "":
		return "a program with its arguments"
	case at < 1 || count != 1:
		return "one argument that is " + PlaceholderPackage + " by itself"
	case isScript(in.Command[at-1]):
		return "no placeholder in the place of a script"
	}
	return ""
}

// InstallDependency installs the package that the failure says is missing, with Options.Installer.
// The name must be a plain one that the installer allows; nothing else of the failure is used. When
// the command or the validation fails, and the tools have a Workspace, what has changed is put
// back; files that git ignores are not looked at.
func (s *Standard) InstallDependency(ctx context.Context, failure taxonomy.RecoveryRequest) error {
	return s.carryOut(ctx, failure, NameInstallDependency, ActionInstall, (*try).installDependency)
}

func (t *try) installDependency() error {
	if err := t.Lacking(NameInstallDependency); err != nil {
		return err
	}
	in := t.opts.Installer
	name, ok := packageIn(saidBy(t.failed), in.Ecosystem)
	if !ok {
		return refusal(ErrNoPackage, "Could not extract package name from error")
	}
	t.note(DataPackage, quotedASCII(name))
	if err := in.permits(name); err != nil {
		return refusal(ErrNotAllowed, "Did not install %s: %s", quotedASCII(name), err)
	}
	t.record.Data[DataPackage] = name
	args := slices.Clone(in.Command)
	args[slices.Index(args, PlaceholderPackage)] = name
	command := validate.Command{Args: args, Limit: in.Limit}
	if err := t.mend(
		mend{failing: "Failed to install dependency", commands: []validate.Command{command},
			check: in.Check}); err != nil {
		return err
	}
	t.record.Message = "Installed dependency: " + name
	return nil
}

// permits returns why a name must not be installed; nil when it may.
func (in *Installer) permits(name string) error {
	if err := in.Ecosystem.plain(name, !in.AllowAny); err != nil {
		return err
	}
	switch {
	case in.AllowAny, slices.Contains(in.Allow, name), in.Allowed != nil && in.Allowed(name):
		return nil
	case in.Allow == nil && in.Allowed == nil:
		return fmt.Errorf("nothing is listed that may be installed")
	}
	return fmt.Errorf("it is not among what may be installed")
}
