package cli

import (
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/errgen/errgen/internal/breaking"
	"github.com/errgen/errgen/internal/diag"
	"github.com/errgen/errgen/internal/gitfile"
	"github.com/errgen/errgen/internal/spec"
	"github.com/errgen/errgen/internal/summary"
)

func breakingFlags(fs *flag.FlagSet, o *options) {
	findingFlags(fs, o)
	fs.BoolVar(&o.verbose, "v", false, "print every change with its line, not by level and kind")
	fs.Func("against", "compare with the released `FILE` or git revision; - is standard input",
		func(value string) error {
			if value == "" {
				return fmt.Errorf("it must be a file or a git revision")
			}
			o.against = value
			return nil
		})
	fs.Func("release", "compare with the last tag before `VERSION`, which may break it if it is a new major version",
		func(value string) error {
			// A pre-release may have the changes of its release.
			release, pre, found := strings.Cut(value, "-")
			if _, ok := parseVersion(release); !ok || found && pre == "" {
				return fmt.Errorf("it must be a version such as v1.5.0")
			}
			o.release = release
			return nil
		})
	fs.Func("only", "print changes of these `LEVELS` only: wire, source, behaviour, separated by commas",
		func(value string) error {
			levels, err := breaking.ParseLevels(value)
			o.levels |= levels
			return err
		})
	fs.Func("except", "do not print changes with these `IDS`, separated by commas", func(value string) error {
		for id := range strings.SplitSeq(value, ",") {
			id = strings.TrimSpace(id)
			if !slices.Contains(breaking.ExceptIDs(), id) {
				hint := diag.DidYouMean(id, breaking.ExceptIDs())
				return fmt.Errorf("unknown change %q%s", id, strings.TrimSuffix("; "+hint, "; "))
			}
			o.except = append(o.except, id)
		}
		return nil
	})
	fs.Func("consumers", "add who handles the codes of each change, from the `FILES` that errgenvet uses printed: "+
		"patterns, separated by commas", func(value string) error {
		o.consumers = append(o.consumers, strings.Split(value, ",")...)
		return nil
	})
	fs.StringVar(&o.accept, "accept", "",
		"accept the changes for this `REASON`: write them to the file of accepted changes")
	fs.Func("until", "the last day, as `DATE` (2027-01-31), on which they are accepted", func(value string) error {
		o.until = value
		if _, err := time.Parse(time.DateOnly, value); err != nil {
			return fmt.Errorf("it must be a date such as 2027-01-31")
		}
		return nil
	})
}

func (s *session) breaking(o *options, args []string) error {
	today := s.now().UTC().Format(time.DateOnly)
	switch {
	case o.against == "" && o.release == "":
		return usagef("breaking needs -against FILE: the taxonomy that was released")
	case o.against != "" && o.release != "":
		return usagef("breaking: -release finds the released taxonomy; leave -against out")
	case o.against == stdinArg && slices.Contains(args, stdinArg):
		return usagef("breaking: only one of the two taxonomies can come from standard input")
	case (o.accept == "") != (o.until == ""):
		return usagef("breaking: -accept REASON and -until DATE belong together")
	case o.until != "" && o.until < today:
		return usagef("breaking: -until %s is in the past", o.until)
	}
	name := defaultFile
	if len(args) > 0 {
		name = args[0]
	}
	var last, next version
	if o.release != "" {
		var err error
		next, _ = parseVersion(o.release)
		if o.against, last, err = s.lastRelease(next, name); err != nil {
			return err
		}
		if o.against == "" && gitfile.Shallow(s.ctx, filepath.Dir(s.path(name))) {
			return fmt.Errorf("breaking: this clone is shallow and has no tag of a version before %s: "+
				"fetch the tags, with git fetch --unshallow --tags", next)
		}
		if o.against == "" {
			s.note("errgen: there is no tag of a version before %s, so nothing can break", next)
			return nil
		}
	}
	old, err := s.released(o.against, name, o)
	if err != nil {
		return err
	}
	now, err := s.load(name)
	if err != nil {
		return err
	}
	if now.model == nil {
		return s.printFindings(
			o, s.Stderr, true, diag.FileFindings{Source: now.source, Findings: onlyErrors(now.findings)})
	}
	accepted, err := s.acceptances(now)
	if err != nil {
		return err
	}
	consumers, err := s.uses(o.consumers)
	if err != nil {
		return err
	}
	before, after := breaking.New(old.tree), breaking.New(now.tree)
	all := breaking.Compare(before, after)
	report := breaking.Report{Against: o.against, Source: now.source, Reserved: now.tree.Reserved,
		Acceptances: accepted.Source}
	report.Changes, report.Findings = accepted.Apply(all, s.now())
	report.Changes = slices.DeleteFunc(report.Changes, func(c breaking.Change) bool {
		return o.levels != 0 && c.Levels&o.levels == 0 || slices.Contains(o.except, c.ID) ||
			o.quiet && !o.strict && o.accept == "" && c.Severity != diag.Error
	})
	if len(consumers) > 0 {
		breaking.AddConsumers(report.Changes, before, after, consumers)
	}
	if o.accept != "" {
		return s.accept(accepted, report.Changes, all, o)
	}
	err = s.printReport(o, report)
	if o.release != "" && errors.Is(err, errFindings) {
		least := last.breaks()
		if slices.Compare(next[:], least[:]) >= 0 && len(report.Findings) == 0 {
			s.note("errgen: %s may have these changes, because it is not compatible with %s", next, o.against)
			return nil
		}
		s.note("errgen: %s must be compatible with %s: release %s, or accept the changes", next, o.against, least)
	}
	return err
}

// uses reads the files that errgenvet uses printed.
func (s *session) uses(patterns []string) (list []*summary.Uses, err error) {
	for _, pattern := range patterns {
		files, err := filepath.Glob(s.path(pattern))
		if err == nil && len(files) == 0 {
			err = fs.ErrNotExist
		}
		if err != nil {
			return nil, fmt.Errorf("breaking: -consumers %s: %w", pattern, err)
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				return nil, fmt.Errorf("breaking: -consumers: %w", err)
			}
			u, err := summary.ParseUses(text)
			if err != nil {
				return nil, fmt.Errorf("breaking: -consumers: %s: %w", file, err)
			}
			list = append(list, u)
		}
	}
	return list, nil
}

// printReport prints a report. It returns errFindings if the report has an error, a finding about
// acceptances, or with -strict a warning.
func (s *session) printReport(o *options, report breaking.Report) error {
	stop := o.strict && len(report.Changes) > 0 || len(report.Findings) > 0 ||
		slices.ContainsFunc(report.Changes, func(c breaking.Change) bool { return c.Severity == diag.Error })
	var err error
	switch {
	case o.format == diag.FormatJSON:
		err = report.JSON(s.Stdout)
	case o.format == diag.FormatGitHub:
		files := diag.FromRoot(s.path("."), report.Files()...)
		report.Source, report.Acceptances = files[0].Source, files[1].Source
		err = report.GitHub(s.Stdout)
	case o.format == diag.FormatSARIF:
		s.logged = append(s.logged, report.Files()...)
	case o.verbose:
		err = diag.Print(s.Stdout, diag.FormatText, report.Files()...)
	default:
		err = report.Text(s.Stdout)
	}
	if err == nil && stop {
		return errFindings
	}
	return err
}

// acceptances reads the accepted changes beside a taxonomy. Without the file it is empty. The file
// of orders.yaml is orders.accept.yaml, so that two taxonomies can share a directory.
func (s *session) acceptances(l *loaded) (*breaking.Acceptances, error) {
	usual := filepath.Join(l.dir(), breaking.AcceptFile)
	name := usual
	if base := filepath.Base(l.name); base != defaultFile && l.name != stdinArg {
		name = filepath.Join(l.dir(), strings.TrimSuffix(base, filepath.Ext(base))+".accept.yaml")
	}
	src, err := s.read(name)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	if err != nil && s.exists(usual) && !s.exists(filepath.Join(l.dir(), defaultFile)) {
		s.note("errgen: %s is ignored, because it belongs to %s: move the entries for %s to %s",
			usual, defaultFile, l.name, name)
	}
	return breaking.ReadAcceptances(name, src), nil
}

// accept writes entries for changes to the file of accepted ones.
func (s *session) accept(a *breaking.Acceptances, changes, all []breaking.Change, o *options) error {
	if len(a.Findings) > 0 {
		return s.faults(a.Source, a.Findings)
	}
	text, err := a.Add(changes, all, o.accept, o.until, s.now())
	if err != nil {
		return err
	}
	if err := os.WriteFile(s.path(a.Source.Name), text, 0o644); err != nil {
		return fmt.Errorf("write %s: %w", a.Source.Name, cause(err))
	}
	return s.printf("%s: accepted %s until %s\n", a.Source.Name, count(len(changes), "change", "changes"), o.until)
}

// ruleErrors are the ids of errors about detection rules and their examples. These are not
// compared, and a later errgen can find more of them.
var ruleErrors = []string{"E-regexp", "E-empty-rule", "E-example"}

// released loads the taxonomy to compare with. It fails if the taxonomy has errors other than
// ruleErrors, because the comparison would be incomplete.
func (s *session) released(name, current string, o *options) (*loaded, error) {
	old, err := s.loadVersion(name, current)
	if err != nil {
		return nil, err
	}
	faults := slices.DeleteFunc(
		onlyErrors(old.findings), func(f diag.Finding) bool { return slices.Contains(ruleErrors, f.ID) })
	if len(faults) == 0 {
		return old, nil
	}
	err = s.printFindings(o, s.Stderr, false, diag.FileFindings{Source: old.source, Findings: faults})
	if !errors.Is(err, errFindings) {
		return nil, err
	}
	if name == stdinArg {
		name = "standard input"
	}
	return nil, fmt.Errorf(
		"%s: %s, which is the released taxonomy, has %s", s.cmd.name, name, count(len(faults), "error", "errors"))
}

// loadVersion loads the taxonomy in a file, in a git revision, or from standard input.
func (s *session) loadVersion(name, current string) (*loaded, error) {
	if name == stdinArg || s.exists(name) || isTaxonomy(filepath.Ext(name)) && !strings.Contains(name, ":") {
		return s.load(name)
	}
	src, err := s.readRevision(name, current)
	if err != nil {
		return nil, err
	}
	return loadSource(name, src), nil
}

func isTaxonomy(ext string) bool { return ext == ".yaml" || ext == ".yml" }

// readRevision reads a file of a git revision, REVISION or REVISION:PATH. Without a path it reads
// the path of the current taxonomy.
func (s *session) readRevision(name, current string) ([]byte, error) {
	expression, dir := name, s.path(".")
	if !strings.Contains(name, ":") {
		if _, path, revision := strings.Cut(current, ":"); revision {
			expression = name + ":" + path
		} else {
			if current == stdinArg || !s.exists(current) {
				current = defaultFile
			}
			expression, dir = name+":./"+filepath.Base(current), filepath.Dir(s.path(current))
		}
	}
	src, err := gitfile.Read(s.ctx, dir, expression)
	if err != nil {
		return nil, fmt.Errorf("read taxonomy: %s is not a file, and not in git: %s", name, diag.Printable(err.Error()))
	}
	revision, path, _ := strings.Cut(expression, ":")
	return spec.Include(name, src, func(file string) ([]byte, error) {
		return gitfile.Read(s.ctx, dir, revision+":"+path[:strings.LastIndex(path, "/")+1]+file)
	})
}

func diffFlags(fs *flag.FlagSet, o *options) {
	o.choice(fs, "print notes as `FORM`: text, markdown or json (one object a line)", diag.FormatText,
		"markdown", diag.FormatJSON)
}

func (s *session) diff(o *options, args []string) error {
	current := defaultFile
	if len(args) > 1 {
		current = args[1]
	}
	if args[0] == stdinArg && current == stdinArg {
		return usagef("diff: only one of the two taxonomies can come from standard input")
	}
	now, err := s.loadVersion(current, defaultFile)
	if err != nil {
		return err
	}
	if now.model == nil {
		return s.faults(now.source, now.findings)
	}
	old, err := s.released(args[0], current, &options{format: diag.FormatText})
	if err != nil {
		return err
	}
	return breaking.PrintNotes(s.Stdout, string(o.format),
		breaking.Differences(breaking.New(old.tree), breaking.New(now.tree)))
}
