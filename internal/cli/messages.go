package cli

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/errgen/errgen/internal/check"
	"github.com/errgen/errgen/internal/cldr"
	"github.com/errgen/errgen/internal/diag"
	"github.com/errgen/errgen/internal/emit"
	"github.com/errgen/errgen/internal/model"
	"github.com/errgen/errgen/internal/output"
	"github.com/errgen/errgen/internal/spec"
)

// messagesFile returns the name of the file of a language's messages, beside the taxonomy.
func messagesFile(l *loaded, tag string) string {
	base := filepath.Base(l.name)
	return filepath.Join(l.dir(), strings.TrimSuffix(base, filepath.Ext(base))+".messages."+tag+".yaml")
}

// loadMessages reads the files of messages beside a valid taxonomy, sorted by name.
func (s *session) loadMessages(l *loaded) error {
	if l.model == nil || l.name == stdinArg {
		return nil
	}
	prefix, suffix, _ := strings.Cut(filepath.Base(messagesFile(l, "*")), "*")
	entries, err := os.ReadDir(s.path(l.dir()))
	if err != nil {
		return fmt.Errorf("read messages: %w", cause(err))
	}
	for _, e := range entries {
		rest, ok := strings.CutPrefix(e.Name(), prefix)
		if other, isOther := strings.CutSuffix(rest, ".yml"); ok && isOther {
			return fmt.Errorf("read messages: %s: rename the file to %s, because no other name is read",
				filepath.Join(l.dir(), e.Name()), messagesFile(l, other))
		}
		tag, isYAML := strings.CutSuffix(rest, suffix)
		if !ok || !isYAML || tag == "" {
			continue
		}
		name := messagesFile(l, tag)
		src, err := s.readFile(name)
		if err != nil {
			return fmt.Errorf("read messages: %s: %w", name, cause(err))
		}
		language, source, findings := check.Messages(l.model, name, tag, src)
		l.messages = append(l.messages, diag.FileFindings{Source: source, Findings: findings})
		if language != nil {
			l.model.Languages = append(l.model.Languages, language)
		}
	}
	return nil
}

// planMessages compares the package of messages, below the one of the errors, with the disk. It
// returns nil if there is nothing to compare.
func planMessages(t output.Target, l *loaded) (*output.Plan, error) {
	t.Dir, t.Show = filepath.Join(t.Dir, "messages"), filepath.Join(cmp.Or(t.Show, t.Dir), "messages")
	made := emit.Languages(l.model)
	if _, err := os.Lstat(t.Dir); len(made) == 0 && err != nil {
		return nil, nil
	}
	var files []output.File
	for _, f := range made {
		files = append(files, output.File(f))
	}
	return output.NewPlan(t, files)
}

// messages writes or updates the file of a language's messages. Texts stay unchanged.
func (s *session) messages(o *options, args []string) error {
	if len(args) > 1 && args[1] == stdinArg {
		return usagef("messages: name the taxonomy's file in place of standard input")
	}
	l, err := s.valid(args[1:])
	if err != nil {
		return err
	}
	tag := args[0]
	if _, ok := cldr.Lookup(tag); !ok {
		return usagef("messages: %q is not a known language%s", tag, suggestion(tag, cldr.Languages()))
	}
	name := messagesFile(l, tag)
	old, err := s.readFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		old, err = []byte("language: "+tag+"\nmessages: {}\n"), nil
		if s.exists(filepath.Join(l.dir(), schemaFile)) {
			old = append([]byte(modeline), old...)
		}
	}
	var text []byte
	if err == nil {
		text, err = updateMessages(l.model, name, old)
	}
	if err == nil && !bytes.Equal(text, old) {
		err = output.Replace(s.path(name), text)
	}
	if err != nil {
		return fmt.Errorf("messages: %s: %w", name, cause(err))
	}
	_, source, findings := check.Messages(l.model, name, tag, text)
	return s.printFindings(o, s.Stderr, false, diag.FileFindings{Source: source, Findings: findings})
}

// updateMessages adds missing entries, keys and hashes, and writes the taxonomy's texts as comments.
func updateMessages(m *model.Package, name string, src []byte) ([]byte, error) {
	if _, t, findings := spec.ParseMessages(name, src); diag.HasErrors(findings) {
		_, line := t.Source.Place(findings[0].Span.Line)
		return nil, fmt.Errorf("line %d: %s", line, findings[0].Message)
	}
	doc, err := spec.OpenDocument(name, src)
	if err != nil {
		return nil, err
	}
	if list, ok := doc.Root().Get("messages").(spec.Pairs); !ok || len(list) == 0 {
		doc.Root().Set("messages", "language", spec.Pairs{})
	}
	list, after := doc.Root().Map("messages"), ""
	for _, k := range m.Codes {
		if !k.IsTranslated() {
			continue
		}
		entry := list.Map(k.Name)
		if entry == nil {
			list.Set(k.Name, after, spec.Pairs{{Key: "message", Value: ""}})
			entry = list.Map(k.Name)
		}
		if k.Decl.Resolution.V != "" && entry.Get("resolution") == nil {
			entry.Set("resolution", "message", "")
		}
		if entry.Get("message") != "" && entry.Get("english") == nil {
			entry.Set("english", "resolution", k.Hash())
		}
		after = k.Name
	}
	text := doc.Bytes()
	file, _, _ := spec.ParseMessages(name, text)
	return commentMessages(m, file, text), nil
}

// commentMessages replaces the comments with the taxonomy's texts above the codes of a file.
func commentMessages(m *model.Package, file *spec.Messages, src []byte) []byte {
	lines, end := strings.SplitAfter(string(src), "\n"), "\n"
	if bytes.Contains(src, []byte("\r\n")) {
		end = "\r\n"
	}
	for _, x := range slices.Backward(file.Messages) {
		at := x.Code.Span.Line - 1
		prefix := lines[at][:x.Code.Span.Col-1] + "# en: "
		k := m.CodeByKey(x.Code.V)
		if k == nil || strings.TrimLeft(prefix, " ") != "# en: " { // unknown, or in braces
			continue
		}
		first := at
		for first > 0 && strings.HasPrefix(lines[first-1], prefix) {
			first--
		}
		var comments []string
		for _, text := range []string{k.Decl.Message.V, k.Decl.Resolution.V} {
			if text = strings.Join(strings.Fields(text), " "); text != "" {
				comments = append(comments, prefix+text+end)
			}
		}
		lines = slices.Replace(lines, first, at, comments...)
	}
	return []byte(strings.Join(lines, ""))
}
