package output

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A package that was renamed is told in one line, not in one for each of its files.
func TestPlanRefusesAFormerPackage(t *testing.T) {
	parent := t.TempDir()
	before, wanted := make(tree), make(tree)
	for _, name := range []string{"a_gen.go", "b_gen.go", "c_gen.go"} {
		before["errs/"+name] = madeFrom("taxonomy.yaml", "old", "")
		wanted[name] = made(name)
	}
	before["errs/d_gen.go"] = "package errs\n"
	wanted["d_gen.go"] = made("d")
	before.write(t, parent)

	_, err := NewPlan(target(filepath.Join(parent, "errs")), files(wanted))
	require.Error(t, err)
	assert.Equal(
		t, "errs/d_gen.go: was not made by errgen (its first line is not errgen's header): rename or remove it\n"+
			"errs: holds 3 files of package old that errgen made, not of errs: remove a_gen.go, b_gen.go, "+
			"c_gen.go, or "+
			"choose another directory", filepath.ToSlash(err.Error()))
}
