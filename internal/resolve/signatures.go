package resolve

import (
	"slices"

	"github.com/errgen/errgen/internal/model"
	"github.com/errgen/errgen/internal/signature"
	"github.com/errgen/errgen/internal/spec"
	"github.com/errgen/errgen/runtime/detect"
	"github.com/errgen/errgen/signatures"
)

// likes returns the signatures that a rule names. Unknown and faulty ones are left out: package
// check reports them.
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

// trimSignatures leaves out what the package does not use: attributes that no field takes, and
// names of signatures that no rule names.
func (b *builder) trimSignatures() {
	named := map[string]bool{}
	for _, s := range b.pkg.Signatures {
		named[s.Name] = true
	}
	for _, s := range b.pkg.Signatures {
		s.Over = only(s.Over, func(name string) bool { return named[name] })
		s.Extract = only(s.Extract, func(x detect.Extract) bool { return b.read["attributes."+x.Attribute] })
	}
}

// only returns the elements of a list that are wanted, or nil.
func only[T any](list []T, wanted func(T) bool) []T {
	var out []T
	for _, x := range list {
		if wanted(x) {
			out = append(out, x)
		}
	}
	return out
}

// SignatureNamed returns the signature that rules of a taxonomy name, or nil. One that the taxonomy
// declares hides errgen's of the same name.
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
	_ = d.Raw.Decode(s) // the form was checked
	return s
}
