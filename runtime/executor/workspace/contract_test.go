package workspace_test

import (
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// adapted are the cases that have another meaning in a clone. The script before is added to that of
// the person; the others replace those of the case.
var adapted = map[string]struct {
	before, change string
	files          []string
	runs           bool // a program of the person's runs
}{
	// The clone has only files that are committed or shared.
	"a person's files are changed and removed": {
		change: "echo theirs > dirty.txt; echo theirs > staged.txt; rm -f mine.txt",
		files:  []string{"modified dirty.txt", "added staged.txt"},
	},
	"staged files":                {files: []string{"added staged.txt", "modified a.txt"}},
	"links although git has none": {before: "git config core.symlinks true; git add l; git commit -qm l"},
	"a link is changed":           {before: "git add l; git commit -qm l"},
	"ignored forbidden files": {
		before: "mkdir -p node_modules/lib\necho good > node_modules/lib/index.js",
	},
	"stashed changes":                       {change: "echo 2 > a.txt; git stash -q", files: []string{}},
	"a stash that is dropped and collected": {change: "git stash clear; git gc -q --prune=now"},
	"a merge that is under way":             {change: "git merge -q --no-ff --no-commit side"},
	"names of all kinds": {
		before: `git add -- ./-o 'old"q"\'; git commit -qm names -- ./-o 'old"q"\'`,
	},
	"a file that a person has removed stays removed": {before: "git commit -qam removed"},
	"a change in a nested repository": {
		before: "rm -rf sub", change: "git init -q sub; echo y > sub/x.txt; git -C sub config x.y z",
		files: []string{"added sub/x.txt"},
	},
	"a file that a person's configuration includes": {
		before: "git add conf; git commit -qm conf conf", files: []string{"modified conf"},
	},
	"a missing file that a person's configuration includes": {files: []string{"added conf"}},
	// A file that a new rule ignores is not found. It is not committed either, and stays in the
	// clone.
	"a new rule hides nothing":      {files: []string{"modified .gitignore"}},
	"a directory that hides itself": {files: []string{}},
	"excluded files":                {},
	// The clone has the settings of its own file system.
	"a file is renamed in case although git ignores case": {
		files: []string{"added A.txt", "added DIRTY.txt", "removed a.txt"},
	},
	// An absolute link leads to the clone, and nowhere in the person's tree.
	"links that stay in the tree": {files: []string{"added l", "added m escapes", "added n"}},
	// A name like these is forbidden.
	"names that other systems confuse with .git": {files: []string{"added git~1 escapes", "added x/.git./f escapes"}},
	// A repository without a commit is refused.
	"a first commit": {
		before: "git commit -qm first", change: "echo x > a.txt; git add a.txt; git commit -qm mine",
		files: []string{"modified a.txt"},
	},
	// The person's own filter runs, as with git add.
	"a person's filter for all files": {runs: true},
}

// TestTreeChanges detects what an agent does in the clone, saves it, and reverts all of it. Nothing
// of the person's changes, and nothing that the agent planted runs. Later work is delivered.
func TestTreeChanges(t *testing.T) {
	for _, c := range treeCases() {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			a := adapted[c.name]
			c.before += "\n" + a.before
			if a.change != "" {
				c.change = a.change
			}
			if a.files != nil {
				c.files = a.files
			}
			r := newRepo(t, c.before)
			persons := fingerprint(t, r.dir)
			tr := r.open("run")
			checked := tr.snapshot()
			require.NoError(t, tr.BeforeCall(tr.ctx))
			require.Empty(t, tr.detect(checked), "nothing has happened yet")
			was := filesOf(t, tr.Dir())

			tr.sh(c.change + "\nrm -f ../ran")
			changes := tr.detect(checked)
			assert.ElementsMatch(t, c.files, listed(changes))
			require.NoError(t, tr.Close(false))
			tr = r.open("run")
			assert.Equal(t, listed(changes), listed(tr.detect(checked)), "another process finds the same")

			_, err := tr.Save(tr.ctx, "1", checked, tr.found)
			require.NoError(t, err)
			for i := 0; len(changes) > 0; i++ {
				require.Less(t, i, 3, "%v", changes)
				tr.revert(checked, changes)
				tr.revert(checked, changes) // repeating a revert changes nothing
				changes = tr.detect(checked)
			}
			now := slices.DeleteFunc(filesOf(t, tr.Dir()), func(line string) bool {
				return !slices.Contains(was, line) // git ignores it
			})
			assert.Equal(t, was, now)

			id := tr.work(1, "echo w > work.txt")
			assert.Empty(t, difference(persons, fingerprint(t, r.dir)), "nothing of the person's changes")
			assert.Empty(t, tr.deliver().why)
			require.NoError(t, tr.Close(true))
			if !a.runs {
				assert.NoFileExists(t, filepath.Join(filepath.Dir(r.dir), "ran"))
				assert.NoFileExists(t, filepath.Join(tr.Home(), "ran"))
			}
			assert.Equal(t, id+"\nA\twork.txt", r.sh("git show --format=%H --name-status HEAD | grep ."))
			assert.Empty(t, r.sh("git branch --list 'errgen/*'"))
			assert.Empty(t, r.sh("git fsck --no-dangling --no-progress 2>&1 | grep -v notice || true"))
		})
	}
}
