package main

import (
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/errgen/errgen/runtime/escalate"
)

// nameless is the name of a run that is not kept.
const nameless = "plan"

// nameForm is what names of runs are like: the copy of a project is made in a directory of that
// name.
var nameForm = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,79}$`)

// unnamed is what stands for a run's name.
var unnamed = regexp.MustCompile(`[^A-Za-z0-9]+`)

// runName returns the name of the run. One that is kept has a name of its plan and its tree unless
// it is given one, so that no plan is taken for another.
func (o *options) runName() (string, error) {
	switch {
	case o.run != "":
		return o.run, nil
	case !o.keeps():
		return nameless, nil
	}
	plan, err := filepath.Abs(o.plan)
	if err != nil {
		return "", fmt.Errorf("name the run: %w", err)
	}
	dir := ""
	if o.dir != "" {
		if dir, err = filepath.Abs(o.dir); err != nil {
			return "", fmt.Errorf("name the run: %w", err)
		}
	}
	base := strings.TrimSuffix(filepath.Base(plan), filepath.Ext(plan))
	base = strings.Trim(unnamed.ReplaceAllString(base, "-"), "-")
	if base == "" {
		base = nameless
	}
	of := resolved(plan) + "\x00" + resolved(dir)
	if o.inTree() {
		of += "\x00" // what git keeps for a run goes by its name, and the one of -state is another
	}
	sum := sha256.Sum256([]byte(of))
	return fmt.Sprintf("%s-%x", base[:min(len(base), 40)], sum[:4]), nil
}

// resolved returns a path without symbolic links, if it is there.
func resolved(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	return path
}

// writeRemembered says that nothing was carried out, because the run had ended before.
func (s *session) writeRemembered(w io.Writer, r *escalate.Result) {
	how := "another -run carries the plan out anew."
	switch {
	case s.inTree() && r.EndReason == escalate.EndCompleted:
		how = "the same command then carries the plan out anew."
	case s.inTree():
		how = "after -give-up, or with another -run, the plan is carried out anew."
	}
	say(w, "The run %s has ended before. This is how; %s", s.name, how)
	fmt.Fprintln(w)
}

// writeAnswering says how the question is answered, how a run is taken up again that has failed, or
// what else lets it go on.
func (s *session) writeAnswering(ctx context.Context, w io.Writer, r *escalate.Result) {
	switch {
	case r.Question == nil &&
		(r.EndReason != escalate.EndFailed && r.EndReason != escalate.EndRevert || !s.keeps() || s.giveUp &&
			r.EndReason == escalate.EndFailed):
	case !s.keeps() && r.EndReason == escalate.EndPlan:
	case !s.keeps():
		advise(w, "The run is not kept, so that it cannot be answered. With -state it is.")
	case !s.hasGit():
		advise(w,
			fmt.Sprintf(
				"%s is gone, so that nothing can be put back, and the run cannot be gone on with. Restore it from "+
					"a copy.", s.tree.GitDir()))
	case r.EndReason == escalate.EndRevert:
		advise(w,
			"The tree is not as it was. Remove the cause, and run the same command again, which puts it back first:",
			s.again()...)
	case s.endKept(ctx) != r.EndReason:
		advise(w, "The end of the run could not be kept. Remove the cause, and run the same command again:",
			s.again()...)
	case r.Question == nil:
		advise(w, "Take it up again:", append([]string{"-answer 'TEXT'"}, s.again()...)...)
	default:
		advise(w, "Answer:", append([]string{"-answer 'TEXT'"}, s.again()...)...)
	}
}

// advise says what can be done, and the command that does it if there is one.
func advise(w io.Writer, what string, args ...string) {
	fmt.Fprintln(w)
	say(w, "%s", what)
	if len(args) > 0 {
		say(w, "  orchestrator %s", strings.Join(args, " "))
	}
}

// again returns the arguments that go on with the run as it was begun, for a shell.
func (s *session) again() []string {
	var all []string
	add := func(flag, value string) {
		if value != "" {
			all = append(all, "-"+flag, quoted(value))
		}
	}
	each := func(flag string, values []string) {
		for _, v := range values {
			add(flag, v)
		}
	}
	add("state", s.state)
	add("run", s.name)
	add("dir", s.dir)
	each("allow", s.allow)
	each("forbid", s.forbid)
	add("profile", s.profile)
	add("review", s.review)
	add("tiers", s.tiers)
	if s.commit {
		all = append(all, "-commit")
	}
	if s.stepTime > 0 {
		add("step-time", s.stepTime.String())
	}
	if s.time > 0 {
		add("time", s.time.String())
	}
	if s.turns > 0 {
		add("turns", strconv.Itoa(s.turns))
	}
	if strings.HasPrefix(s.plan, "-") {
		all = append(all, "--")
	}
	return append(all, quoted(s.plan))
}

// plain is what a shell takes as it is.
var plain = regexp.MustCompile(`^[A-Za-z0-9_./:=@%+,-]+$`)

// quoted returns an argument as a shell takes it.
func quoted(arg string) string {
	if plain.MatchString(arg) {
		return arg
	}
	return "'" + strings.ReplaceAll(arg, "'", `'\''`) + "'"
}
