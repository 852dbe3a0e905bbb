package toolbox

import (
	"errors"
	"fmt"
	"path"
	"strings"

	"github.com/errgen/errgen/runtime/internal/text"
)

// Policy says which commands a model may run. It decides what begins, not what that does: "go test
// ..." runs whatever the tests say. The zero Policy allows nothing.
type Policy struct {
	// Name is what evidence names as the policy; "allow-list" unless set.
	Name string
	// Allow are the command lines that are allowed, in words: "make test", "go test ...", "git log
	// -n *". In a word, *, ? and [a-z] stand for letters other than a slash; a word * stands for
	// any word. The word "..." at the end stands for any further words, or none. A command is
	// allowed if a pattern matches all its words.
	//
	// The first word is matched as it is written: "go" does not allow "./go". A shell is a command
	// like any other: only a pattern such as "sh -c *" allows it, and allows everything with it.
	Allow []string
}

// rest is the word that stands for any further words.
const rest = "..."

// pattern is a command line that is allowed.
type pattern struct {
	words []string
	rest  bool
}

// String returns the pattern as a command line.
func (p pattern) String() string {
	line := commandLine(p.words)
	if p.rest {
		line += " " + rest
	}
	return line
}

func (p Policy) name() string {
	if p.Name == "" {
		return "allow-list"
	}
	return p.Name
}

// compile reads the patterns.
func (p Policy) compile() ([]pattern, error) {
	var all []pattern
	for _, line := range p.Allow {
		compiled, err := compile(line)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", text.Quote(line, maxQuoted), err)
		}
		all = append(all, compiled)
	}
	return all, nil
}

func compile(line string) (pattern, error) {
	words, err := patternWords(line)
	if err != nil {
		return pattern{}, err
	}
	var p pattern
	if n := len(words) - 1; n >= 0 && words[n] == rest {
		p.rest, words = true, words[:n]
	}
	if len(words) == 0 {
		return pattern{}, errors.New("names no command")
	}
	for _, word := range words {
		if _, err := path.Match(word, ""); err != nil {
			return pattern{}, fmt.Errorf("word %s: %w", text.Quote(word, maxQuoted), err)
		}
	}
	if strings.ContainsAny(words[0], `*?[\`) {
		return pattern{}, errors.New("the command itself must be named")
	}
	p.words = words
	return p, nil
}

// matches reports whether the pattern allows a command.
func (p pattern) matches(argv []string) bool {
	if len(argv) < len(p.words) || len(argv) > len(p.words) && !p.rest {
		return false
	}
	for i, word := range p.words {
		if word == "*" || word == argv[i] {
			continue
		}
		if ok, err := path.Match(word, argv[i]); i == 0 || err != nil || !ok {
			return false
		}
	}
	return true
}

// allowed reports whether a pattern allows the command.
func (t *Toolbox) allowed(argv []string) bool {
	for _, p := range t.commands {
		if p.matches(argv) {
			return true
		}
	}
	return false
}
