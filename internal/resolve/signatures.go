package resolve

import (
	"slices"

	"github.com/errgen/errgen/internal/model"
	"github.com/errgen/errgen/internal/signature"
	"github.com/errgen/errgen/internal/spec"
	"github.com/errgen/errgen/runtime/detect"
	"github.com/errgen/errgen/signatures"
)

// likes returns the signatures that a rule names. It leaves out unknown and faulty ones, which
// package check reports.
func (b *builder) likes(d *spec.Rule) []*model.Signature {
	var out []*model.Signature
	for _, name := range d.Like {
		if s := b.signature(name.V); s != nil && !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return out
}

// signature returns the signature with a name: the taxonomy's own, or errgen's.
func (b *builder) signature(name string) *model.Signature {
	if i := slices.IndexFunc(b.pkg.Signatures, func(s *model.Signature) bool { return s.Name == name }); i >= 0 {
		return b.pkg.Signatures[i]
	}
	s := SignatureNamed(b.src, name)
	if s == nil {
		return nil
	}
	compiled, err := signature.Runtime(s)
	if err != nil {
		return nil
	}
	variable := b.idents.take("signature" + suffix(name, len(b.pkg.Signatures)+1))
	out := &model.Signature{Signature: compiled, Var: variable}
	b.pkg.Signatures = append(b.pkg.Signatures, out)
	b.pkg.Leads = signature.Leads()
	return out
}

// trimSignatures removes attributes that fill no field, and references to signatures that no rule
// names.
func (b *builder) trimSignatures() {
	named := map[string]bool{}
	for _, s := range b.pkg.Signatures {
		named[s.Name] = true
	}
	for _, s := range b.pkg.Signatures {
		s.Over = filter(s.Over, func(name string) bool { return named[name] })
		s.Extract = filter(s.Extract, func(x detect.Extract) bool { return b.evidenceKeys["attributes."+x.Attribute] })
	}
}

// filter returns the elements of a list that f accepts, or nil.
func filter[T any](list []T, f func(T) bool) []T {
	var out []T
	for _, x := range list {
		if f(x) {
			out = append(out, x)
		}
	}
	return out
}

// SignatureNamed returns the signature with a name, or nil. A signature of the taxonomy replaces
// errgen's of the same name.
func SignatureNamed(t *spec.Taxonomy, name string) *signatures.Signature {
	for i := range t.Signatures {
		if t.Signatures[i].Name.V == name {
			return Signature(&t.Signatures[i])
		}
	}
	return signatures.Named(name)
}

// Signature returns a signature of a taxonomy in the form of errgen's.
func Signature(d *spec.Signature) *signatures.Signature {
	s := &signatures.Signature{Name: d.Name.V}
	_ = d.Raw.Decode(s) // package spec checked the form
	return s
}
