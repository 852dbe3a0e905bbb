package importer

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/errgen/errgen/internal/spec"
)

// section is a table of a TOML file: [error."DM-1001"].
type section struct {
	path []string
	keys spec.Pairs
}

// parseTOML reads the TOML of error tables: sections, and keys with strings, numbers, booleans and
// lists of these. It refuses other TOML.
func parseTOML(src []byte) ([]section, error) {
	p := tomlParser{src: strings.ReplaceAll(string(src), "\r\n", "\n")}
	var out []section
	for p.space(true); p.pos < len(p.src); p.space(true) {
		if p.take("[") {
			path, err := p.key("]")
			if err != nil {
				return nil, err
			}
			out = append(out, section{path: path})
			continue
		}
		key, err := p.key("=")
		if err != nil {
			return nil, err
		}
		p.space(false)
		value, err := p.value()
		if err != nil {
			return nil, err
		}
		if len(out) == 0 || len(key) != 1 {
			return nil, p.fault("keys outside of tables and dotted keys are not supported")
		}
		last := &out[len(out)-1]
		last.keys = append(last.keys, spec.Pair{Key: key[0], Value: value})
	}
	return out, nil
}

type tomlParser struct {
	src string
	pos int
}

func (p *tomlParser) fault(what string) error {
	return fmt.Errorf("line %d: %s", strings.Count(p.src[:p.pos], "\n")+1, what)
}

func (p *tomlParser) take(token string) bool {
	if !strings.HasPrefix(p.src[p.pos:], token) {
		return false
	}
	p.pos += len(token)
	return true
}

// space skips spaces and comments. If lines is true, it also skips line ends.
func (p *tomlParser) space(lines bool) {
	for p.pos < len(p.src) {
		switch c := p.src[p.pos]; {
		case c == ' ', c == '\t', c == '\n' && lines:
			p.pos++
		case c == '#':
			end := strings.IndexByte(p.src[p.pos:], '\n')
			if end < 0 {
				end = len(p.src) - p.pos
			}
			p.pos += end
		default:
			return
		}
	}
}

// key reads a dotted key up to a token.
func (p *tomlParser) key(end string) ([]string, error) {
	var path []string
	for {
		p.space(false)
		var part string
		if rest := p.src[p.pos:]; rest != "" && (rest[0] == '"' || rest[0] == '\'') {
			v, err := p.quoted()
			if err != nil {
				return nil, err
			}
			part = v
		} else {
			n := strings.IndexFunc(rest, func(r rune) bool {
				return !(r == '-' || r == '_' || '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z')
			})
			if n <= 0 {
				return nil, p.fault("want a key")
			}
			part = rest[:n]
			p.pos += n
		}
		path = append(path, part)
		p.space(false)
		switch {
		case p.take(end):
			return path, nil
		case !p.take("."):
			return nil, p.fault("want " + end)
		}
	}
}

func (p *tomlParser) value() (any, error) {
	switch {
	case p.take("["):
		var out []any
		for p.space(true); !p.take("]"); p.space(true) {
			v, err := p.value()
			if err != nil {
				return nil, err
			}
			out = append(out, v)
			if p.space(true); !p.take(",") && !strings.HasPrefix(p.src[p.pos:], "]") {
				return nil, p.fault("want , or ]")
			}
		}
		return out, nil
	case p.pos < len(p.src) && (p.src[p.pos] == '"' || p.src[p.pos] == '\''):
		return p.quoted()
	}
	n := strings.IndexAny(p.src[p.pos:]+"\n", "\n#,] \t")
	word := p.src[p.pos : p.pos+n]
	if _, err := strconv.ParseFloat(word, 64); err != nil && word != "true" && word != "false" {
		return nil, p.fault("the value is not a string, number, boolean or list of these")
	}
	p.pos += n
	return word, nil
}

// quoted reads a basic or literal string, on one line or several.
func (p *tomlParser) quoted() (string, error) {
	quote := p.src[p.pos : p.pos+1]
	multi := strings.HasPrefix(p.src[p.pos:], strings.Repeat(quote, 3))
	if multi {
		quote = strings.Repeat(quote, 3)
	}
	p.pos += len(quote)
	if multi {
		p.take("\n")
	}
	var b strings.Builder
	for p.pos < len(p.src) {
		switch {
		case p.take(quote):
			return b.String(), nil
		case p.src[p.pos] == '\n' && !multi:
			return "", p.fault("the string is not closed")
		case p.src[p.pos] == '\\' && quote[0] == '"':
			if err := p.escape(&b); err != nil {
				return "", err
			}
		default:
			b.WriteByte(p.src[p.pos])
			p.pos++
		}
	}
	return "", p.fault("the string is not closed")
}

// escape reads an escape sequence. A backslash before a line end skips the white space that
// follows.
func (p *tomlParser) escape(b *strings.Builder) error {
	if rest := strings.TrimLeft(p.src[p.pos+1:], " \t"); strings.HasPrefix(rest, "\n") {
		p.pos = len(p.src) - len(strings.TrimLeft(rest, " \t\n"))
		return nil
	}
	r, _, tail, err := strconv.UnquoteChar(p.src[p.pos:], '"')
	if err != nil {
		return p.fault("unknown escape sequence")
	}
	b.WriteRune(r)
	p.pos = len(p.src) - len(tail)
	return nil
}
