package plan

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"
	"gopkg.in/yaml.v3"
)

var (
	// stepHeading is the text of "## 2.3: Title".
	stepHeading = regexp.MustCompile(`^(\S+?):(?:\s+(.*))?$`)
	// stepLine is a line that looks like the heading of a step.
	stepLine = regexp.MustCompile(`(?m)^ {0,3}##[ \t]+\S+:[ \t].*$`)
	yamlLine = regexp.MustCompile(`(?s)^line (\d{1,9}): (.*)$`)
	// unknownKey is yaml's message about an unknown key.
	unknownKey = regexp.MustCompile(`field (\S+) not found in type plan\.\w+`)
)

// Read reads a plan from Markdown and returns it with its faults of form; [Check] returns the
// others.
//
// "# Title" is the plan's title, and each "## ID: Title" a step. The text below the heading of a
// step, with all deeper headings, is the step's instructions, except for one fenced block "yaml
// step" with needs, criteria, files and review. A block "yaml plan" with needs, gate and review may
// precede the first step. Unknown keys are faults.
func Read(source []byte) (*Plan, []Problem) {
	r := &reader{source: source, plan: &Plan{}, headings: map[int]bool{}}
	doc := goldmark.DefaultParser().Parse(text.NewReader(source))
	for n := doc.FirstChild(); n != nil; n = n.NextSibling() {
		switch n := n.(type) {
		case *ast.Heading:
			r.heading(n)
		case *ast.FencedCodeBlock:
			r.fence(n)
		}
	}
	r.endStep(len(source))
	// A fence or a comment that was never closed would hide the steps that follow.
	for _, at := range stepLine.FindAllIndex(source, -1) {
		if line := r.line(at[0]); !r.headings[line] {
			r.add(at[0], "this looks like a step, but it is inside a code block or a comment")
		}
	}
	return r.plan, r.problems
}

type reader struct {
	source       []byte
	plan         *Plan
	step         *Step // the step whose text is being read
	from         int   // where its unread instructions begin
	instructions strings.Builder
	fenced       bool // the block of the step, or of the plan, was read
	headings     map[int]bool
	problems     []Problem
}

// line returns the line number of an offset.
func (r *reader) line(at int) int { return bytes.Count(r.source[:at], []byte("\n")) + 1 }

// lineStart returns the offset of the line that contains at.
func (r *reader) lineStart(at int) int { return bytes.LastIndexByte(r.source[:at], '\n') + 1 }

// nextLine returns the offset of the line after the one that contains at.
func (r *reader) nextLine(at int) int {
	if i := bytes.IndexByte(r.source[at:], '\n'); i >= 0 {
		return at + i + 1
	}
	return len(r.source)
}

func (r *reader) add(at int, format string, args ...any) {
	r.problems = append(r.problems, Problem{Kind: invalid, Line: r.line(at), Text: fmt.Sprintf(format, args...)})
}

func (r *reader) heading(n *ast.Heading) {
	if n.Level > 2 || n.Lines().Len() == 0 {
		return
	}
	segment := n.Lines().At(0)
	begin := r.lineStart(segment.Start)
	title := strings.TrimSpace(string(segment.Value(r.source)))
	if n.Level == 1 {
		if r.step != nil || r.plan.Title != "" {
			r.add(begin, "a plan has one title, before its first step")
			return
		}
		r.plan.Title = title
		return
	}
	r.endStep(begin)
	m := stepHeading.FindStringSubmatch(title)
	if m == nil {
		r.add(begin, "%q is not the heading of a step: write \"## ID: Title\", and deeper headings within a step",
			title)
		m = []string{"", "", title}
	}
	line := r.line(begin)
	r.headings[line] = true
	r.plan.Steps = append(r.plan.Steps, Step{ID: m[1], Title: m[2], Line: line})
	r.step = &r.plan.Steps[len(r.plan.Steps)-1]
	r.fenced, r.from = false, r.nextLine(segment.Stop)
}

// endStep ends the instructions of the step whose text is being read.
func (r *reader) endStep(at int) {
	if r.step != nil {
		r.instructions.Write(r.source[r.from:at])
		r.step.Instructions = strings.TrimSpace(r.instructions.String())
	}
	r.instructions.Reset()
	r.step = nil
}

func (r *reader) fence(n *ast.FencedCodeBlock) {
	if n.Info == nil {
		return
	}
	kind, ok := strings.CutPrefix(strings.Join(strings.Fields(string(n.Info.Value(r.source))), " "), "yaml ")
	if !ok || kind != "step" && kind != "plan" {
		return
	}
	begin, end := r.lineStart(n.Info.Segment.Start), r.nextLine(n.Info.Segment.Stop)
	if count := n.Lines().Len(); count > 0 {
		end = n.Lines().At(count - 1).Stop
	}
	if (kind == "step") != (r.step != nil) || r.fenced {
		r.add(begin, "a step has one block \"yaml step\", and a plan one \"yaml plan\" before its first step")
		return
	}
	r.fenced = true
	var into any = r.plan
	if r.step != nil {
		into = r.step
		r.instructions.Write(r.source[r.from:begin])
		r.from = r.nextLine(end) // after the closing fence
	}
	r.decode(n, begin, into)
}

// decode decodes a block of YAML. It puts empty lines before the block, so that messages have the
// line numbers of the file.
func (r *reader) decode(n *ast.FencedCodeBlock, begin int, into any) {
	var body bytes.Buffer
	body.WriteString(strings.Repeat("\n", r.line(begin)))
	for i := range n.Lines().Len() {
		segment := n.Lines().At(i)
		body.Write(segment.Value(r.source))
	}
	d := yaml.NewDecoder(&body)
	d.KnownFields(true)
	err := d.Decode(into)
	if err == nil && !errors.Is(d.Decode(new(yaml.Node)), io.EOF) {
		err = errors.New("the block has a second document")
	}
	var wrong *yaml.TypeError
	switch {
	case errors.As(err, &wrong):
		for _, message := range wrong.Errors {
			p := Problem{Kind: invalid, Line: r.line(begin), Text: message}
			if at := yamlLine.FindStringSubmatch(message); at != nil {
				p.Line, _ = strconv.Atoi(at[1]) // digits
				p.Text = unknownKey.ReplaceAllString(at[2], `unknown key "$1"`)
			}
			r.problems = append(r.problems, p)
		}
	case err != nil && !errors.Is(err, io.EOF): // an empty block is at its end
		r.add(begin, "the block cannot be decoded: %s", strings.TrimPrefix(err.Error(), "yaml: "))
	}
}
