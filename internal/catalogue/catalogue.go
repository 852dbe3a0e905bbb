// Package catalogue writes the pages of a taxonomy: an index, and a page for each code at the path
// in the taxonomy's help_url. Categories, groups, operations, reactions and policies also have
// pages. The same model always gives the same bytes.
package catalogue

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/errgen/errgen/internal/explain"
	"github.com/errgen/errgen/internal/model"
	"github.com/errgen/errgen/internal/output"
	"github.com/errgen/errgen/runtime/retry"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// Format is the form of the pages.
type Format string

// The formats.
const (
	HTML     Format = "html"
	Markdown Format = "markdown"
)

// Options configure a catalogue.
type Options struct {
	Format Format
	Public bool   // only what a client may see
	Mark   string // in the first line of each file
	// Removed are the names that no code can have any more. Each gets a page at the address of a code.
	Removed []Removed
	// FormerURLs are earlier values of help_url. Pages at their addresses lead to the codes.
	FormerURLs []string

	language *model.Language // of the texts, if it is not that of the taxonomy
}

// Removed is a reserved name.
type Removed struct{ Name, Reason string }

// Index returns the name of the index.
func Index(f Format) string {
	if f == Markdown {
		return markdownIndex
	}
	return htmlIndex
}

// Files returns the files of m's catalogue. Each language has its pages in a directory.
func Files(m *model.Package, o Options) []output.File {
	files := pagesOf(m, o)
	o.Removed, o.FormerURLs = nil, nil
	for _, o.language = range m.Languages {
		for _, f := range pagesOf(m, o) {
			files = append(files, output.File{Name: o.language.Tag + "/" + f.Name, Content: f.Content})
		}
	}
	return files
}

func pagesOf(m *model.Package, o Options) []output.File {
	s := newSite(m, o)
	if o.Format == Markdown {
		return s.markdown()
	}
	return s.html()
}

// site is a catalogue: its pages and their shared data.
type site struct {
	Options
	Title  string
	Source string // base name of the taxonomy
	Index  *page
	Codes  []*page
	Menu   []*section // the other pages, by kind

	model  *model.Package
	paths  *paths
	byCode map[*model.Code]*page
	lists  map[any]*page // by category, group, reaction and policy
	former []former
}

// former is a page at a former address of a code, so that links in old responses and logs still
// work. Note says where the code is now. The page is that of the code, or the index.
type former struct {
	Path, Name, Note string
	Page             *page
}

// section is a list of pages under a title. If All is not nil, it is the page with the complete
// list.
type section struct {
	Title string
	Pages []*page
	All   *page
}

// maxRelated is how many related codes a section of a code's page lists.
const maxRelated = 20

// page is one page. Fields that its kind does not have are empty.
type page struct {
	*site
	Path string // of its file, with slashes
	Kind string // "code", "category" and so on; "" is the index
	Name string
	Doc  string

	Code      *explain.Code
	Audience  string // of a code, if the taxonomy has public ones
	Abstract  bool   // whether only codes below this one have errors
	Message   []part
	Language  string // of the code's texts, if it is not that of the taxonomy
	Reaction  *explain.Reaction
	Facts     []fact
	Waits     []wait // of a policy
	MoreWaits bool
	Related   []*section
	Head      *taxonomy.Reaction // of a code or a reaction
}

// fact is a labelled text.
type fact struct {
	Label, Text string
	Mono        bool // whether the text is code
}

// part is a piece of a message.
type part struct {
	Text, Field string // Field is the field of a placeholder
	Format      string // of a placeholder, with its colon
	Optional    bool   // whether the piece is in brackets
}

// Meaning is what a list of codes says about the code: its doc, or its message.
func (p *page) Meaning() string { return cmp.Or(p.Doc, p.Code.Message) }

func newSite(m *model.Package, o Options) *site {
	s := &site{Options: o, Title: cmp.Or(m.Domain, m.Name) + " errors", Source: m.File, model: m,
		paths: newPaths(m.HelpURL, o.Format), byCode: make(map[*model.Code]*page), lists: make(map[any]*page)}
	s.Index = s.page("", "", m.Doc)
	mixed := !o.Public && slices.ContainsFunc(m.Codes, func(c *model.Code) bool { return c.Public })
	for _, c := range m.Codes {
		p := s.page("code", c.Value, c.Doc)
		if mixed {
			p.Audience = map[bool]string{true: "public", false: "internal"}[c.Public]
		}
		p.Code, p.Message = explain.CodeOf(m, c), parts(c.Template.Parts, false)
		if t := o.text(c); t != nil {
			p.Language, p.Message = o.language.Tag, parts(t.Message.Parts, false)
			p.Code.Message, p.Code.Resolution = t.Text, t.Resolution
		}
		p.Abstract = c.Abstract
		p.Head, p.Reaction = c.Row.Reaction, &p.Code.Traits.Reaction
		s.Codes, s.byCode[c] = append(s.Codes, p), p
	}
	for _, c := range m.Categories {
		s.list(c, "category", c.Name, c.Doc, s.codesWith(func(code *model.Code) bool { return code.Category == c }))
	}
	for _, g := range m.Groups {
		inGroup := func(c *model.Code) bool { return slices.Contains(c.InGroups, g) }
		s.list(g, "group", g.Name, g.Doc, s.codesWith(inGroup))
	}
	for _, x := range m.Operations {
		p := s.list(x, "operation", x.Value.Name, x.Value.Doc, s.codesWith(func(c *model.Code) bool {
			return slices.Contains(x.Codes, c)
		}))
		if p != nil {
			for _, text := range explain.Promises(x.Value) {
				p.Facts = append(p.Facts, fact{Text: text})
			}
		}
	}
	if !o.Public {
		s.reactions()
	}
	for _, c := range m.Codes {
		for _, alias := range c.Extras().Aliases {
			s.addFormer(alias, "This code is now", s.byCode[c])
		}
	}
	for _, r := range o.Removed {
		s.addFormer(r.Name, strings.TrimSpace("This code was removed. "+sentence(r.Reason))+" See", s.Index)
	}
	s.moved()
	for _, c := range m.Codes {
		if p := s.byCode[c]; p != nil {
			s.relate(c, p)
		}
	}
	return s
}

// text returns the texts of a code in the language of the pages, or nil.
func (o Options) text(c *model.Code) *model.LanguageText {
	if o.language == nil {
		return nil
	}
	for i, t := range o.language.Texts {
		if t.Code.Name == c.Name {
			return &o.language.Texts[i]
		}
	}
	return nil
}

// Languages returns the addresses of the page in the other languages, by tag.
func (p *page) Languages() []fact {
	var out []fact
	from := p.Path
	if p.language != nil {
		from = p.language.Tag + "/" + p.Path
		out = append(out, fact{Label: "original", Text: relative(from, p.Path)})
	}
	for _, l := range p.model.Languages {
		if l != p.language {
			out = append(out, fact{Label: l.Tag, Text: relative(from, l.Tag+"/"+p.Path)})
		}
	}
	return out
}

// addFormer adds a page at the address of a code that does not exist any more, unless another page
// has the address.
func (s *site) addFormer(name, note string, to *page) {
	if path, free := s.paths.code(name); free {
		s.former = append(s.former, former{path, name, note, to})
	}
}

// moved adds the pages at the addresses of codes before help_url changed.
func (s *site) moved() {
	codes := slices.Clone(s.Codes)
	for _, f := range s.former {
		codes = append(codes, &page{Name: f.Name, Path: f.Path})
	}
	now := s.paths.file
	for _, url := range s.FormerURLs {
		s.paths.file = newPaths(url, s.Format).file
		for _, p := range codes {
			s.addFormer(p.Name, "This page is now", p)
		}
	}
	s.paths.file = now
}

// sentence returns a text with a period at its end, unless it is empty or has one.
func sentence(text string) string {
	if text = oneLine(text); text == "" || strings.HasSuffix(text, ".") {
		return text
	}
	return text + "."
}

func (s *site) page(kind, name, doc string) *page {
	return &page{site: s, Kind: kind, Name: name, Doc: oneLine(doc), Path: s.paths.claim(kind, name)}
}

// list adds the page of a category, group, reaction or policy with the codes that belong to it. It
// adds no page if there are no codes.
func (s *site) list(key any, kind, name, doc string, codes []*page) *page {
	if len(codes) == 0 {
		return nil
	}
	p := s.page(kind, name, doc)
	p.Related = []*section{{Title: "Codes", Pages: codes}}
	s.lists[key] = p
	title := menus[kind]
	if i := len(s.Menu) - 1; i < 0 || s.Menu[i].Title != title {
		s.Menu = append(s.Menu, &section{Title: title})
	}
	last := s.Menu[len(s.Menu)-1]
	last.Pages = append(last.Pages, p)
	return p
}

// menus are the titles of the lists of pages.
var menus = map[string]string{"category": "Categories", "group": "Groups", "operation": "Operations",
	"reaction": "Reactions", "policy": "Policies"}

// codesWith returns the pages of the codes with a property, in the order of the taxonomy.
func (s *site) codesWith(property func(*model.Code) bool) []*page {
	var pages []*page
	for _, c := range s.model.Codes {
		if p := s.byCode[c]; p != nil && property(c) {
			pages = append(pages, p)
		}
	}
	return pages
}

// reactions adds the pages of reactions and policies.
func (s *site) reactions() {
	docs := make(map[any]string)
	for _, v := range s.model.Reactions {
		docs[v.Value] = v.Doc
	}
	for _, v := range s.model.Policies {
		docs[v.Value] = v.Doc
	}
	for _, r := range s.model.Taxonomy.Reactions {
		codes := s.codesWith(func(c *model.Code) bool {
			return explain.LeadsTo(s.model, c, nil, func(next *taxonomy.Reaction) bool { return next == r })
		})
		if s.model.Declared[r] && len(codes) > 0 {
			p := s.list(r, "reaction", r.Name, docs[r], codes)
			p.setReaction(r)
		}
	}
	for _, policy := range s.model.Taxonomy.Policies {
		codes := s.codesWith(func(c *model.Code) bool {
			return explain.LeadsTo(s.model, c, nil, func(r *taxonomy.Reaction) bool { return r.Policy == policy })
		})
		if s.model.Declared[policy] && len(codes) > 0 {
			p := s.list(policy, "policy", policy.Name, docs[policy], codes)
			p.setPolicy(policy)
		}
	}
}

func (p *page) setReaction(r *taxonomy.Reaction) {
	words := explain.ReactionOf(p.model, nil, r)
	p.Reaction, p.Head = &words, r
}

// maxWaits is how many waits the page of a policy shows.
const maxWaits = 10

// wait is the wait before a call. Percent is its length relative to the longest wait.
type wait struct {
	Call, Percent int
	Text          string
}

func (p *page) setPolicy(policy *taxonomy.Policy) {
	for _, text := range explain.Policy(policy) {
		p.Facts = append(p.Facts, fact{Text: text})
	}
	var waits []time.Duration
	for state := (retry.State{}); len(waits) < maxWaits; {
		next := state.Next(policy, taxonomy.Opt[time.Duration]{}, nil)
		if next.Stop != retry.StoppedNot {
			break
		}
		state = next.State
		waits = append(waits, next.Wait)
	}
	p.MoreWaits = len(waits) == maxWaits
	for i, w := range waits {
		p.Waits = append(p.Waits, wait{i + 2, int(100 * w / max(1, slices.Max(waits))), explain.Duration(w)})
	}
}

// relate lists the other codes of a code's groups and category.
func (s *site) relate(c *model.Code, p *page) {
	listed := map[*page]bool{p: true}
	add := func(title string, list *page) {
		if list == nil {
			return
		}
		others := slices.DeleteFunc(slices.Clone(list.Related[0].Pages), func(o *page) bool { return listed[o] })
		for _, o := range others {
			listed[o] = true
		}
		related := &section{Title: title, Pages: others}
		if len(others) > maxRelated {
			related.Pages, related.All = others[:maxRelated], list
		}
		if len(others) > 0 {
			p.Related = append(p.Related, related)
		}
	}
	operations := &section{Title: "Operations"}
	for _, o := range s.model.Operations {
		if slices.Contains(o.Codes, c) {
			operations.Pages = append(operations.Pages, s.lists[o])
		}
	}
	if operations.Pages != nil {
		p.Related = append(p.Related, operations)
	}
	below := s.codesWith(func(o *model.Code) bool { return o.Above == c })
	add("Below this code", &page{Related: []*section{{Pages: below}}})
	for _, g := range c.InGroups {
		add("Group "+g.Name, s.lists[g])
	}
	add("Category "+c.Category.Name, s.lists[c.Category])
}

// parts returns the pieces of a message.
func parts(list []model.Part, optional bool) []part {
	var out []part
	for _, p := range list {
		switch {
		case p.Group != nil:
			out = append(out, parts(p.Group, true)...)
		case p.Cause:
			out = append(out, part{Text: "cause", Field: "cause", Optional: optional})
		case p.Field != nil:
			format := string(p.Format)
			if format != "" {
				format = ":" + format
			}
			out = append(out, part{Text: p.Field.Wire, Field: p.Field.Wire, Format: format, Optional: optional})
		default:
			out = append(out, part{Text: p.Text, Optional: optional})
		}
	}
	return out
}

// pages returns all pages, the index first.
func (s *site) pages() []*page {
	all := append([]*page{s.Index}, s.Codes...)
	for _, m := range s.Menu {
		all = append(all, m.Pages...)
	}
	return all
}

// ByCategory returns the codes for the index.
func (s *site) ByCategory() []*page { return s.Menu[0].Pages }

// Named returns the page of a code, category, group, reaction or policy, or nil.
func (s *site) Named(kind, name string) *page {
	for _, p := range s.pages() {
		if p.Kind == kind && p.Name == name {
			return p
		}
	}
	return nil
}

// describeReaction describes a reaction in one sentence.
func describeReaction(r *explain.Reaction) string {
	text := strings.Join(r.Does, "; ")
	return strings.ToUpper(text[:1]) + text[1:] + "."
}

// chain returns a reaction and those that follow it.
func chain(r *explain.Reaction) []*explain.Reaction {
	var chain []*explain.Reaction
	for ; r != nil; r = r.Then {
		chain = append(chain, r)
	}
	return chain
}

// changedTraits returns the traits that differ from those of the code, which are base.
func changedTraits(t, base *explain.Traits) []fact {
	var out []fact
	for _, f := range explain.Facts(t, base) {
		if f.Name != "most_calls" { // it follows from the reaction
			out = append(out, fact{Label: f.Label, Text: cmp.Or(f.Texts[0], "none")})
		}
	}
	if text := chainText(&t.Reaction); text != chainText(&base.Reaction) {
		out = append(out, fact{Label: "Reaction", Text: text})
	}
	return out
}

func chainText(r *explain.Reaction) string {
	var texts []string
	for _, r := range chain(r) {
		texts = append(texts, describeReaction(r))
	}
	return strings.Join(texts, " Then: ")
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

func sorted(m map[string][]byte) []output.File {
	var files []output.File
	for _, name := range slices.Sorted(maps.Keys(m)) {
		files = append(files, output.File{Name: name, Content: m[name]})
	}
	return files
}
