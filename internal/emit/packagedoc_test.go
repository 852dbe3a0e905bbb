package emit

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/errgen/errgen/internal/model"
)

func TestPackageComment(t *testing.T) {
	for _, c := range []struct{ doc, want string }{
		{"", "Package errs holds typed errors and the reactions to them."},
		{"Errors of the shop", "Package errs holds typed errors and the reactions to them: Errors of the shop."},
		{"Package errs holds the errors of the shop.", "Package errs holds the errors of the shop."},
		{"Package errs: the shop's",
			"Package errs holds typed errors and the reactions to them: Package errs: the shop's."},
		{"Package\n errs names errors\n\nMore", "Package\n errs names errors\n\nMore."},
		{"Package errshop is another",
			"Package errs holds typed errors and the reactions to them: Package errshop is another."},
	} {
		assert.Equal(t, c.want, packageComment(&model.Package{Name: "errs", Doc: c.doc})[0], c.doc)
	}
}
