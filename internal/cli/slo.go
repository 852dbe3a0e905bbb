package cli

import (
	"flag"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/errgen/errgen/internal/output"
	"github.com/errgen/errgen/internal/slo"
)

func sloFlags(fs *flag.FlagSet, o *options) {
	directoryFlag(fs, o, "write to `DIR`, not to slo beside the taxonomy")
	fs.BoolVar(&o.verbose, "v", false, "print a line for each file")
	o.objective, o.objectives = slo.DefaultObjective, map[string]float64{}
	usage := fmt.Sprintf("share of requests that succeed, `[OPERATION=]PERCENT` (default %v); may be repeated",
		slo.DefaultObjective)
	fs.Func("objective", usage, func(value string) error {
		operation, number, named := strings.Cut(value, "=")
		if !named {
			operation, number = "", value
		}
		percent, err := strconv.ParseFloat(number, 64)
		switch {
		case err != nil || named && operation == "":
			return fmt.Errorf("it must be PERCENT or OPERATION=PERCENT")
		case !(percent >= slo.MinObjective && percent <= slo.MaxObjective):
			return fmt.Errorf("%s is out of range (%v to %v)", number, slo.MinObjective, slo.MaxObjective)
		case named:
			o.objectives[operation] = percent
		default:
			o.objective = percent
		}
		return nil
	})
}

// objectiveFlags returns the flags for objectives that differ from the defaults.
func objectiveFlags(o, defaults *options) (flags string) {
	if o.objective != defaults.objective {
		flags = fmt.Sprintf(" -objective %v", o.objective)
	}
	for _, operation := range slices.Sorted(maps.Keys(o.objectives)) {
		flags += fmt.Sprintf(" -objective %s=%v", operation, o.objectives[operation])
	}
	return flags
}

// defaultSLO returns the directory of slo without -o.
func defaultSLO(l *loaded) string { return filepath.Join(l.dir(), "slo") }

func filesOfSLO(l *loaded, o *options, mark string) ([]output.File, error) {
	var names []string
	for _, op := range l.model.Operations {
		names = append(names, op.Value.Name)
	}
	if len(names) == 0 {
		return nil, fmt.Errorf("slo: %s declares no operations, such as "+
			"operations: {GetOrder: {doc: Returns an order., http: 'GET /orders/{id}'}}", l.name)
	}
	for _, operation := range slices.Sorted(maps.Keys(o.objectives)) {
		if !slices.Contains(names, operation) {
			return nil, usagef("slo: -objective: %s declares no operation %q%s", l.name, operation,
				suggestion(operation, names))
		}
	}
	var files []output.File
	for _, f := range slo.Files(l.model, slo.Options{Objective: o.objective, Objectives: o.objectives, Mark: mark}) {
		files = append(files, output.File(f))
	}
	return files, nil
}
