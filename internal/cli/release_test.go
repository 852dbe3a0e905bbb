package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestBreakingRelease compares with the last tag, and allows breaking changes in versions that are
// not compatible with it.
func TestBreakingRelease(t *testing.T) {
	dir := t.TempDir()
	without := strings.Replace(translated, "      BUSY: {doc: Busy., message: busy}\n", "", 1)
	require.NotEqual(t, translated, without)
	git := func(args ...string) {
		t.Helper()
		run(t, dir, "git", append([]string{"-c", "user.name=a", "-c", "user.email=a@example.com"}, args...)...)
	}
	write := func(text string) {
		for _, name := range []string{"taxonomy.yaml", "nested/taxonomy.yaml"} {
			require.NoError(t, os.MkdirAll(filepath.Join(dir, "nested"), 0o755))
			require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
		}
	}
	write(without) // the first release
	git("init", "-q")
	git("add", ".")
	git("commit", "-q", "-m", "first")
	git("tag", "v0.9.0")
	git("tag", "v2.0.0-rc.1")
	write(translated)
	git("commit", "-qam", "add a code")
	for _, tag := range []string{"v1.10.0", "v1.9.0", "nested/v0.4.1", "other/v1.30.0"} {
		git("tag", tag)
	}
	for _, tt := range []struct {
		text, release, file string
		status              int
		note                string
	}{
		{without, "v1.10.1", "taxonomy.yaml", exitFindings,
			"v1.10.1 must be compatible with v1.10.0: release v2.0.0, or"},
		{without, "v1.11.0", "taxonomy.yaml", exitFindings,
			"v1.11.0 must be compatible with v1.10.0: release v2.0.0, or"},
		{without, "v2.0.0", "taxonomy.yaml", exitClean, "v2.0.0 may have these changes"},
		{translated, "v1.11.0", "taxonomy.yaml", exitClean, ""},
		{without, "v1.11.0-rc.1", "taxonomy.yaml", exitFindings, "v1.11.0 must be compatible with v1.10.0"},
		{without, "v2.0.0-rc.1", "taxonomy.yaml", exitClean, "v2.0.0 may have these changes"},
		{without, "v0.4.2", "nested/taxonomy.yaml", exitFindings,
			"v0.4.2 must be compatible with nested/v0.4.1: release v0.5.0, or"},
		{without, "v0.5.0", "nested/taxonomy.yaml", exitClean, "v0.5.0 may have these changes"},
		{without, "v0.1.0", "taxonomy.yaml", exitClean, "there is no tag of a version before v0.1.0"},
	} {
		t.Run(tt.release, func(t *testing.T) {
			write(tt.text)
			status, stdout, stderr := call(t, dir, "", "breaking", "-release", tt.release, tt.file)
			assert.Equal(t, tt.status, status, stdout+stderr)
			assert.Contains(t, stderr, tt.note)
			if tt.note == "" {
				assert.Empty(t, stderr)
			}
		})
	}
	for _, args := range [][]string{{"-release", "1.2.0"}, {"-release", "v1.2"}, {"-release", "v1.02.0"},
		{"-release", "v1.2.0-"}, {"-release", "v1.2.0", "-against", "v1.1.0"}} {
		status, _, _ := call(t, dir, "", append([]string{"breaking"}, args...)...)
		assert.Equal(t, exitTrouble, status, args)
	}

	// A shallow clone, as of CI, lacks the tags.
	shallow := t.TempDir()
	git("clone", "-q", "--depth=1", "--no-tags", "file://"+filepath.ToSlash(dir), shallow)
	status, _, stderr := call(t, shallow, "", "breaking", "-release", "v1.10.1")
	assert.Equal(t, exitTrouble, status, stderr)
	assert.Contains(t, stderr, "fetch the tags, with git fetch --unshallow --tags")
	require.NoError(t, os.WriteFile(filepath.Join(shallow, "taxonomy.yaml"), []byte(without), 0o644))
	run(t, shallow, "git", "fetch", "-q", "--unshallow", "--tags")
	status, _, stderr = call(t, shallow, "", "breaking", "-release", "v1.10.1")
	assert.Equal(t, exitFindings, status, stderr)
}
