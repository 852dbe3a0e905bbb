package breaking

import (
	"bytes"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"gopkg.in/yaml.v3"

	"github.com/errgen/errgen/internal/diag"
)

// AcceptFile is the name of the file of accepted changes, beside taxonomy.yaml.
const AcceptFile = "errgen.accept.yaml"

// The findings about accepted changes.
const (
	idAccept        = "E-accept"
	idAcceptExpired = "E-accept-expired"
	idAcceptUnused  = "E-accept-unused"
)

// AcceptIDs returns the ids of the findings about accepted changes.
func AcceptIDs() []string { return []string{idAccept, idAcceptExpired, idAcceptUnused} }

// Acceptances are the entries of a file of accepted changes.
type Acceptances struct {
	Source   *diag.Source
	Findings []diag.Finding // about malformed entries
	doc      yaml.Node
	list     *yaml.Node
	entries  []acceptance
}

// acceptance is an entry. Until the end of a day, it accepts the changes that have its id and a
// subject that matches its pattern.
type acceptance struct {
	id, subject, reason, until string
	node                       *yaml.Node
}

// ReadAcceptances reads a file of accepted changes. Malformed entries are findings and accept
// nothing.
func ReadAcceptances(name string, src []byte) *Acceptances {
	a := &Acceptances{Source: diag.NewSource(name, src)}
	if err := yaml.Unmarshal(src, &a.doc); err != nil {
		a.fail(diag.Span{}, "", "the file is not YAML: %v", err)
		return a
	}
	if a.doc.Kind == 0 {
		a.doc = yaml.Node{Kind: yaml.DocumentNode, Content: []*yaml.Node{{Kind: yaml.MappingNode}}}
	}
	root := a.doc.Content[0]
	if len(root.Content) == 2 && root.Content[1].Tag == "!!null" {
		root.Content = nil // accept: without entries
	}
	switch {
	case root.Kind == yaml.MappingNode && len(root.Content) == 0:
		a.list = &yaml.Node{Kind: yaml.SequenceNode}
		root.Content = []*yaml.Node{{Kind: yaml.ScalarNode, Value: "accept"}, a.list}
	case root.Kind == yaml.MappingNode && len(root.Content) == 2 && root.Content[0].Value == "accept" &&
		root.Content[1].Kind == yaml.SequenceNode:
		a.list = root.Content[1]
	default:
		a.fail(nodeSpan(root), "", "the file must have one key, accept, with a list of entries")
	}
	for i := 0; a.list != nil && i < len(a.list.Content); i++ {
		a.entry(a.list.Content[i])
	}
	return a
}

// fail adds a finding about a malformed entry.
func (a *Acceptances) fail(span diag.Span, hint, format string, args ...any) {
	a.Findings = append(a.Findings, diag.Finding{ID: idAccept, Span: span, Hint: hint,
		Message: fmt.Sprintf(format, args...)})
}

func nodeSpan(n *yaml.Node) diag.Span {
	return diag.Span{Line: n.Line, Col: n.Column, Len: len([]rune(n.Value))}
}

// entry reads an entry.
func (a *Acceptances) entry(node *yaml.Node) {
	const keys = "an entry has the keys id, subject, reason and until"
	fields := make(map[string]string)
	if err := node.Decode(&fields); err != nil || len(fields) != 4 {
		a.fail(nodeSpan(node), "", keys)
		return
	}
	for _, key := range []string{"id", "subject", "reason", "until"} {
		if strings.TrimSpace(fields[key]) == "" {
			a.fail(nodeSpan(node), keys, "the entry has no %s", key)
			return
		}
	}
	e := acceptance{fields["id"], fields["subject"], fields["reason"], fields["until"], node}
	_, badDate := time.Parse(time.DateOnly, e.until)
	_, badGlob := path.Match(e.subject, "")
	switch {
	case badDate != nil:
		a.fail(nodeSpan(node), "", "until: %s is not a date such as 2027-01-31", e.until)
	case badGlob != nil:
		a.fail(nodeSpan(node), "", "subject: %s is not a valid pattern", e.subject)
	case Levels(e.id) == 0:
		a.fail(nodeSpan(node), diag.DidYouMean(e.id, IDs()), "id: %s is not the id of a change", e.id)
	default:
		a.entries = append(a.entries, e)
	}
}

// matches reports whether the entry is about a change.
func (e acceptance) matches(c Change) bool {
	match := func(name string) bool {
		ok, err := path.Match(e.subject, name)
		return ok && err == nil && name != ""
	}
	return e.id == c.ID && (match(c.Subject.String()) || match(c.Subject.Was) || match(c.Subject.Field))
}

// Apply returns the changes that no entry accepts at the time now, and a finding for each entry
// that is malformed, is expired, or matches no change.
func (a *Acceptances) Apply(changes []Change, now time.Time) ([]Change, []diag.Finding) {
	day := now.UTC().Format(time.DateOnly)
	findings, accepted := slices.Clone(a.Findings), make([]bool, len(changes))
	for _, e := range a.entries {
		used := false
		for i, c := range changes {
			if e.matches(c) {
				used = true
				accepted[i] = accepted[i] || day <= e.until
			}
		}
		f := diag.Finding{Span: nodeSpan(e.node)}
		switch {
		case !used:
			f.ID, f.Hint = idAcceptUnused, "remove the entry"
			f.Message = fmt.Sprintf("no %s of %s exists", e.id, e.subject)
		case day > e.until:
			f.ID, f.Hint = idAcceptExpired, "revert the change, or accept it again"
			f.Message = fmt.Sprintf("%s of %s was accepted until %s: %s", e.id, e.subject, e.until, e.reason)
		default:
			continue
		}
		findings = append(findings, f)
	}
	var rest []Change
	for i, c := range changes {
		if !accepted[i] {
			rest = append(rest, c)
		}
	}
	return rest, findings
}

// Add returns the file with a new entry for each id and subject of changes. It removes expired
// entries, and entries that match none of the changes in all.
func (a *Acceptances) Add(changes, all []Change, reason, until string, now time.Time) ([]byte, error) {
	day := now.UTC().Format(time.DateOnly)
	var keep []*yaml.Node
	for _, e := range a.entries {
		if day <= e.until && slices.ContainsFunc(all, e.matches) {
			keep = append(keep, e.node)
		}
	}
	seen := make(map[[2]string]bool)
	for _, c := range changes {
		subject := escapePattern(c.Subject.String())
		if k := [2]string{c.ID, subject}; !seen[k] {
			seen[k] = true
			node := &yaml.Node{Kind: yaml.MappingNode}
			for _, text := range []string{"id", c.ID, "subject", subject, "reason", reason, "until", until} {
				scalar := &yaml.Node{}
				scalar.SetString(text)
				node.Content = append(node.Content, scalar)
			}
			keep = append(keep, node)
		}
	}
	a.list.Content, a.list.Style = keep, a.list.Style&^yaml.FlowStyle
	var b bytes.Buffer
	enc := yaml.NewEncoder(&b)
	enc.SetIndent(2)
	if err := enc.Encode(&a.doc); err != nil {
		return nil, fmt.Errorf("write acceptances: %w", err)
	}
	return b.Bytes(), nil
}

// escapePattern returns the pattern that matches only this name.
func escapePattern(name string) string {
	return strings.NewReplacer(`*`, `\*`, `?`, `\?`, `[`, `\[`, `\`, `\\`).Replace(name)
}
