package emit

import (
	"encoding/json"
	"strings"
	"time"

	"github.com/errgen/errgen/internal/detection"
	"github.com/errgen/errgen/internal/model"
	"github.com/errgen/errgen/runtime/detect"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// tables are the runtime's values of a taxonomy, and the variables that some of them get.
type tables struct {
	m         *model.Package
	names     map[any]string
	reactions map[*model.Reaction]*taxonomy.Reaction
	policies  map[*model.Policy]*taxonomy.Policy
	overrides map[*model.Code][]profileRow
	// importNames are the names of the packages whose errors rules and examples name.
	importNames map[string]string
}

// profileRow is a row that a profile changes.
type profileRow struct {
	profile string
	model.RowOverride
}

func tablesOf(m *model.Package) *tables {
	t := &tables{
		m: m, importNames: importNames(m), names: map[any]string{}, reactions: map[*model.Reaction]*taxonomy.Reaction{},
		policies: map[*model.Policy]*taxonomy.Policy{}, overrides: map[*model.Code][]profileRow{},
	}
	for _, p := range m.Profiles {
		for _, o := range p.Rows {
			if o.Row.Code != nil {
				t.overrides[o.Row.Code] = append(t.overrides[o.Row.Code], profileRow{p.Name, o})
			}
		}
	}
	for _, s := range m.Signatures {
		t.names[s.Signature] = s.Var
	}
	for _, p := range m.Policies {
		t.policies[p] = &p.Policy
		t.names[&p.Policy] = p.Var
	}
	for _, r := range m.Reactions { // a reaction comes after the one that it names as Then
		t.reactions[r] = t.reaction(r)
		t.names[t.reactions[r]] = r.Var
	}
	return t
}

func (t *tables) literals() *literals {
	return &literals{names: t.names, packages: map[string]bool{}, classifies: classifies(t.m)}
}

func (t *tables) reaction(r *model.Reaction) *taxonomy.Reaction {
	return &taxonomy.Reaction{
		Name: r.Name, Policy: t.policies[r.Policy], Then: t.reactions[r.Then], Strategy: r.Strategy, To: r.To,
		LogMessage: r.LogMessage, Action: r.Action, Extent: r.Extent, Revert: r.Revert, Session: r.Session,
		Purpose: r.Purpose, Resume: r.Resume, Shared: r.Shared, LogLevel: r.LogLevel, CountFailure: r.CountFailure,
		HonorRetryAfter: r.HonorRetryAfter, AcceptCompletion: r.AcceptCompletion, FeedBack: r.FeedBack,
	}
}

func (t *tables) traits(m model.Traits) taxonomy.Traits {
	return taxonomy.Traits{
		Reaction: t.reactions[m.Reaction], HTTP: uint16(m.HTTP), GRPC: uint8(m.GRPC), Retryable: m.Retryable,
		Recoverability: m.Recoverability, Severity: m.Severity, Kind: m.Kind,
	}
}

// taxonomy returns the taxonomy without its categories.
func (t *tables) taxonomy() taxonomy.Taxonomy {
	m := t.m
	out := taxonomy.Taxonomy{
		Package: m.Name, Domain: m.Domain, Doc: m.Doc, HelpURL: m.HelpURL,
		None: t.traits(m.Rows[0].Traits), Permanent: t.traits(m.Rows[1].Traits),
		Uncategorized: t.reactions[m.Uncategorized],
		Sources:       named(m.Sources), Ops: named(m.Ops),
	}
	if m.Fallback != nil {
		out.Fallback = m.Fallback.Value
	}
	for _, r := range declaredReactions(m) {
		out.Reactions = append(out.Reactions, t.reactions[r])
	}
	for _, p := range declaredPolicies(m) {
		out.Policies = append(out.Policies, t.policies[p])
	}
	for _, p := range m.Profiles {
		out.Profiles = append(out.Profiles, t.profile(p))
	}
	for _, g := range m.Groups {
		out.Groups = append(out.Groups, taxonomy.Named{Name: g.Name, Doc: g.Doc})
	}
	for _, s := range m.Strategies {
		out.Strategies = append(out.Strategies, taxonomy.Named{Name: s.Name, Doc: s.Doc})
	}
	for _, c := range m.Checks {
		out.Checks = append(out.Checks, taxonomy.Named{Name: c.Name, Doc: c.Doc})
	}
	for _, x := range m.Tiers {
		out.Tiers = append(out.Tiers, taxonomy.Tier{
			Name: x.Name, Doc: x.Doc, Classifies: x.Classifies, Person: x.Person, Purpose: x.Purpose,
		})
	}
	return out
}

func named(list []model.Named) []taxonomy.Named {
	var out []taxonomy.Named
	for _, n := range list {
		out = append(out, taxonomy.Named(n))
	}
	return out
}

func (t *tables) profile(p *model.Profile) taxonomy.Profile {
	out := taxonomy.Profile{
		Name: p.Name, Doc: p.Doc, Uncategorized: t.reactions[p.Uncategorized], Detection: p.Detection,
		Recovery:  p.Recovery,
		Retry:     taxonomy.RetryDefaults{Enabled: p.RetryEnabled, Policy: t.policies[p.RetryPolicy]},
		Reporting: p.Reporting,
	}
	for _, o := range p.Rows {
		if o.Row.Code == nil {
			out.Rows = append(out.Rows, taxonomy.RowOverride{Row: rowOf(o.Row), Traits: t.traits(o.Traits)})
		}
	}
	return out
}

// rowOf returns the address of a row.
func rowOf(r *model.Row) taxonomy.Row {
	if r.Code == nil {
		return taxonomy.Row(r.Index)
	}
	row := taxonomy.At(r.Code.Category.Index, uint16(r.Code.Ordinal))
	for i, branch := range branchRows(r.Code) {
		if branch == r {
			row = row.When(uint8(i + 1))
		}
	}
	return row
}

func (t *tables) code(c *model.Code) taxonomy.Code {
	out := taxonomy.Code{
		Value: c.Value, Number: c.Number, Since: c.Since, Message: c.MessageText, Doc: c.Doc, Resolution: c.Resolution,
		Deprecated: c.Deprecated, Aliases: c.Aliases, Set: setJSON(c.Set), Prevent: c.Prevent,
		Traits: t.traits(c.Row.Traits),
	}
	if c.Key != c.Value {
		out.Key = c.Key
	}
	if c.ReplacedBy != nil {
		out.ReplacedBy = c.ReplacedBy.Value
	}
	for _, g := range c.Groups {
		out.Groups |= 1 << g.Bit
	}
	for _, f := range c.Args {
		if !f.Required {
			out.Takes = append(out.Takes, f.Wire)
		}
	}
	for _, o := range t.overrides[c] {
		out.Profiles = append(out.Profiles, taxonomy.ProfileTraits{
			Profile: o.profile, Branch: uint8(rowOf(o.Row).Branch()), Traits: t.traits(o.Traits),
		})
	}
	for _, row := range branchRows(c) {
		out.When = append(out.When, t.traits(row.Traits))
	}
	return out
}

func tableFields(fields []*model.Field) []taxonomy.Field {
	var out []taxonomy.Field
	for _, f := range fields {
		x := taxonomy.Field{
			Name: f.Wire, Type: f.Type.String(), Enum: f.Enum.Words(), From: f.From, MaxLength: f.MaxLength,
			Required: f.Required, Sensitive: f.Sensitive, Scrub: f.Scrub, KeepTail: f.KeepTail,
			MessageOnly: f.MessageOnly,
		}
		if f.Object != nil {
			x.Fields = tableFields(f.Object.Fields)
		}
		if f.Default != nil {
			x.Default = valueJSON(*f.Default)
		}
		out = append(out, x)
	}
	return out
}

func codeRule(r *model.Rule) detect.CodeRule {
	out := detection.CodeRule(r)
	out.Set = setJSON(r.Set)
	return out
}

// setJSON returns the values of fields as JSON; "" without any.
func setJSON(set []model.FieldValue) string {
	if len(set) == 0 {
		return ""
	}
	parts := make([]string, len(set))
	for i, s := range set {
		parts[i] = marshal(s.Field.Wire) + ":" + valueJSON(s.Value)
	}
	return "{" + strings.Join(parts, ",") + "}"
}

// valueJSON returns a value as the taxonomy's own JSON has it: secrets are not masked.
func valueJSON(v model.Value) string {
	switch v.Type {
	case model.Int, model.Int64:
		return marshal(v.Int)
	case model.Uint64:
		return marshal(v.Uint)
	case model.Float64:
		return marshal(v.Float)
	case model.Bool:
		return marshal(v.Bool)
	case model.Duration:
		return marshal(v.Duration.String())
	case model.Time:
		return marshal(v.Time.UTC().Format(time.RFC3339Nano))
	case model.Strings:
		return marshal(v.Strings)
	case model.JSON:
		return v.Str
	default:
		return marshal(v.Str)
	}
}

func marshal(v any) string {
	b, _ := json.Marshal(v) // such values cannot fail
	return string(b)
}
