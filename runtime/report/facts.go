package report

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/errgen/errgen/runtime/taxonomy"
)

// Facts are what is known where an error happens and the error itself does not say. What is nil,
// zero or empty is not known.
//
// An error says some of it itself, by the evidence in its tree: the evidence's source is the
// source's type, and its attributes component, url or host, method, mode, skill, tool, step,
// task_id, session_id, owner, repo, entity_number and entity_type are what they are named after. Of
// an address what follows a question mark is left out.
type Facts struct {
	Source     *Source
	Execution  *Execution
	Repository *Repository
	Metadata   map[string]any
}

// unknown stands where something must be said and nobody knows what.
const unknown = "unknown"

// entityTypes are what a repository's entity can be.
var entityTypes = []string{"issue", "pr", "comment"}

// addEvidence adds what the evidence of an error knows.
func (m *making) addEvidence(e *taxonomy.Evidence) {
	if e == nil {
		return
	}
	m.SourceCode = kept(sourceCode(e), maxName)
	m.Source = sourceIn(e)
	m.Execution = executionIn(e)
	m.Repository = repositoryIn(e)
}

func sourceCode(e *taxonomy.Evidence) string {
	if e.Code == "" && e.Status != 0 {
		return strconv.Itoa(e.Status)
	}
	return e.Code
}

func attribute(e *taxonomy.Evidence, name string) string { return kept(e.Attributes[name], maxName) }

func sourceIn(e *taxonomy.Evidence) *Source {
	s := Source{
		Type: kept(e.Source, maxName), Method: attribute(e, "method"),
		Component: cmp.Or(attribute(e, "component"), kept(e.Op, maxName)),
		Endpoint:  endpoint(cmp.Or(e.Attributes["url"], e.Attributes["host"])),
	}
	if s == (Source{}) {
		return nil
	}
	return s.named()
}

// named returns s with both parts of its name.
func (s Source) named() *Source {
	s.Type, s.Component = cmp.Or(s.Type, unknown), cmp.Or(s.Component, unknown)
	return &s
}

// endpoint returns an address without query and fragment, where secrets are.
func endpoint(address string) string {
	if i := strings.IndexAny(address, "?#"); i >= 0 {
		address = address[:i]
	}
	return kept(address, maxAddress)
}

func executionIn(e *taxonomy.Evidence) *Execution {
	x := Execution{
		Mode: attribute(e, "mode"), Skill: attribute(e, "skill"), Tool: attribute(e, "tool"),
		Step:   attribute(e, "step"),
		TaskID: attribute(e, "task_id"), SessionID: attribute(e, "session_id"),
	}
	if x == (Execution{}) {
		return nil
	}
	return &x
}

// repositoryIn returns the repository that evidence names by owner and name; one without the other
// is none.
func repositoryIn(e *taxonomy.Evidence) *Repository {
	r := Repository{Owner: attribute(e, "owner"), Repo: attribute(e, "repo"), EntityType: attribute(e, "entity_type")}
	if n, err := strconv.Atoi(e.Attributes["entity_number"]); err == nil && n > 0 {
		r.EntityNumber = n
	}
	if r.Owner == "" || r.Repo == "" {
		return nil
	}
	return r.checked()
}

// checked returns r without an entity type that is none.
func (r Repository) checked() *Repository {
	if !slices.Contains(entityTypes, r.EntityType) {
		r.EntityType = ""
	}
	return &r
}

// addFacts adds what is known besides. Source and execution are merged field by field, the metadata
// key by key; a repository is replaced. What is given wins.
func (o *Occurrence) addFacts(f Facts) {
	o.Source = o.Source.merged(f.Source)
	o.Execution = o.Execution.merged(f.Execution)
	if f.Repository != nil {
		r := *f.Repository
		r.Owner, r.Repo = kept(r.Owner, maxName), kept(r.Repo, maxName)
		o.Repository = r.checked()
	}
	if len(f.Metadata) > 0 {
		o.Metadata = cleanMetadata(mergedMetadata(o.Metadata, f.Metadata))
	}
}

// mergedMetadata returns the values of both, those of given where both have one.
func mergedMetadata(known, given map[string]any) map[string]any {
	out := make(map[string]any, len(known)+len(given))
	for _, m := range []map[string]any{known, given} {
		for k, v := range m {
			out[k] = v
		}
	}
	return out
}

// merged returns what is given, and what is known where nothing is given.
func (s *Source) merged(given *Source) *Source {
	if given == nil {
		return s
	}
	known := Source{}
	if s != nil {
		known = *s
	}
	out := Source{
		Type: orText(given.Type, known.Type), Component: orText(given.Component, known.Component),
		Endpoint: cmp.Or(endpoint(given.Endpoint), known.Endpoint), Method: orText(given.Method, known.Method),
	}
	return out.named()
}

func (e *Execution) merged(given *Execution) *Execution {
	known := Execution{}
	if e != nil {
		known = *e
	}
	if given == nil {
		given = &Execution{}
	}
	out := Execution{
		Mode: orText(given.Mode, known.Mode), Skill: orText(given.Skill, known.Skill),
		Tool: orText(given.Tool, known.Tool),
		Step: orText(given.Step, known.Step), TaskID: orText(given.TaskID, known.TaskID),
		SessionID: orText(given.SessionID, known.SessionID),
	}
	if out == (Execution{}) {
		return nil
	}
	out.Mode = cmp.Or(out.Mode, unknown)
	return &out
}
