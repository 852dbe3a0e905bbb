package emit

import (
	"github.com/errgen/errgen/internal/model"
	"github.com/errgen/errgen/internal/tabletext"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// runtimeValues converts parts of the model to the values that the package's table has.
type runtimeValues struct {
	reactions map[*model.Reaction]*taxonomy.Reaction
}

func newRuntimeValues() *runtimeValues {
	return &runtimeValues{reactions: make(map[*model.Reaction]*taxonomy.Reaction)}
}

func (v *runtimeValues) reaction(r *model.Reaction) *taxonomy.Reaction {
	if r == nil {
		return nil
	}
	if out := v.reactions[r]; out != nil {
		return out
	}
	out := &taxonomy.Reaction{
		Name: r.Name, Then: v.reaction(r.Then), Strategy: r.Strategy, To: r.To, LogMessage: r.LogMessage,
		Action: r.Action, Extent: r.Extent, Revert: r.Revert, Session: r.Session, Purpose: r.Purpose,
		Resume: r.Resume, Shared: r.Shared, LogLevel: r.LogLevel, CountFailure: r.CountFailure,
		HonorRetryAfter: r.HonorRetryAfter, AcceptCompletion: r.AcceptCompletion, FeedBack: r.FeedBack,
	}
	if r.Policy != nil {
		out.Policy = &r.Policy.Policy
	}
	v.reactions[r] = out
	return out
}

func (v *runtimeValues) traits(t model.Traits) tabletext.Traits {
	return tabletext.Traits{
		Reaction: v.reaction(t.Reaction), Retryable: t.Retryable, Recoverability: t.Recoverability,
		Severity: t.Severity, Kind: t.Kind, HTTP: t.HTTP, GRPC: t.GRPC,
	}
}

func runtimeField(f *model.Field) taxonomy.Field {
	out := taxonomy.Field{
		Name: f.Wire, Type: f.Type.String(), Enum: f.Enum.Words(), MaxLength: f.MaxLength, Required: f.Required,
		Sensitive: f.Sensitive, Scrub: f.Scrub, MessageOnly: f.MessageOnly,
	}
	if f.Type == model.ObjectType {
		for _, part := range f.Object.Fields {
			out.Fields = append(out.Fields, runtimeField(part))
		}
	}
	return out
}

func runtimeCode(c *model.Code) *taxonomy.Code {
	out := &taxonomy.Code{
		Value: c.Value, Number: c.Number, Since: c.Since, Deprecated: c.Deprecated, Prevent: c.Prevent,
	}
	if c.ReplacedBy != nil {
		out.ReplacedBy = c.ReplacedBy.Value
	}
	return out
}

// runtimeTaxonomy returns the parts of the taxonomy that are not of one category.
func runtimeTaxonomy(m *model.Package) *taxonomy.Taxonomy {
	out := &taxonomy.Taxonomy{Package: m.Name, Domain: m.Domain, HelpURL: m.HelpURL}
	if m.Fallback != nil {
		out.Fallback = m.Fallback.Value
	}
	for _, g := range m.Groups {
		out.Groups = append(out.Groups, taxonomy.Named{Name: g.Name})
	}
	for _, s := range m.Strategies {
		out.Strategies = append(out.Strategies, taxonomy.Named{Name: s.Name})
	}
	for _, c := range m.Checks {
		out.Checks = append(out.Checks, taxonomy.Named{Name: c.Name})
	}
	for _, n := range m.Sources {
		out.Sources = append(out.Sources, taxonomy.Named{Name: n.Name})
	}
	for _, n := range m.Ops {
		out.Ops = append(out.Ops, taxonomy.Named{Name: n.Name})
	}
	for _, t := range m.Tiers {
		out.Tiers = append(out.Tiers,
			taxonomy.Tier{Name: t.Name, Classifies: t.Classifies, Person: t.Person, Purpose: t.Purpose})
	}
	for _, p := range m.Profiles {
		profile := taxonomy.Profile{Name: p.Name, Detection: p.Detection, Recovery: p.Recovery, Reporting: p.Reporting}
		profile.Retry.Enabled = p.RetryEnabled
		if p.RetryPolicy != nil {
			profile.Retry.Policy = &p.RetryPolicy.Policy
		}
		out.Profiles = append(out.Profiles, profile)
	}
	return out
}
