package workspace_test

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// plant makes a program in the clone that writes ran beside the run's directories.
const plant = "printf '#!/bin/sh\\ntouch \"%s/../ran\"\\ncat\\n' \"$PWD\" > tool; chmod 755 tool; cp tool " +
	"../old-tool; "

// attack is what a hostile agent does. Nothing of it reaches the person before the delivery,
// nothing planted runs, and an honest change is delivered afterwards.
type attack struct {
	name   string
	before string // a script of the person's
	change string // the agent's
	found  []string
}

func attacks() []attack {
	return []attack{
		// .git of the clone
		{"removes .git", "", "rm -rf .git", nil},
		{"replaces .git by a file", "", "rm -rf .git; echo 'gitdir: /tmp' > .git", nil},
		{"replaces .git by a link to the person's", "", "rm -rf .git; ln -s ../../../../repo/.git .git", nil},
		{"replaces .git by a link to the run's", "", "rm -rf .git; ln -s ../git .git", nil},
		{"replaces .git by an empty repository", "", "rm -rf .git; git init -q .; git add -A; git commit -qm " +
			"evil", nil},
		{"makes .git unreadable", "", "chmod 000 .git/config", nil},
		{"fills .git with a pipe", "", "rm .git/HEAD; mkfifo .git/HEAD.x; ln -s /dev/zero .git/HEAD", nil},
		{"sets core.worktree", "", "git config core.worktree /elsewhere", nil},
		{"sets core.bare", "", "git config core.bare true", nil},
		{"sets core.fsmonitor", "", plant + "git config core.fsmonitor ./tool", []string{"added tool"}},
		{"sets core.hooksPath", "", plant + "cp tool post-checkout; git config core.hooksPath .",
			[]string{"added post-checkout", "added tool"}},
		{"sets a filter", "", plant + "git config filter.x.clean ./tool; echo '* filter=x' > .gitattributes",
			[]string{"added .gitattributes", "added tool"}},
		{"sets a process filter for its own attributes", "", plant + "git config filter.x.process ./tool\n" +
			"git config filter.x.required true; echo '* filter=x' > .git/info/attributes", []string{"added tool"}},
		{"sets diff and merge drivers", "", plant + "git config diff.x.command ./tool; git config " +
			"merge.x.driver ./tool\n" +
			"git config diff.external ./tool; echo '* diff=x merge=x' > .gitattributes",
			[]string{"added .gitattributes", "added tool"}},
		{"sets gpg.program", "", plant + "git config gpg.program ./tool; git config commit.gpgSign true",
			[]string{"added tool"}},
		{"sets an alternate ref command", "", plant + "git config core.alternateRefsCommand ./tool",
			[]string{"added tool"}},
		{"sets uploadpack hooks", "", plant + "git config uploadpack.packObjectsHook ./tool", []string{"added tool"}},
		{"includes a file of the tree", "", "printf '[core]\\n\\thooksPath = .\\n' > c; git config include.path ../c",
			[]string{"added c"}},
		{"plants all hooks", "", plant + "for h in pre-commit commit-msg post-commit post-checkout post-merge " +
			"pre-push " +
			"reference-transaction update post-index-change; do cp tool .git/hooks/$h; done", []string{"added tool"}},
		{"adds remotes and pushes", "", "git remote add o ../../../../repo; git push -q o HEAD:evil --dry-run", nil},
		{"fetches from the person", "", "git fetch -q ../../../../repo main; git reset -q --hard FETCH_HEAD", nil},
		{"makes branches and tags", "", "git checkout -qb evil; git tag evil; git branch -qD errgen/run", nil},
		{"moves the branch of the run", "", "git commit -qam evil --allow-empty; git update-ref refs/heads/main " +
			"HEAD", nil},
		{"stashes", "", "echo x > a.txt; git stash -q", nil},
		{"replaces an object", "", "git commit -q --allow-empty -m e; git replace HEAD HEAD~", nil},
		{"corrupts its objects", "", "git commit -q --allow-empty -m e; find .git/objects -type f ! -name " +
			"alternates " +
			"-exec sh -c 'chmod u+w {}; echo bad > {}' ';'", nil},
		{"marks files as unchanged", "", "git update-index --assume-unchanged a.txt; echo x > a.txt",
			[]string{"modified a.txt"}},
		{"marks files as skipped", "", "git update-index --skip-worktree a.txt; echo x > a.txt",
			[]string{"modified a.txt"}},
		{"sparse checkout", "", "git sparse-checkout set src", []string{"removed dir/b.txt"}},
		{"excludes files in .git", "", "echo '*' > .git/info/exclude; echo x > hidden", []string{"added hidden"}},
		{"starts a merge", "git branch side", "git merge -q --no-ff --no-commit side || true", nil},
		{"starts a bisect", "", "git bisect start -q", nil},
		{"adds a worktree", "", "git worktree add -q ../other", nil},
		{"adds a worktree inside", "", "git worktree add -q inside", []string{"added inside/.gitignore", "added " +
			"inside/a.txt",
			"added inside/dir/b.txt", "added inside/dirty.txt", "added inside/run.sh", "added inside/src/s.txt"}},
		{"locks its index", "", "touch .git/index.lock .git/HEAD.lock", nil},
		{"collects garbage", "", "git gc -q --prune=now; git reflog expire --expire=now --all", nil},
		// files
		{"keeps size and time", "", "touch -r a.txt ../t; echo x > a.txt; touch -r ../t a.txt",
			[]string{"modified a.txt"}},
		{"a file of the future", "", "echo x > a.txt; touch -d 2040-01-01 a.txt", []string{"modified a.txt"}},
		{"renames the secret", "", "mv .env notes.txt", []string{"added notes.txt copies .env", "removed .env"}},
		{"copies the secret", "", "cp .env src/config.txt", []string{"added src/config.txt copies .env"}},
		{"copies the secret over a file", "", "cp .env a.txt", []string{"modified a.txt copies .env"}},
		{"links the secret", "", "ln -s .env l", []string{"added l"}},
		{"links hard to the secret", "", "ln .env h", []string{"added h copies .env"}},
		{"commits the secret by itself", "", "git add -f .env; git commit -qm evil", nil},
		{"reveals the secret", "", "echo > .gitignore; git add -A; git commit -qm evil", []string{"modified " +
			".gitignore"}},
		{"hides work by its own rules", "", "echo '*' > src/.gitignore; echo x > src/x", nil},
		{"a link out of the tree", "", "ln -s ../../../../repo/mine.txt l", []string{"added l escapes"}},
		{"a link to the root", "", "ln -s / l", []string{"added l escapes"}},
		{"a link by way of a link", "", "ln -s .. up; ln -s up/git/config l", []string{"added l escapes",
			"added up escapes"}},
		{"a link to itself", "", "ln -s l l", []string{"added l escapes"}},
		{"a directory becomes a link out", "", "rm -r dir; ln -s /tmp dir", []string{"added dir escapes",
			"removed dir/b.txt"}},
		{"names of options", "", "echo x > ./--force; echo x > ./-rf", []string{"added --force", "added -rf"}},
		{"names of patterns", "", "echo x > ':!a.txt'; echo x > '*'", []string{"added *", "added :!a.txt"}},
		{"names that are no text", "", "printf x > \"$(printf 'a\\377b')\"; printf x > \"$(printf 'n\\nl')\"",
			[]string{"added a\xffb", "added n\nl"}},
		{"names like .git", "", "mkdir .GIT; echo x > .GIT/config; mkdir 'git~1'; echo x > 'git~1/f'",
			[]string{"added git~1/f escapes"}},
		{"a nested repository with a filter", "", plant + "git init -q sub; git -C sub config filter.x.clean " +
			"../tool\n" +
			"echo '* filter=x' > sub/.gitattributes; echo x > sub/x", []string{"added sub/.gitattributes",
			"added sub/x",
			"added tool"}},
		{"nested repositories, six levels", "", "d=.; for i in 1 2 3 4 5 6; do d=$d/n; git init -q $d; echo x > " +
			"$d/x; done",
			[]string{"added n/n/n/n/n/n/x", "added n/n/n/n/n/x", "added n/n/n/n/x", "added n/n/n/x", "added " +
				"n/n/x", "added n/x"}},
		{"a submodule of its own", "", "git init -q sub; git -C sub commit -q --allow-empty -m s\n" +
			"git -c protocol.file.allow=always submodule add -q ./sub lib 2>/dev/null || true; rm -rf lib " +
			".gitmodules", nil},
		{"adds .gitmodules that run", "", plant + "printf '[submodule \"x\"]\\n\\tpath = x\\n\\turl = -u./tool\\n" +
			"\\tupdate = !./tool\\n' > .gitmodules", []string{"added .gitmodules", "added tool"}},
		{"removes everything", "", "rm -rf ./* .gitignore .git", []string{"removed .gitignore", "removed a.txt",
			"removed dir/b.txt", "removed dirty.txt", "removed run.sh", "removed src/s.txt"}},
		{"an encoding of the working tree", "", "echo '*.u working-tree-encoding=UTF-16' > .gitattributes; echo " +
			"x > a.u || true\n" +
			"rm a.u", []string{"added .gitattributes"}},
		{"line ends by attributes", "", "echo '* text=auto eol=crlf' > .gitattributes", []string{"added " +
			".gitattributes"}},
		{"a large file", "", "head -c 3000000 /dev/zero > big", []string{"added big"}},
		{"many files", "", "mkdir m; for i in $(seq 300); do echo $i > m/$i; done; rm -r m", nil},
	}
}

func TestAttacks(t *testing.T) {
	all := attacks()
	require.GreaterOrEqual(t, len(all), 60)
	for _, a := range all {
		t.Run(a.name, func(t *testing.T) {
			t.Parallel()
			r := newRepo(t, a.before)
			persons := fingerprint(t, r.dir)
			tr := r.open("run")
			checked := tr.snapshot()
			require.NoError(t, tr.BeforeCall(tr.ctx))
			_, err := shell(tr.Dir(), a.change)
			require.NoError(t, err)
			changed, err := tr.AfterCall(tr.ctx)
			require.NoError(t, err)
			assert.Empty(t, changed)
			changes := tr.detect(checked)
			assert.ElementsMatch(t, a.found, listed(changes))

			_, err = tr.Save(tr.ctx, "1", checked, tr.found)
			require.NoError(t, err)
			tr.revert(checked, changes)
			id := tr.work(2, "git commit -q --allow-empty -m mine; git status --short; echo w > work.txt")
			assert.Empty(t, difference(persons, fingerprint(t, r.dir)), "nothing of the person's changes")
			require.Empty(t, tr.deliver().why)
			require.NoError(t, tr.Close(true))
			assert.Equal(t, id+"\nA\twork.txt", r.sh("git show --format=%H --name-status HEAD | grep ."))
			for _, dir := range []string{filepath.Dir(r.dir), filepath.Dir(tr.Home()), tr.Home()} {
				assert.NoFileExists(t, filepath.Join(dir, "ran"), "nothing that was planted runs")
			}
		})
	}
}
