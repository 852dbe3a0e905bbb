package cli

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/errgen/errgen/internal/emit"
	"github.com/errgen/errgen/internal/model"
	"github.com/errgen/errgen/internal/output"
	"github.com/errgen/errgen/internal/resolve"
)

func (s *session) generate(o *options, args []string) error {
	plans, err := s.plan(o, args)
	if err != nil {
		return err
	}
	return s.apply(o, plans...)
}

// apply writes the files of plans.
func (s *session) apply(o *options, plans ...planned) error {
	for _, p := range plans {
		if err := s.ctx.Err(); err != nil {
			return fmt.Errorf("%s: %w", s.cmd.name, err)
		}
		if err := p.Write(s.ctx); err != nil {
			return fmt.Errorf("%s: %w", s.cmd.name, err)
		}
		for _, step := range p.Steps {
			if o.verbose {
				s.note("%s: %s", step.Path, step.Action)
			}
		}
	}
	return nil
}

// planned is a plan with the command that carries it out.
type planned struct {
	*output.Plan
	fix string
}

// plan loads taxonomies, renders their packages, and compares these with the disk. For check it
// also compares the files of makers.
func (s *session) plan(o *options, args []string) ([]planned, error) {
	if o.readers == public && o.dir == "" {
		return nil, usagef("%s: -audience public needs -o, the directory of the package for clients", s.cmd.name)
	}
	if o.dir != "" && len(args) > 1 {
		return nil, usagef("%s: -o is for one taxonomy, and there are %d", s.cmd.name, len(args))
	}
	all, err := s.loadAll(args)
	if err != nil {
		return nil, err
	}
	if err := s.report(all, o, s.Stderr); err != nil {
		return nil, err
	}
	for _, l := range all {
		if o.readers == public && !slices.ContainsFunc(l.model.Codes, func(c *model.Code) bool { return c.Public }) {
			return nil, noPublicCode(s.cmd.name, l)
		}
	}
	targets, err := s.targets(all, o)
	if err != nil {
		return nil, err
	}
	var plans []planned
	var errs []error
	for i, l := range all {
		p, err := output.NewPlan(targets[i], render(l, o))
		messages, failed := planMessages(targets[i], l)
		plans = append(plans, planned{p, s.fixCommand(o, args)})
		if messages != nil {
			plans = append(plans, planned{messages, s.fixCommand(o, args)})
		}
		errs = append(errs, err, failed)
	}
	if s.cmd.name == "check" {
		others, err := s.committed(all, o)
		plans = append(plans, others...)
		errs = append(errs, err)
	}
	return plans, errors.Join(errs...)
}

// render returns the files of a taxonomy's package.
func render(l *loaded, o *options) []output.File {
	m := l.model
	if o.readers == public {
		m = resolve.Public(m)
	}
	made := emit.Files(m, emit.Options{Tests: o.tests})
	files := make([]output.File, len(made))
	for i, f := range made {
		files[i] = output.File(f)
	}
	return files
}

// targets returns the target of each package. It fails if two packages have the same directory.
func (s *session) targets(all []*loaded, o *options) ([]output.Target, error) {
	targets := make([]output.Target, len(all))
	taken := make(map[string]string)
	for i, l := range all {
		show := o.dir
		if show == "" {
			show = filepath.Join(l.dir(), l.model.Name)
		}
		dir := s.path(show)
		abs, err := filepath.Abs(dir)
		if err != nil {
			return nil, fmt.Errorf("output directory %s: %w", show, err)
		}
		if other, ok := taken[abs]; ok {
			return nil,
				fmt.Errorf("%s and %s would both go to %s: two taxonomies need two directories", other, l.name, show)
		}
		taken[abs] = l.name
		targets[i] = output.Target{
			Dir: dir, Show: show, Source: l.model.File, SourceDir: s.path(l.dir()),
		}
	}
	return targets, nil
}
