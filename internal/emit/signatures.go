package emit

import (
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/errgen/errgen/internal/model"
)

// signatureFile makes the file of the signatures that rules name. Each is there once, however many
// rules name it.
func signatureFile(f *jen.File, m *model.Package, l *literals) {
	declare(f, jen.Add(note("leads match the beginnings of lines before the texts of signatures.")).
		Var().Id("leads").Op("=").Op(l.of(m.Leads)))
	for _, s := range m.Signatures {
		text := (&literals{packages: l.packages}).of(s.Signature)
		declare(f, jen.Var().Id(s.Var).Op("=").Qual(pkgDetect, "Signature").
			Op(strings.TrimPrefix(text, "&detect.Signature")))
	}
}
