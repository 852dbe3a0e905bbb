package signature

import (
	"fmt"
	"strings"

	"github.com/errgen/errgen/internal/prefilter"
	"github.com/errgen/errgen/runtime/detect"
	"github.com/errgen/errgen/runtime/taxonomy"
	"github.com/errgen/errgen/signatures"
)

// Runtime returns a signature as generated packages have it.
func Runtime(s *signatures.Signature) (*detect.Signature, error) {
	rules, err := Compile(s)
	if err != nil {
		return nil, err
	}
	leads := leads()
	out := &detect.Signature{Name: s.Name, Over: append([]string(nil), s.Over...)}
	if s.Effect != "" {
		if err := out.Effect.UnmarshalText([]byte(s.Effect)); err != nil {
			return nil, fmt.Errorf("signature %s: %w", s.Name, err)
		}
	}
	for _, r := range rules {
		var texts, contains []detect.Pattern
		for _, text := range r.Text {
			p, err := Pattern(text)
			if err != nil {
				return nil, fmt.Errorf("signature %s: %w", s.Name, err)
			}
			texts = append(texts, p)
		}
		for _, text := range r.Contains {
			contains = append(contains, prefilter.PlainPattern(text))
		}
		out.Any = append(out.Any, detect.Form{Conditions: r.Conditions, Text: prefilter.Pack(texts, leads),
			Contains: prefilter.Pack(contains, leads), Weak: r.Weak})
	}
	for _, x := range s.Extract {
		out.Extract = append(out.Extract, detect.Extract{Attribute: x.Attribute, Text: x.Text})
	}
	return out, nil
}

// Matcher finds the signatures that evidence matches.
type Matcher struct {
	Rules      *detect.Rules
	signatures []signatures.Signature
}

// NewMatcher returns the matcher of a list of signatures.
func NewMatcher(list []signatures.Signature) (*Matcher, error) {
	codes := make([]taxonomy.Code, 1)
	rules := make([][]detect.CodeRule, 1)
	for i := range list {
		like, err := Runtime(&list[i])
		if err != nil {
			return nil, err
		}
		codes = append(codes, taxonomy.Code{Value: list[i].Name})
		rules = append(rules, []detect.CodeRule{{Like: []*detect.Signature{like}}})
	}
	d := &detect.Detection{
		Taxonomy:   &taxonomy.Taxonomy{Categories: []*taxonomy.Category{{Codes: codes}}},
		Categories: [][][]detect.CodeRule{rules}, Leads: Leads(),
	}
	return &Matcher{d.Rules(), list}, nil
}

// Match returns the signature that wins for the evidence, or nil.
func (m *Matcher) Match(ev *taxonomy.Evidence) *signatures.Signature {
	i := m.Rules.Match(ev, nil)
	if i == detect.NoRule {
		return nil
	}
	return &m.signatures[m.Rules.Rules[i].Row.Code()-1]
}

// maxLiteral is the length in bytes of the literals of signatures. There are so many that longer
// ones are not worth their size.
const maxLiteral = 16

// Pattern returns the pattern of a text.
func Pattern(t Text) (detect.Pattern, error) {
	p, err := prefilter.Pattern(strings.NewReplacer("\n", `\n`, "\t", `\t`).Replace(t.Expr))
	for i, l := range p.Literals { // a part of a literal is a literal, too
		for part := range strings.FieldsFuncSeq(l.Text, func(r rune) bool { return r == '\n' || r == '\t' }) {
			if p.Literals[i].Text = part; len(part) >= prefilter.MinLiteral {
				break
			}
		}
	}
	p.Literals = prefilter.Shorten(p.Literals, maxLiteral)
	p.Lead = t.Lead
	return p, err
}
