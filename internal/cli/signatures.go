package cli

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/errgen/errgen/internal/detection"
	"github.com/errgen/errgen/internal/diag"
	"github.com/errgen/errgen/internal/resolve"
	"github.com/errgen/errgen/internal/spec"
	"github.com/errgen/errgen/signatures"
)

func signaturesCommand() *command {
	return &command{
		name: "signatures", args: "[taxonomy.yaml]", max: 1,
		summary: "list the signatures that rules can name with like",
		details: `
Signatures lists the signatures of errgen: how kinds of failures show themselves, whatever tool prints them. With a
taxonomy it lists the ones that the taxonomy declares, too. "errgen explain like NAME" shows one.`,
		flags: textOrJSON,
		run:   (*session).signatures,
	}
}

// signatures lists all signatures by family.
func (s *session) signatures(o *options, args []string) error {
	list, err := s.signatureList(args)
	if err != nil {
		return err
	}
	var b bytes.Buffer
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	for _, x := range list {
		if o.format == diag.FormatJSON {
			if err := s.json(map[string]string{"name": x.Name, "family": x.Family, "doc": x.Doc}); err != nil {
				return err
			}
			continue
		}
		_, _ = fmt.Fprintf(w, "%s\t%s\t%s\n", x.Name, x.Family, oneLine(x.Doc)) // a buffer accepts everything
	}
	_ = w.Flush()
	return s.write(escapeControls(b.Bytes()))
}

// own is the family of the signatures that a taxonomy declares.
const own = "taxonomy"

// signatureList returns the signatures of a taxonomy, if one is named, and then those of errgen.
func (s *session) signatureList(args []string) ([]signatures.Signature, error) {
	library, err := signatures.Library()
	if err != nil || len(args) == 0 {
		return library, err
	}
	l, err := s.valid(args)
	if err != nil {
		return nil, err
	}
	return append(ownSignatures(l), library...), nil
}

// ownSignatures returns the signatures that a taxonomy declares.
func ownSignatures(l *loaded) []signatures.Signature {
	var list []signatures.Signature
	t, _ := spec.Parse(l.name, l.source.Bytes)
	for i := range t.Signatures {
		d := &t.Signatures[i]
		x := resolve.Signature(d)
		x.Family = own
		for j := range d.Examples {
			x.Examples = append(x.Examples, exampleOf(&d.Examples[j]))
		}
		for j := range d.NotExamples {
			x.NotExamples = append(x.NotExamples, exampleOf(&d.NotExamples[j]))
		}
		list = append(list, *x)
	}
	return list
}

func exampleOf(d *spec.Example) signatures.Example {
	ev := resolve.Evidence(d)
	x := signatures.Example{Source: ev.Source, Op: ev.Op, Status: ev.Status, Type: ev.Type, Code: ev.Code,
		Signal: ev.Signal, Errno: ev.Errno, Text: ev.Text, Attributes: ev.Attributes}
	if code, ok := ev.ExitCode.Get(); ok {
		x.ExitCode = &code
	}
	return x
}

// explainSignature prints the conditions and examples of a signature. Without a taxonomy it is one
// of the default taxonomy, if that can be read and has no faults, or of errgen.
func (s *session) explainSignature(o *options, name string, taxonomy []string) error {
	list, err := s.signatureList(taxonomy)
	if err != nil {
		return err
	}
	if len(taxonomy) == 0 {
		if all, err := s.loadAll(nil); err == nil && all[0].model != nil {
			list = append(ownSignatures(all[0]), list...)
		}
	}
	var names []string
	for i := range list {
		if list[i].Name == name {
			return s.print(o, &signatureDoc{&list[i]})
		}
		names = append(names, list[i].Name)
	}
	return fmt.Errorf("explain: there is no signature %q%s", name, suggestion(name, names))
}

// signatureDoc is the explanation of a signature.
type signatureDoc struct{ *signatures.Signature }

// MarshalJSON returns the signature with its forms as they are in its file.
func (d *signatureDoc) MarshalJSON() ([]byte, error) {
	text := func(list []signatures.Example) []string {
		out := make([]string, len(list))
		for i := range list {
			out[i] = exampleText(&list[i])
		}
		return out
	}
	return json.Marshal(map[string]any{
		"name": d.Name, "family": d.Family, "doc": d.Doc, "over": d.Over, "any": d.forms(), "seen": d.Seen,
		"extract": d.extracts(), "examples": text(d.Examples), "not_examples": text(d.NotExamples),
	})
}

func (d *signatureDoc) text() []byte {
	p := &page{}
	fmt.Fprintf(&p.Buffer, "%s (%s)\n\n  %s\n\n", d.Name, d.Family, oneLine(d.Doc))
	p.line("over", strings.Join(d.Over, ", "))
	p.lines("any", d.forms())
	p.lines("extract", d.extracts())
	p.line("seen", strings.Join(d.Seen, ", "))
	var texts []string
	for i := range d.Examples {
		texts = append(texts, exampleText(&d.Examples[i]))
	}
	p.lines("examples", texts)
	texts = nil
	for i := range d.NotExamples {
		texts = append(texts, exampleText(&d.NotExamples[i]))
	}
	p.lines("not", texts)
	return escapeControls(p.Bytes())
}

// forms returns the conditions, one a line.
func (d *signatureDoc) forms() []string {
	var out []string
	for i := range d.Any {
		c := &d.Any[i]
		var keys []string
		add := func(key string, values ...string) {
			if len(values) > 0 {
				keys = append(keys, key+" "+strings.Join(values, " | "))
			}
		}
		matcher := func(key string, m signatures.Matcher) {
			add(key, m.Any...)
			add(key+" not", m.Not...)
			add(key+" prefix", m.Prefix...)
			if m.Min != nil {
				add(key+" min", fmt.Sprint(*m.Min))
			}
			if m.Max != nil {
				add(key+" max", fmt.Sprint(*m.Max))
			}
			if m.Present != nil {
				add(key+" present", fmt.Sprint(*m.Present))
			}
		}
		for _, part := range []struct {
			key string
			m   signatures.Matcher
		}{{"source", c.Source}, {"op", c.Op}, {"status", c.Status}, {"type", c.Type}, {"code", c.Code},
			{"exit_code", c.ExitCode}, {"signal", c.Signal}, {"errno", c.Errno}} {
			matcher(part.key, part.m)
		}
		for _, name := range slices.Sorted(maps.Keys(c.Attributes)) {
			matcher("attributes."+name, c.Attributes[name])
		}
		head := strings.Join(keys, ", ")
		texts := 0
		for _, list := range []struct {
			key   string
			texts []string
		}{{"text", c.Text}, {"contains", c.Contains}, {"reported", c.Reported}, {"announced", c.Announced}} {
			for _, text := range list.texts {
				out = append(out, strings.TrimPrefix(head+", ", ", ")+list.key+" "+text)
				texts++
			}
		}
		if texts == 0 {
			out = append(out, head)
		}
	}
	return out
}

func (d *signatureDoc) extracts() []string {
	var out []string
	for _, x := range d.Extract {
		for _, text := range x.Text {
			out = append(out, x.Attribute+" "+text)
		}
	}
	return out
}

// exampleText returns an example on one line.
func exampleText(x *signatures.Example) string {
	var parts []string
	add := func(key, value string) {
		if value != "" {
			parts = append(parts, key+" "+value)
		}
	}
	add("source", x.Source)
	add("op", x.Op)
	add("status", positive(x.Status))
	add("type", x.Type)
	add("code", x.Code)
	if x.ExitCode != nil {
		add("exit_code", fmt.Sprint(*x.ExitCode))
	}
	add("signal", x.Signal)
	add("errno", x.Errno)
	for _, name := range slices.Sorted(maps.Keys(x.Attributes)) {
		add("attributes."+name, x.Attributes[name])
	}
	if x.Text != "" {
		parts = append(parts, fmt.Sprintf("%q", x.Text))
	}
	return strings.Join(parts, ", ")
}

// classifyFile prints how a taxonomy classifies the messages of a file, by class.
func (s *session) classifyFile(o *options, l *loaded) error {
	if len(o.evidence.Files) != 1 {
		return usagef("classify: -expect needs one -file of messages")
	}
	in, name := s.Stdin, o.evidence.Files[0]
	if name != stdinArg {
		f, err := os.Open(s.path(name))
		if err != nil {
			return fmt.Errorf("classify: %w", cause(err))
		}
		defer func() { _ = f.Close() }()
		in = f
	}
	messages, err := detection.ReadMessages(in, o.expect)
	if err != nil {
		return fmt.Errorf("classify: %s: %w", displayed(name), err)
	}
	for i := range messages {
		ev := &messages[i].Evidence
		if ev.Source == "" || o.evidence.Source != "" {
			ev.Source = o.evidence.Source
		}
		if ev.Op == "" {
			ev.Op = o.evidence.Op
		}
	}
	scores := detection.NewJudge(l.model).Scores(messages, nil)
	if o.format == diag.FormatJSON {
		for i := range scores {
			if err := s.json(scores[i]); err != nil {
				return err
			}
		}
		return nil
	}
	var b bytes.Buffer
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintln(w, "CLASS\tMESSAGES\tCODE\tRECALL\tWRONG\tWRONG CODES")
	for i := range scores {
		x := &scores[i]
		var wrong []string
		for _, code := range slices.Sorted(maps.Keys(x.WrongCodes)) {
			wrong = append(wrong, fmt.Sprintf("%s %d", code, x.WrongCodes[code]))
		}
		code := x.Code
		if code == "" {
			code = "-"
		}
		_, _ = fmt.Fprintf(w, "%s\t%d\t%s\t%.2f\t%d\t%s\n", x.Class, x.All, code, x.Recall(), x.Wrong,
			strings.Join(wrong, ", "))
	}
	_ = w.Flush()
	for i := range scores {
		for j, f := range scores[i].Failed {
			if j == 0 {
				_, _ = fmt.Fprintf(&b, "\n%s\n", scores[i].Class)
			}
			_, _ = fmt.Fprintf(&b, "  %s: %s: %s\n", diag.Printable(f.ID), cmp.Or(f.Code, "not recognised"),
				shortened(f.Text))
		}
	}
	return s.write(escapeControls(b.Bytes()))
}

// shortened returns a text of a message on one short line.
func shortened(text string) string {
	const limit = 100
	line := []rune(diag.Printable(oneLine(text)))
	if len(line) > limit {
		return string(line[:limit]) + "…"
	}
	return string(line)
}
