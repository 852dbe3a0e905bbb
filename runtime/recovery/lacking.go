package recovery

import (
	"errors"
	"fmt"
)

// What strategies lack, for errors.Is: a host says by it which of its own settings is meant. The
// messages of the errors that wrap them name no setting.
var (
	// ErrNoCommand says that a fix has no command.
	ErrNoCommand = errors.New("no command is configured")
	// ErrNoCheck says that a fix has no validation.
	ErrNoCheck = errors.New("no check is configured")
	// ErrNoTools says that there is nothing to run commands with.
	ErrNoTools = errors.New("commands cannot be run")
	// ErrNoWorkspace says that there is no working tree that changes could be put back in.
	ErrNoWorkspace = errors.New("there is no working tree of git")
	// ErrNoInstaller says that nothing is ever installed.
	ErrNoInstaller = errors.New("no installer is configured")
	// ErrNotAllowed says that a package may not be installed.
	ErrNotAllowed = errors.New("it may not be installed")
	// ErrNoPackage says that a failure names no package.
	ErrNoPackage = errors.New("the error names no package")
	// ErrNoFile says that a failure names no file that a command could be given.
	ErrNoFile = errors.New("the error names no file")
	// ErrUnfinished says that a process died while it mended, so that nobody knows what of the
	// working tree is wanted.
	ErrUnfinished = errors.New("a mend was not brought to an end")
)

// refusal is an error with a message of its own.
func refusal(why error, format string, args ...any) *Error {
	return &Error{Message: fmt.Sprintf(format, args...), Err: why}
}

// Lacking returns what is not configured that the strategy needs, as an [Error]; nil when nothing
// is. A host can ask before there is a failure. A strategy that is not one of [Standard] lacks
// nothing.
func (s *Standard) Lacking(name string) error {
	err := s.lacking(name)
	if err == nil {
		return nil
	}
	err.Strategy = name
	return err
}

func (s *Standard) lacking(name string) *Error {
	var fix *Fix
	switch name {
	case NameApplyLintFix:
		fix = &s.opts.LintFix
	case NameApplyTypeFix:
		fix = &s.opts.TypeFix
	case NameFixTest:
		fix = &s.opts.TestFix
	case NameFixBuild:
		fix = &s.opts.BuildFix
	case NameInstallDependency:
		if s.opts.Installer == nil {
			return refusal(ErrNoInstaller, "Nothing is installed, because no installer is configured")
		}
	default:
		return nil
	}
	if fix != nil && len(fix.Commands) == 0 {
		return refusal(ErrNoCommand, "No command is configured for strategy %s", name)
	}
	if s.opts.Tools == nil {
		return refusal(ErrNoTools, "Not run, because nothing is configured that commands could be run with")
	}
	if fix == nil {
		return nil
	}
	if len(fix.Check) == 0 && s.opts.Validate == nil {
		return refusal(ErrNoCheck, "Not run, because no check is configured that would say whether it has helped")
	}
	if tools, ok := s.opts.Tools.(*local); ok && tools.tree == nil {
		return noWorkspace()
	}
	return nil
}

func noWorkspace() *Error {
	return refusal(ErrNoWorkspace, "Not run, because what it changes could not be put back: %s", ErrNoWorkspace)
}
