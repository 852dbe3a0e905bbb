package planfile

import (
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/errgen/errgen/runtime/escalate/plan"
)

// gateForm is how a command of the gate is written.
const gateForm = "go test ./..."

// within says how long a command may take: "(within 5m)".
var within = regexp.MustCompile(`\s\(within ([^\s()]+)\)$`)

// shellWords mean something to a shell only.
var shellWords = []string{"|", "||", "&", "&&", ";", ">", ">>", "<", "2>&1"}

func gate(r *reader, s section) []plan.Command {
	var all []plan.Command
	for _, it := range r.items(s, gateForm) {
		if c, ok := command(&scanner{item: it}); ok {
			all = append(all, c)
		}
	}
	return all
}

// command reads the rest of an item as a command. It may stand in backticks.
func command(s *scanner) (plan.Command, bool) {
	var c plan.Command
	s.space()
	rest := s.rest()
	if found := within.FindStringSubmatch(rest); found != nil {
		limit, err := time.ParseDuration(found[1])
		if err != nil || limit <= 0 {
			s.wrong(len(s.text)-len(found[0])+1, "%s is no time; write such as (within 90s) or (within 5m)",
				quoted(found[1]))
			return c, false
		}
		c.Limit = limit
		rest = strings.TrimSpace(rest[:len(rest)-len(found[0])])
	}
	words := &words{scanner: s, end: s.at + len(rest)}
	if inside, ok := strings.CutPrefix(rest, "`"); ok && strings.HasSuffix(inside, "`") {
		s.at++
		words.end--
	}
	c.Args = words.all()
	s.at = len(s.text)
	return c, c.Args != nil
}

// words splits a command. No shell is asked: quotes keep spaces, and all else is as it is written.
type words struct {
	*scanner
	end int
}

// all returns the words; nil when there is a problem.
func (w *words) all() []string {
	var all []string
	for {
		for w.at < w.end && unicode.IsSpace(w.peek()) {
			w.take()
		}
		if w.at >= w.end {
			break
		}
		begin := w.at
		word, closed := w.word()
		if !closed {
			w.wrong(begin, "a quote is opened here and not closed")
			return nil
		}
		if slices.Contains(shellWords, w.text[begin:w.at]) {
			w.wrong(
				begin, "no shell reads the command: put what needs %s into a script, or write it in quotes when it "+
					"is an argument", quoted(w.text[begin:w.at]))
			return nil
		}
		all = append(all, word)
	}
	if len(all) == 0 || all[0] == "" {
		w.wrong(w.at, "the command is missing; write such as %s", gateForm)
		return nil
	}
	return all
}

// word reads one word, and reports whether its quotes are closed.
func (w *words) word() (word string, closed bool) {
	var b strings.Builder
	var quote rune
	for w.at < w.end {
		c := w.peek()
		if quote == 0 && unicode.IsSpace(c) {
			break
		}
		w.take()
		switch {
		case quote == '"' && c == '\\' && w.at < w.end && strings.ContainsRune(`"\`, w.peek()):
			b.WriteRune(w.take())
		case c == quote:
			quote = 0
		case quote == 0 && (c == '"' || c == '\''):
			quote = c
		default:
			b.WriteRune(c)
		}
	}
	return b.String(), quote == 0
}

func (w *words) peek() rune {
	c, _ := utf8.DecodeRuneInString(w.text[w.at:w.end])
	return c
}

func (w *words) take() rune {
	c, size := utf8.DecodeRuneInString(w.text[w.at:w.end])
	w.at += size
	return c
}
