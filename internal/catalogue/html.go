package catalogue

import (
	"bytes"
	"cmp"
	"embed"
	"fmt"
	"html/template"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/errgen/errgen/internal/explain"
	"github.com/errgen/errgen/internal/output"
)

//go:embed page
var embedded embed.FS

// functions are those of the templates.
var functions = template.FuncMap{
	"breaks": breaks, "chain": chain,
	"changes": func(t, base explain.Traits) []fact { return changedTraits(&t, &base) },
	"class":   func(status int) int { return status / 100 }, "count": explain.Count, "dict": dict,
	"join": strings.Join, "sentence": asSentence, "sentences": describeReaction, "statusText": http.StatusText,
	"effect": explain.EffectSentence, "steps": steps,
}

var pageTemplate = template.Must(template.New("page.html").Funcs(functions).ParseFS(embedded, "page/page.html"))

// html returns the pages, and the files that they share.
func (s *site) html() []output.File {
	files := map[string][]byte{}
	for _, name := range []string{"style.css", "script.js"} {
		text, err := embedded.ReadFile("page/" + name)
		if err != nil {
			panic(err) // the file is part of the program
		}
		files["assets/"+name] = append([]byte("/* "+s.Mark+" */\n"), text...)
	}
	for _, p := range s.pages() {
		var b bytes.Buffer
		if err := pageTemplate.Execute(&b, p); err != nil {
			panic(fmt.Sprintf("page of %s: %v", p.Name, err)) // the template fits all pages
		}
		files[p.Path] = b.Bytes()
	}
	for _, f := range s.former {
		to := template.HTMLEscapeString(relative(f.Path, f.Page.Path))
		name := template.HTMLEscapeString(cmp.Or(f.Page.Name, "all codes"))
		refresh := "<meta http-equiv=\"refresh\" content=\"0; url=" + to + "\">\n"
		if f.Page == s.Index {
			refresh = "" // the reader needs the note
		}
		files[f.Path] = fmt.Appendf(nil, "<!doctype html>%s\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n%s"+
			"<title>%[3]s</title>\n<h1>%[3]s</h1>\n<p>%[4]s <a href=\"%[5]s\">%[6]s</a>.</p>\n", s.Index.Comment(),
			refresh, template.HTMLEscapeString(f.Name), template.HTMLEscapeString(f.Note), to, name)
	}
	return sorted(files)
}

// Comment returns the mark as a comment.
func (p *page) Comment() template.HTML {
	return template.HTML("<!-- " + template.HTMLEscapeString(p.Mark) + " -->")
}

// To returns the address of another page.
func (p *page) To(other *page) string { return relative(p.Path, other.Path) }

// Asset returns the address of a shared file.
func (p *page) Asset(name string) string { return relative(p.Path, "assets/"+name) }

// Classes returns the classes of the HTTP statuses of all codes: "4xx", "5xx".
func (p *page) Classes() []string {
	var classes []string
	for _, c := range p.Codes {
		if status := c.Code.Traits.HTTP; status > 0 {
			classes = append(classes, strconv.Itoa(status/100)+"xx")
		}
	}
	slices.Sort(classes)
	return slices.Compact(classes)
}

// GRPC reports whether any code has a gRPC status.
func (p *page) GRPC() bool {
	return slices.ContainsFunc(p.Codes, func(c *page) bool { return c.Code.Traits.GRPC != "" })
}

// exit is an exit status with the codes that have it, also in a `when` branch.
type exit struct {
	Status int
	Pages  []*page
}

// Exits returns the exit statuses of all codes, or nil if no code has one. Codes without one have 1.
func (p *page) Exits() (exits []exit) {
	byStatus := make(map[int][]*page)
	declared := false
	for _, c := range p.Codes {
		statuses := []int{c.Code.Traits.Exit}
		for _, branch := range c.Code.When {
			statuses = append(statuses, branch.Traits.Exit)
		}
		slices.Sort(statuses)
		for _, status := range slices.Compact(statuses) {
			declared = declared || status != 0
			status = cmp.Or(status, 1)
			if !c.Abstract && !slices.Contains(byStatus[status], c) {
				byStatus[status] = append(byStatus[status], c)
			}
		}
	}
	if !declared {
		return nil
	}
	for _, status := range slices.Sorted(maps.Keys(byStatus)) {
		exits = append(exits, exit{status, byStatus[status]})
	}
	return exits
}

// Tags returns the names of the index's filters that show the code.
func (p *page) Tags() string {
	tags := []string{"final"}
	if p.Code.Traits.Retryable {
		tags[0] = "retryable"
	}
	if status := p.Code.Traits.HTTP; status > 0 {
		tags = append(tags, strconv.Itoa(status/100)+"xx")
	}
	return strings.Join(tags, " ")
}

// Terms returns the text that the search of the index matches.
func (p *page) Terms() string {
	c := p.Code
	terms := []string{c.Code, c.Category, p.Doc, oneLine(c.Resolution), c.Traits.GRPC}
	if c.Traits.HTTP != 0 {
		terms = append(terms, strconv.Itoa(c.Traits.HTTP))
	}
	if c.Traits.Exit != 0 {
		terms = append(terms, strconv.Itoa(c.Traits.Exit))
	}
	terms = append(terms, c.Aliases...)
	if c.Number != nil {
		terms = append(terms, strconv.Itoa(*c.Number))
	}
	terms = append(append(terms, c.Names...), c.Constants...)
	for _, m := range p.Message {
		terms = append(terms, m.Text)
	}
	return strings.ToLower(oneLine(strings.Join(append(terms, c.Groups...), " ")))
}

// Optional reports whether a part of the message can be left out.
func (p *page) Optional() bool {
	return slices.ContainsFunc(p.Message, func(m part) bool { return m.Optional })
}

// Fields returns the fields of a category.
func (p *page) Fields() []explain.Field {
	for _, c := range p.model.Categories {
		if p.Kind == "category" && c.Name == p.Name {
			return explain.CategoryOf(p.model, c).Context
		}
	}
	return nil
}

// Flat returns fields, each followed by those of its objects. In a public catalogue, it removes the
// note "public", because all fields are.
func (p *page) Flat(fields []explain.Field) []explain.Field {
	var out []explain.Field
	for _, f := range fields {
		f.Notes = slices.DeleteFunc(slices.Clone(f.Notes), func(note string) bool {
			return p.Public && note == "public"
		})
		out = append(out, f)
		for _, part := range p.Flat(f.Fields) {
			part.Name = f.Name + "." + part.Name
			out = append(out, part)
		}
	}
	return out
}

// Policy returns the page of the reaction's policy, or nil.
func (p *page) Policy() *page {
	if p.Head == nil || p.Head.Policy == nil {
		return nil
	}
	return p.lists[p.Head.Policy]
}

// Details returns the facts about a code that need no section.
func (p *page) Details() []fact {
	c := p.Code
	var out []fact
	add := func(label, text string, mono bool) {
		if text != "" {
			out = append(out, fact{Label: label, Text: text, Mono: mono})
		}
	}
	if c.Number != nil {
		add("Number", strconv.Itoa(*c.Number), false)
	}
	for _, constant := range c.Constants {
		name, value, _ := strings.Cut(constant, ": ")
		add(name, value, true)
	}
	add("Since", c.Since, false)
	add("Groups", strings.Join(c.Groups, ", "), false)
	add("Further names", strings.Join(c.Names, ", "), true)
	add("Former values", strings.Join(c.Aliases, ", "), true)
	add("Address", c.HelpURL, false)
	if !p.Public {
		add("Recoverability", c.Traits.Recoverability, false)
		add("Fault", c.Fault, false)
		add("Key", c.Key, true)
		add("Go constant", c.Const, true)
		add("Go factory", c.Factory, true)
	}
	return out
}

// breaks returns a name that a browser can break after an underscore, a dot or a slash.
func breaks(name string) template.HTML {
	return template.HTML(strings.NewReplacer("_", "_<wbr>", ".", ".<wbr>", "/", "/<wbr>").
		Replace(template.HTMLEscapeString(name)))
}

// asSentence returns a phrase as a sentence.
func asSentence(phrase string) string {
	if phrase == "" {
		return ""
	}
	phrase = strings.ToUpper(phrase[:1]) + phrase[1:]
	return strings.TrimSuffix(phrase, ".") + "."
}

// dict returns a map for a template, from keys that are each followed by a value.
func dict(pairs ...any) map[string]any {
	m := make(map[string]any)
	for i := 0; i+1 < len(pairs); i += 2 {
		m[fmt.Sprint(pairs[i])] = pairs[i+1]
	}
	return m
}
