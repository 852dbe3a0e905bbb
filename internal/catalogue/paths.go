package catalogue

import (
	"net/url"
	"path"
	"strconv"
	"strings"
	"unicode"
)

// paths assigns a file to each page.
type paths struct {
	file  string // the path of a code's file, with {code}
	ext   string // of other files
	taken map[string]bool
}

const (
	placeholder   = "{code}"
	htmlIndex     = "index.html"
	markdownIndex = "README.md"
)

// newPaths derives the paths of codes from help_url: they begin with the segment that contains
// {code}. The catalogue is published at the address before this segment.
func newPaths(helpURL string, format Format) *paths {
	p := &paths{file: placeholder, ext: ".html", taken: make(map[string]bool)}
	if format == Markdown {
		p.file, p.ext = placeholder+".md", ".md"
		return p
	}
	if u, err := url.Parse(helpURL); err == nil && strings.Contains(u.Path, placeholder) {
		i := strings.LastIndexByte(u.Path[:strings.Index(u.Path, placeholder)], '/')
		p.file = strings.TrimRight(u.Path[i+1:], "/")
	}
	if ext := path.Ext(p.file); ext != ".html" && ext != ".htm" {
		p.file += "/" + htmlIndex
	}
	return p
}

// claim returns the path of a page's file. Names that differ only in case get different paths,
// because file systems may ignore case.
func (p *paths) claim(kind, name string) string {
	file := p.file
	switch kind {
	case "":
		file = map[string]string{".html": htmlIndex, ".md": markdownIndex}[p.ext]
	case "code":
	default:
		file = kind + "/" + placeholder + p.ext
	}
	for n := 1; ; n++ {
		unique := name
		if n > 1 {
			unique += "-" + strconv.Itoa(n)
		}
		if claimed, free := p.try(file, unique); free {
			return claimed
		}
	}
}

// code assigns the file of a code. It returns false if another page has it.
func (p *paths) code(name string) (string, bool) { return p.try(p.file, name) }

// try assigns a file, with a name in place of {code}, unless another page has it.
func (p *paths) try(file, name string) (string, bool) {
	segments := strings.Split(file, "/")
	for i, s := range segments {
		segments[i] = segment(strings.ReplaceAll(s, placeholder, name))
	}
	claimed := strings.Join(segments, "/")
	key := strings.ToLower(claimed)
	first := strings.ToLower(segments[0]) // a directory cannot have the name of the index
	if p.taken[key] || len(segments) > 1 && p.taken[first] {
		return "", false
	}
	p.taken[key] = true
	return claimed, true
}

// segment returns a name as a segment of a path. It never begins with a dot.
func segment(name string) string {
	name = strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("-_.", r) {
			return r
		}
		return '-'
	}, name)
	if strings.HasPrefix(name, ".") {
		return "-" + name
	}
	return name
}

// relative returns the relative URL from one file of the catalogue to another.
func relative(from, to string) string {
	return strings.Repeat("../", strings.Count(from, "/")) + to
}
