package recovery

import (
	"errors"
	"strings"
)

// Ecosystem is where packages come from.
type Ecosystem string

// The ecosystems.
const (
	NPM    Ecosystem = "npm"    // packages of npm's registry: npm, pnpm, yarn, bun
	Python Ecosystem = "python" // packages of PyPI; a module and its package are taken to have one name
	Go     Ecosystem = "go"     // packages of Go modules
)

func (e Ecosystem) known() bool { return e == NPM || e == Python || e == Go }

// maxPackage is the length of the longest name.
const maxPackage = 214

var (
	npmPhrases = [...]string{"cannot find module ", "cannot find package ", "can't resolve ", "could not resolve ",
		"could not resolve: "}
	pythonPhrases = [...]string{"no module named "}
	goPhrases     = [...]string{"no required module provides package ", "cannot find module providing package "}
)

func (e Ecosystem) phrases() []string {
	switch e {
	case NPM:
		return npmPhrases[:]
	case Python:
		return pythonPhrases[:]
	case Go:
		return goPhrases[:]
	}
	return nil
}

// packageIn returns the first name of a package that the texts say is missing, whatever it looks
// like.
func packageIn(s said, e Ecosystem) (string, bool) {
	for _, text := range s.texts {
		if name, ok := nameIn(text, e); ok {
			return name, true
		}
	}
	return "", false
}

// nameIn returns the name behind the first phrase in the text that has one.
func nameIn(text string, e Ecosystem) (string, bool) {
	phrases := e.phrases()
	for i := range len(text) {
		for _, phrase := range phrases {
			if !hasPrefixFold(text[i:], phrase) {
				continue
			}
			if name, ok := nameAt(text[i+len(phrase):], e); ok {
				return name, true
			}
		}
	}
	return "", false
}

// hasPrefixFold reports whether s begins with an ASCII prefix in small letters, in whatever case.
func hasPrefixFold(s, prefix string) bool {
	if len(s) < len(prefix) {
		return false
	}
	for i := range len(prefix) {
		c := s[i]
		if c >= 'A' && c <= 'Z' {
			c |= 0x20
		}
		if c != prefix[i] {
			return false
		}
	}
	return true
}

// nameAt returns what is in quotes, or, where names are not quoted, the word that ends the line or
// a clause. What is too long to be a name is returned in part, and is too long still.
func nameAt(s string, e Ecosystem) (string, bool) {
	s = s[:min(len(s), maxPackage+2)]
	if s == "" {
		return "", false
	}
	if q := s[0]; q == '\'' || q == '"' {
		name := s[1:]
		if end := strings.IndexByte(name, q); end >= 0 {
			name = name[:end]
		} else if len(name) <= maxPackage {
			return "", false // nothing ends it
		}
		return name, name != ""
	}
	if e == NPM {
		return "", false
	}
	word, rest := s, ""
	if end := strings.IndexAny(s, " \t\r\n"); end >= 0 {
		word, rest = s[:end], s[end:]
	}
	name := strings.TrimRight(word, ";:,.")
	clause := name != word || rest == "" || rest[0] == '\r' || rest[0] == '\n'
	return name, clause && name != ""
}

var (
	errLong      = errors.New("it is longer than any package name")
	errEmpty     = errors.New("it is empty")
	errForeign   = errors.New("it has characters outside of ASCII, or that are not printable")
	errOption    = errors.New("it begins with a dash, so that it could be an option")
	errPath      = errors.New("it is a path")
	errAddress   = errors.New("it is an address, an alias or has a version")
	errNoPackage = errors.New("it is not a plain package name")
	errDotted    = errors.New("it has a dot, so that it could be a file; only a list of what is allowed can have it")
)

// plain returns why a name is not a plain one; nil when it is. Dots in it need a list of what is
// allowed, but for Go.
func (e Ecosystem) plain(name string, listed bool) error {
	switch {
	case name == "":
		return errEmpty
	case len(name) > maxPackage:
		return errLong
	case !isASCII(name):
		return errForeign
	case name[0] == '-':
		return errOption
	case strings.ContainsAny(name, ":=") || strings.LastIndexByte(name, '@') > 0:
		return errAddress
	case name[0] == '.', name[0] == '/', name[0] == '~', strings.Contains(name, `\`), strings.Contains(name, ".."):
		return errPath
	}
	switch e {
	case NPM:
		return plainNPM(name, listed)
	case Python:
		return plainWords(name, listed, true)
	case Go:
		return plainGo(name)
	}
	return errNoPackage
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] < ' ' || s[i] > '~' {
			return false
		}
	}
	return true
}

// plainNPM takes name and @scope/name.
func plainNPM(name string, listed bool) error {
	if rest, scoped := strings.CutPrefix(name, "@"); scoped {
		scope, within, ok := strings.Cut(rest, "/")
		if !ok {
			return errNoPackage
		}
		if err := plainWords(scope, false, false); err != nil {
			return err
		}
		name = within
	}
	return plainWords(name, listed, false)
}

// plainWords takes letters, digits, dashes and underscores, with a letter or a digit at both ends;
// and dots between them if they may be.
func plainWords(name string, dots, capitals bool) error {
	if strings.Contains(name, "/") {
		return errPath
	}
	if name == "" || !isAlphanumeric(name[0]) || !isAlphanumeric(name[len(name)-1]) {
		return errNoPackage
	}
	for i := range len(name) {
		switch c := name[i]; {
		case c == '.' && !dots:
			return errDotted
		case c >= 'A' && c <= 'Z' && !capitals:
			return errNoPackage
		case !isAlphanumeric(c) && c != '-' && c != '_' && c != '.':
			return errNoPackage
		}
	}
	if dots && isArchive(name) {
		return errPath
	}
	return nil
}

// isArchive reports whether installers take a name for a file.
func isArchive(name string) bool {
	name = strings.ToLower(name)
	for _, end := range [...]string{".tgz", ".tar", ".gz", ".bz2", ".xz", ".zip", ".whl", ".git", ".egg"} {
		if strings.HasSuffix(name, end) {
			return true
		}
	}
	return false
}

// isAddress reports whether a host is an IP address, in whatever form: no top level domain begins
// with a digit.
func isAddress(host string) bool {
	last := host[strings.LastIndexByte(host, '.')+1:]
	return last != "" && last[0] >= '0' && last[0] <= '9'
}

// plainGo takes an import path whose first element is the name of a host, and no address.
func plainGo(name string) error {
	elements := strings.Split(name, "/")
	if isAddress(elements[0]) {
		return errAddress
	}
	if len(elements) < 2 || !strings.Contains(elements[0], ".") || strings.ToLower(elements[0]) != elements[0] {
		return errNoPackage
	}
	for i, element := range elements {
		if element == "" || !isAlphanumeric(element[0]) || !isAlphanumeric(element[len(element)-1]) &&
			element[len(element)-1] != '_' {
			return errNoPackage
		}
		for j := range len(element) {
			c := element[j]
			if !isAlphanumeric(c) && c != '-' && c != '.' && (i == 0 || c != '_' && c != '~') {
				return errNoPackage
			}
		}
	}
	return nil
}
