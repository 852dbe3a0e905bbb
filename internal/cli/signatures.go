package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"text/tabwriter"

	"gopkg.in/yaml.v3"

	"github.com/errgen/errgen/internal/diag"
	"github.com/errgen/errgen/internal/resolve"
	"github.com/errgen/errgen/signatures"
)

// signatures lists all signatures by family.
func (s *session) signatures(o *options, args []string) error {
	list, err := s.signatureList(args)
	if err != nil {
		return err
	}
	var b bytes.Buffer
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	for _, x := range list {
		if o.format == diag.FormatJSON {
			if err := s.json(map[string]string{"name": x.Name, "family": x.Family, "doc": x.Doc}); err != nil {
				return err
			}
			continue
		}
		_, _ = fmt.Fprintf(w, "%s\t%s\t%s\n", x.Name, x.Family, oneLine(x.Doc)) // a buffer accepts everything
	}
	_ = w.Flush()
	return s.write(escapeControls(b.Bytes()))
}

// own is the family of the signatures that a taxonomy declares.
const own = "taxonomy"

// signatureList returns the signatures of a taxonomy, if one is named, and then those of errgen.
func (s *session) signatureList(args []string) ([]signatures.Signature, error) {
	library, err := signatures.Library()
	if err != nil || len(args) == 0 {
		return library, err
	}
	l, err := s.valid(args)
	if err != nil {
		return nil, err
	}
	return append(ownSignatures(l), library...), nil
}

// ownSignatures returns the signatures that a taxonomy declares.
func ownSignatures(l *loaded) []signatures.Signature {
	var list []signatures.Signature
	for i := range l.model.Decl.Signatures {
		x := resolve.Signature(&l.model.Decl.Signatures[i])
		x.Family = own
		list = append(list, *x)
	}
	return list
}

// explainSignature prints the conditions and examples of a signature. If no taxonomy is named, it
// also searches taxonomy.yaml, unless that cannot be read or has errors.
func (s *session) explainSignature(o *options, name string, taxonomy []string) error {
	list, err := s.signatureList(taxonomy)
	if err != nil {
		return err
	}
	if len(taxonomy) == 0 {
		if all, err := s.loadAll(nil); err == nil && all[0].model != nil {
			list = append(ownSignatures(all[0]), list...)
		}
	}
	var names []string
	for i := range list {
		if list[i].Name == name {
			return s.print(o, &signatureDoc{&list[i]})
		}
		names = append(names, list[i].Name)
	}
	return fmt.Errorf("explain: there is no signature %q%s", name, suggestion(name, names))
}

// signatureDoc is the explanation of a signature: its entry in its file.
type signatureDoc struct{ *signatures.Signature }

func (d *signatureDoc) entry() []byte {
	text, err := yaml.Marshal(d.Signature)
	if err != nil {
		panic(err) // texts and numbers always encode
	}
	return text
}

// MarshalJSON returns the name, the family and the entry.
func (d *signatureDoc) MarshalJSON() ([]byte, error) {
	out := make(map[string]any)
	if err := yaml.Unmarshal(d.entry(), &out); err != nil {
		return nil, err
	}
	out["name"], out["family"] = d.Name, d.Family
	return json.Marshal(out)
}

func (d *signatureDoc) text() []byte {
	return escapeControls(fmt.Appendf(nil, "%s (%s)\n\n%s", d.Name, d.Family, d.entry()))
}
