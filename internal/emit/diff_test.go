package emit_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/internal/emit"
)

// added are codes to add to the AIDF taxonomy, each before another one of its category.
var added = map[string]string{
	"PROVIDER_RATE_LIMIT": `      PROVIDER_HUNG:
        doc: The provider does not answer.
        message: 'provider {provider} hangs[: {rawError:first_line}]'
        reaction: backoff
        detect: [{source: claude-cli, type: hung}]
        examples: [{source: claude-cli, type: hung}]
`,
	"GIT_REVERT_FAILED": `      GIT_FETCH_FAILED:
        doc: The remote could not be read.
        message: 'git fetch failed[: {rawError:first_line}]'
        set: {operation: fetch}
        detect: [{source: git, op: revert, type: fetch, priority: 30}]
        examples: [{source: git, op: revert, type: fetch}]
`,
}

// repository is a git repository with a taxonomy and its package.
type repository struct {
	t   *testing.T
	dir string
}

func newRepository(t *testing.T) *repository {
	t.Helper()
	r := &repository{t, t.TempDir()}
	src, err := os.ReadFile("../../taxonomy.yaml")
	require.NoError(t, err)
	r.git("init", "-q", "-b", "main")
	r.write("taxonomy.yaml", string(src))
	r.commit()
	return r
}

func (r *repository) git(args ...string) string {
	r.t.Helper()
	cmd := exec.Command("git", append([]string{"-c", "user.name=t", "-c", "user.email=t@example.org"}, args...)...)
	cmd.Dir = r.dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1")
	out, err := cmd.CombinedOutput()
	require.NoError(r.t, err, "git %v\n%s", args, out)
	return string(out)
}

func (r *repository) write(name, content string) {
	r.t.Helper()
	require.NoError(r.t, os.WriteFile(filepath.Join(r.dir, name), []byte(content), 0o644))
}

func (r *repository) read(name string) string {
	r.t.Helper()
	content, err := os.ReadFile(filepath.Join(r.dir, name))
	require.NoError(r.t, err)
	return string(content)
}

// commit generates the package and commits all.
func (r *repository) commit() {
	r.t.Helper()
	for _, f := range emit.Files(load(r.t, filepath.Join(r.dir, "taxonomy.yaml")), emit.Options{}) {
		r.write(f.Name, string(f.Content))
	}
	r.git("add", "-A")
	r.git("commit", "-q", "-m", "generate")
}

// add adds a code before another one.
func (r *repository) add(before string) {
	r.t.Helper()
	old := r.read("taxonomy.yaml")
	changed := strings.Replace(old, "      "+before+":\n", added[before]+"      "+before+":\n", 1)
	require.NotEqual(r.t, old, changed)
	r.write("taxonomy.yaml", changed)
	r.commit()
}

// A new code changes the file of its category and nothing else.
func TestNewCodeIsASmallDiff(t *testing.T) {
	for before, file := range map[string]string{
		"PROVIDER_RATE_LIMIT": "provider_error_gen.go", "GIT_REVERT_FAILED": "git_error_gen.go",
	} {
		r := newRepository(t)
		r.add(before)
		var lines int
		for line := range strings.Lines(r.git("diff", "--numstat", "HEAD~1", "HEAD", "--", "*.go")) {
			fields := strings.Fields(line)
			assert.Equal(t, file, fields[2])
			for _, n := range fields[:2] {
				count, err := strconv.Atoi(n)
				require.NoError(t, err)
				lines += count
			}
		}
		assert.Positive(t, lines)
		assert.LessOrEqual(t, lines, 25, before)
	}
}

// Two branches that add codes to different categories merge, and the result is the package of the
// merged taxonomy.
func TestNewCodesMerge(t *testing.T) {
	r := newRepository(t)
	r.git("switch", "-q", "-c", "one")
	r.add("PROVIDER_RATE_LIMIT")
	r.git("switch", "-q", "-c", "other", "main")
	r.add("GIT_REVERT_FAILED")
	r.git("merge", "-q", "--no-edit", "one")
	assert.Contains(t, r.read("provider_error_gen.go"), "CodeProviderHung")
	assert.Contains(t, r.read("git_error_gen.go"), "CodeGitFetchFailed")
	for _, f := range emit.Files(load(t, filepath.Join(r.dir, "taxonomy.yaml")), emit.Options{}) {
		assert.Equal(t, string(f.Content), r.read(f.Name), f.Name)
	}
}
