package workspace_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/executor/workspace"
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
		// configuration and references of git
		{"includes by a condition", "", plant + "printf '[core]\\n\\tfsmonitor = ./tool\\n' > c\n" +
			"git config 'includeIf.gitdir:**.path' ../c; git config 'includeIf.onbranch:**.path' ../c",
			[]string{"added c", "added tool"}},
		{"configures a working tree", "", plant + "git config extensions.worktreeConfig true\n" +
			"git config --worktree core.fsmonitor ./tool; git config --worktree core.worktree /elsewhere",
			[]string{"added tool"}},
		{"declares unknown extensions", "", "git config extensions.noop x\n" +
			"git config core.repositoryFormatVersion 99\n" +
			"printf '[extensions]\\n\\tobjectFormat = sha256\\n\\trefStorage = reftable\\n' >> .git/config", nil},
		{"declares a partial clone", "", plant + "git config remote.o.url 'ext::./tool'; git config " +
			"remote.o.promisor true\ngit config extensions.partialClone o; git config protocol.ext.allow always",
			[]string{"added tool"}},
		{"a credential helper and an askpass", "", plant + "git config credential.helper \"!$PWD/tool\"\n" +
			"git config core.askPass ./tool; git config core.sshCommand ./tool; git config core.gitProxy ./tool",
			[]string{"added tool"}},
		{"an editor, a pager and aliases", "", plant + "git config core.editor ./tool; git config core.pager ./tool\n" +
			"git config alias.status '!./tool'; git config sequence.editor ./tool; git config pager.status true",
			[]string{"added tool"}},
		{"grafts and a replacement of the base", "", "git rev-parse HEAD > .git/info/grafts\n" +
			"git replace HEAD:a.txt HEAD:dir/b.txt\n" +
			"git update-ref refs/replace/$(git rev-parse HEAD) $(git commit-tree -m e HEAD^{tree})", nil},
		{"alternates of its own", "",
			"mkdir -p ../evil/pack; echo \"$PWD/../evil\" > .git/objects/info/alternates", nil},
		{"alternates in its index and links in refs", "", "rm -r .git/refs/heads; ln -s / .git/refs/heads\n" +
			"ln -sf /etc/passwd .git/packed-refs; ln -sf ../../../../repo/.git/index .git/index", nil},
		{"a .git that is a chain of links", "", "mv .git ../moved; ln -s ../moved ../hop; ln -s ../hop .git\n" +
			"git --git-dir=../moved config core.hooksPath .", nil},
		{"a bare repository in the tree", "", plant + "git init -q --bare bare\n" +
			"git -C bare config core.fsmonitor ../tool\n" +
			"cp tool bare/hooks/post-update; rm -f bare/hooks/*.sample bare/info/exclude bare/description\n" +
			"rmdir bare/info bare/branches 2>/dev/null || true", []string{"added bare/HEAD", "added bare/config",
			"added bare/hooks/post-update", "added tool"}},
		{"a .git file in a directory", "", plant + "mkdir sub; echo 'gitdir: ../../git' > sub/.git; echo x > sub/x",
			[]string{"added sub/x", "added tool"}},
		{"a repository with a sparse, split and untracked index", "", "git update-index --split-index " +
			"--untracked-cache; git config core.sparseCheckout true\ngit config index.sparse true; echo x > a.txt",
			[]string{"modified a.txt"}},
		// files
		{"attributes that make files binary, ident and merged by programs", "",
			plant + "git config merge.x.driver ./tool\n" +
				"printf '* -text ident merge=x diff=x export-subst\\n' > .gitattributes; echo '$Id$' > a.txt",
			[]string{"added .gitattributes", "added tool", "modified a.txt"}},
		{"attributes of a filter that does not exist", "", "echo '* filter=none' > .gitattributes; echo x > a.txt",
			[]string{"added .gitattributes", "modified a.txt"}},
		{"attributes and excludes by links", "",
			"echo '*' > x; ln -s x .gitattributes; rm .gitignore; ln -s x .gitignore",
			[]string{"added .gitattributes", "added x", "modified .gitignore"}},
		{"a mailmap and git's own files", "", "echo 'A <a@b> <c@d>' > .mailmap; echo x > .lfsconfig",
			[]string{"added .lfsconfig", "added .mailmap"}},
		{"submodules with addresses that are commands", "",
			plant + "printf '[submodule \"x\"]\\n\\tpath = x\\n\\turl = " +
				"ext::./tool\\n[submodule \"../../y\"]\\n\\tpath = ../y\\n\\turl = ./\\n' > .gitmodules\n" +
				"mkdir -p .git/modules/x; git init -q --bare .git/modules/x",
			[]string{"added .gitmodules", "added tool"}},
		{"a deep directory and a long name", "",
			"n=$(printf 'n%.0s' $(seq 250)); echo x > $n; d=$n; for i in 1 2 3 4 5; " +
				"do d=$d$i; done; mkdir -p e/$n/$n/$n; echo x > e/$n/$n/$n/$n; rm $n",
			[]string{"added e" + strings.Repeat("/"+strings.Repeat("n", 250), 4)}},
		{"names of two cases and of two forms", "", "echo x > A.txt; echo x > ./\"$(printf 'e\\314\\201')\"\n" +
			"echo x > \"$(printf '\\303\\251')\"", []string{"added A.txt", "added e\u0301", "added \u00e9"}},
		{"names with control characters", "", "echo x > \"$(printf 'a\\tb')\"; echo x > \"$(printf 'a\\033[31m')\"; " +
			"echo x > 'a\\b'; echo x > ' '", []string{"added  ", "added a\tb", "added a\x1b[31m", `added a\b`}},
		{"pipes, sockets and files without rights", "",
			"mkfifo p; echo x > a.txt; chmod 000 dir/b.txt; chmod 644 dir/b.txt",
			[]string{"modified a.txt"}},
		{"a directory without rights", "", "mkdir d; echo x > d/x; chmod 000 d; chmod 755 d", []string{"added d/x"}},
		{"modes and times", "", "chmod +x a.txt; touch -d 1970-01-01 dir/b.txt src/s.txt; chmod -x run.sh",
			[]string{"modified a.txt", "modified run.sh"}},
		{"the person's files by links", "", "rm -r src; ln -s ../../../../repo/src src", []string{"added src escapes",
			"removed src/s.txt"}},
		{"git's files in the tree's root", "",
			plant + "mkdir -p hooks refs/heads objects; cp tool hooks/pre-commit\n" +
				"echo 'ref: refs/heads/main' > HEAD; printf '[core]\\n\\tfsmonitor = ./tool\\n' > config",
			[]string{"added HEAD", "added config", "added hooks/pre-commit", "added tool"}},
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

// TestReplacedStore fails every operation until the clone is opened again, after an agent replaced
// the tree by a link to the person's, or used the repository of the run.
func TestReplacedStore(t *testing.T) {
	for _, c := range []struct{ name, change, reopened string }{
		{"a link to the person's tree", "cd ..; mv tree gone; ln -s ../../../repo tree", "prepare/clone"},
		{"hooks in the run's repository", "git --git-dir=../git config core.hooksPath ./tool", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r := newRepo(t, "")
			persons := fingerprint(t, r.dir)
			tr := r.open("run")
			checked := tr.snapshot()
			require.NoError(t, tr.BeforeCall(tr.ctx))
			tr.sh(c.change)
			for range 2 {
				_, err := tr.Snapshot(tr.ctx)
				assert.Equal(t, "detect_changes/store", evidenceOf(t, err))
				_, err = tr.Restore(tr.ctx, checked, []string{"a.txt", "dirty.txt"})
				assert.Equal(t, "revert/store", evidenceOf(t, err))
				assert.Equal(t, "prepare/store", evidenceOf(t, tr.BeforeCall(tr.ctx)))
			}
			require.NoError(t, tr.Close(false))
			if c.reopened != "" {
				_, err := r.workspace("run").Open(t.Context(), "run")
				assert.Equal(t, c.reopened, evidenceOf(t, err))
			}
			assert.Empty(t, difference(persons, fingerprint(t, r.dir)))
			require.NoError(t, workspace.Remove(t.Context(), r.dir, "run", filepath.Join(filepath.Dir(r.dir), "trees")))
			assert.Empty(t, difference(persons, fingerprint(t, r.dir)))
		})
	}
}
