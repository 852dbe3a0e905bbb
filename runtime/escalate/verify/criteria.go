package verify

import (
	"context"
	"errors"
	"os"
	"strconv"

	"github.com/errgen/errgen/runtime/detect"
	"github.com/errgen/errgen/runtime/escalate/plan"
	"github.com/errgen/errgen/runtime/internal/text"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// Criteria looks into each criterion in its order, and returns evidence for those that are not met:
// type format, missing_sections, count, size or content, attributes expected and actual, and the
// files. A path that is not there, that is no regular file, that leads out of the tree or that
// cannot be read does not meet its criterion; it has the type of the criterion, and no errno, since
// it is a result that is missing. There is no exit code either, but for 126 and 127, which say that
// a command could not be started; one that the system could not start has its errno.
//
// For sections see [plan.Sections] and the headings of CommonMark; a text with leading # asks for
// that level, case and what emphasizes do not count. Lines are counted without their ends; one of
// more than 1 MiB cannot be counted. Files are counted outside of .git only, and symbolic links as
// what they lead to in the tree. An empty file is no JSON, no CSV and no XML. When ctx ends, that
// is the last evidence, and the rest is not looked into.
func (v *Verifier) Criteria(ctx context.Context, criteria []plan.Criterion) []*taxonomy.Evidence {
	if len(criteria) == 0 {
		return nil
	}
	root, err := os.OpenRoot(v.o.Dir)
	if err != nil {
		ev := detect.Of(err)
		ev.Source, ev.Op, ev.Text = sourceCheck, opCriteria, "the tree cannot be opened"
		return []*taxonomy.Evidence{&ev}
	}
	defer root.Close()
	var failed []*taxonomy.Evidence
	for i := range criteria {
		ev := v.criterion(ctx, root, &criteria[i])
		if ev == nil {
			continue
		}
		if failed = append(failed, ev); ctx.Err() != nil {
			break
		}
	}
	return failed
}

// unmet is how a criterion is not met.
type unmet struct {
	kind             string // the type of evidence
	expected, actual string
	files            []string // those it is about; nil is the criterion's path
}

// errSlow is the cause of a context that ended because a criterion took too long.
var errSlow = errors.New("the time for a criterion is over")

func (v *Verifier) criterion(ctx context.Context, root *os.Root, k *plan.Criterion) *taxonomy.Evidence {
	if k.Kind == plan.Passes {
		return v.passes(ctx, k)
	}
	limited, cancel := context.WithTimeoutCause(ctx, v.o.Limit, errSlow)
	defer cancel()
	l := &looking{ctx: limited, root: root, maxRead: v.o.MaxRead, name: local(k.Path), k: k}
	wrong := &unmet{kind: typeContent, expected: "something that can be looked into"}
	if limited.Err() == nil {
		wrong = l.look()
	}
	switch {
	case ctx.Err() != nil:
		return stopped(ctx, sourceCheck, opCriteria, string(k.Kind)+" of "+named(k.Path))
	case limited.Err() != nil && wrong != nil:
		wrong.actual = "what could not be looked into within " + v.o.Limit.String()
	}
	if wrong == nil {
		return nil
	}
	if wrong.files == nil {
		wrong.files = []string{k.Path}
	}
	return wrong.evidence(named(k.Path))
}

// evidence returns the evidence of a criterion of what is said to be of.
func (u *unmet) evidence(of string) *taxonomy.Evidence {
	ev := &taxonomy.Evidence{
		Source: sourceCheck, Op: opCriteria, Type: u.kind,
		Text: text.OneLine(of+": expected "+u.expected+", found "+u.actual, maxSaid),
	}
	for _, name := range u.files {
		ev.Files = append(ev.Files, text.Masked(name))
	}
	return with(ev, attributeExpected, u.expected, attributeActual, u.actual)
}

// looking is what is needed to look into one criterion that is about files.
type looking struct {
	ctx     context.Context
	root    *os.Root
	maxRead int64
	name    string
	k       *plan.Criterion
}

func (l *looking) look() *unmet {
	if l.name == "" {
		return &unmet{kind: typeContent, expected: "a path to look at", actual: "none", files: []string{}}
	}
	switch l.k.Kind {
	case plan.Exists:
		return l.exists()
	case plan.Format:
		return l.format()
	case plan.Sections:
		return l.sections()
	case plan.Count:
		if l.k.Text == "" {
			return l.countFiles()
		}
		return l.countLines()
	case plan.Size:
		return l.size()
	case plan.Content:
		return l.content()
	}
	return &unmet{kind: typeContent, expected: "a criterion of a known kind",
		actual: "the kind " + named(string(l.k.Kind))}
}

// unread says that a criterion is not met since its file could not be read.
func (l *looking) unread(kind, expected string, err error) *unmet {
	actual := "nothing: it " + whyNot(err)
	if errors.Is(err, errTooLarge) {
		actual = "a file of more than " + bytesOf(l.maxRead) + ", which is not read"
	}
	return &unmet{kind: kind, expected: expected, actual: actual}
}

func (l *looking) exists() *unmet {
	const expected = "a file or a directory"
	info, err := l.root.Stat(l.name)
	if err != nil {
		return l.unread(typeContent, expected, err)
	}
	if err = regular(info, l.name); err != nil && !info.IsDir() {
		return l.unread(typeContent, expected, err)
	}
	return nil
}

func (l *looking) size() *unmet {
	expected := bounds(l.k, "byte", "")
	info, err := l.root.Stat(l.name)
	if err == nil {
		err = regular(info, l.name)
	}
	if err != nil {
		return l.unread(typeSize, expected, err)
	}
	if inBounds(l.k, info.Size()) {
		return nil
	}
	return &unmet{kind: typeSize, expected: expected, actual: text.Count(info.Size(), "byte")}
}

// inBounds reports whether n keeps the bounds of a criterion.
func inBounds(k *plan.Criterion, n int64) bool { return n >= k.Min && (k.Max <= 0 || n <= k.Max) }

// bounds returns the bounds of a criterion as a number of things that a noun names, with what
// follows the noun: "at least 2 lines matching x".
func bounds(k *plan.Criterion, noun, which string) string {
	switch {
	case k.Max <= 0:
		return "at least " + text.Count(k.Min, noun) + which
	case k.Min <= 0:
		return "at most " + text.Count(k.Max, noun) + which
	case k.Min == k.Max:
		return text.Count(k.Min, noun) + which
	}
	return strconv.FormatInt(k.Min, 10) + " to " + text.Count(k.Max, noun) + which
}

func bytesOf(n int64) string {
	if n%(1<<20) == 0 {
		return strconv.FormatInt(n>>20, 10) + " MiB"
	}
	return text.Count(n, "byte")
}
