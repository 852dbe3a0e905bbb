package gittree_test

// treeCase is what an agent does to a repository.
type treeCase struct {
	name   string
	before string   // a script that a person has run
	change string   // the script of the agent
	files  []string // what changes of files are detected
	git    bool     // whether a change of git itself is
	stays  string   // what of the state a revert leaves, because git ignores it
	// oneProcess marks a state in which git itself works only for the process that was there
	// before.
	oneProcess bool
}

// treeCases are changes of files, changes of git itself, and hostile changes.
func treeCases() []treeCase {
	return append(append(fileCases(), gitCases()...), hostileCases()...)
}

func fileCases() []treeCase {
	return []treeCase{
		{name: "nothing"},
		{name: "a file is changed", change: "echo A > a.txt", files: []string{"modified a.txt"}},
		{name: "a file is changed and keeps its size and times",
			change: "touch -r a.txt ../times; echo x > a.txt; touch -r ../times a.txt",
			files:  []string{"modified a.txt"}},
		{name: "files are added", change: "mkdir -p x/y; echo n > x/y/z.txt; echo n > new.txt",
			files: []string{"added new.txt", "added x/y/z.txt"}},
		{name: "a file is removed with its directory", change: "rm -r dir", files: []string{"removed dir/b.txt"}},
		{name: "a file is renamed in case", change: "mv a.txt A.txt", files: []string{"added A.txt", "removed a.txt"}},
		{name: "a file is renamed in case although git ignores case", before: "git config core.ignorecase true",
			change: "mv a.txt A.txt; echo 2 > DIRTY.txt",
			files:  []string{"added A.txt", "added DIRTY.txt", "removed a.txt"}},
		{name: "a file is renamed", change: "mv a.txt c.txt", files: []string{"added c.txt", "removed a.txt"}},
		{name: "a file becomes a program", change: "chmod 755 a.txt", files: []string{"modified a.txt"}},
		{name: "a program is changed", change: "echo x > run.sh", files: []string{"modified run.sh"}},
		{name: "a file becomes a directory", change: "rm a.txt; mkdir a.txt; echo x > a.txt/x",
			files: []string{"removed a.txt", "added a.txt/x"}},
		{name: "a directory becomes a file", change: "rm -r dir; echo d > dir",
			files: []string{"added dir", "removed dir/b.txt"}},
		{name: "a directory becomes a link to another",
			change: "mkdir other; echo o > other/b.txt; rm -r dir; ln -s other dir",
			files:  []string{"added dir", "removed dir/b.txt", "added other/b.txt"}},
		{name: "names that other systems confuse with .git",
			change: "mkdir -p x/.git.; echo 1 > x/.git./f; echo 2 > git~1",
			files:  []string{"added git~1", "added x/.git./f"}},
		{name: "programs although git ignores modes", before: "git config core.fileMode false",
			change: "chmod 644 run.sh; echo x >> run.sh", files: []string{"modified run.sh"}},
		{name: "links although git has none", before: "ln -s a.txt l; git config core.symlinks false",
			change: "rm l; echo x > l", files: []string{"modified l"}},
		{name: "links that stay in the tree", change: `ln -s dir/b.txt l; ln -s "$PWD/a.txt" m; ln -s nothing n`,
			files: []string{"added l", "added m", "added n"}},
		{name: "a link is changed", before: "ln -s a.txt l", change: "rm l; ln -s dir l",
			files: []string{"modified l"}},
		{name: "a file becomes a link", change: "ln -sf dir/b.txt a.txt", files: []string{"modified a.txt"}},
		{name: "names of all kinds",
			before: `printf 1 > 'old"q"\'; printf 1 > ./-o`,
			change: `for n in ./-rf ./--exec=x "line
break" '"quoted"' ':(glob)*' :x '*' ' ' é 'old"q"\' ./-o; do echo x > "$n"; done`,
			files: []string{"added  ", `added "quoted"`, "added *", "added --exec=x", "modified -o", "added -rf",
				"added :(glob)*", "added :x", "added line\nbreak", `modified old"q"\`, "added é"}},
		{name: "a person's files are changed and removed",
			change: "echo theirs > dirty.txt; echo theirs > staged.txt; rm mine.txt",
			files:  []string{"modified dirty.txt", "removed mine.txt", "modified staged.txt"}},
		{name: "a file that a person has removed stays removed", before: "rm dir/b.txt", change: "echo x > x",
			files: []string{"added x"}},
		{name: "ignored files stay", change: "echo x > x.log",
			stays: "\"x.log\" -rw-r--r-- \"x\\n\"\n"},
		{name: "a new rule hides nothing", change: "echo 'hidden*' >> .gitignore; echo x > hidden",
			files: []string{"modified .gitignore", "added hidden"}},
		{name: "a directory that hides itself", change: "mkdir evil; echo '*' > evil/.gitignore; echo x > evil/x",
			files: []string{"added evil/.gitignore", "added evil/x"}},
		{name: "a person's file that is no longer ignored is not an addition", change: "echo > .gitignore",
			files: []string{"modified .gitignore"}},
	}
}

func gitCases() []treeCase {
	main := []string{"modified a.txt"}
	return []treeCase{
		{name: "another branch", change: "git checkout -qb side", git: true},
		{name: "a detached HEAD", change: "git checkout -q --detach", git: true},
		{name: "a first commit", before: "git update-ref -d HEAD", change: "git commit -qam mine", git: true},
		{name: "branches and tags", before: "git branch old; git tag v1; git pack-refs --all",
			change: "git branch -qD old; git tag -am annotated v2; git tag -f v1 v2", git: true},
		{name: "references that are only packed", change: "git pack-refs --all"},
		{name: "a replaced object", before: "git commit -q --allow-empty -m second",
			change: "git replace HEAD HEAD~", git: true},
		{name: "stashed changes", before: "echo 1 > a.txt; git stash -q; echo 2 > a.txt", change: "git stash -q",
			files: []string{"modified a.txt"}, git: true},
		{name: "a stash that is dropped and collected", before: "echo 1 > a.txt; git stash -q",
			change: "git stash clear; git gc -q --prune=now", git: true},
		{name: "a configuration that cannot be read", change: "echo '[broken' > .git/config", git: true,
			oneProcess: true},
		{name: "excluded files", change: "echo hidden > .git/info/exclude; echo x > hidden",
			files: []string{"added hidden"}, git: true},
		{name: "a merge that is under way",
			before: "git stash -q; git checkout -qb side; git commit -q --allow-empty -m x; git checkout -q main",
			change: "git merge -q --no-ff --no-commit side", git: true},
		{name: "other objects", change: "echo /elsewhere > .git/objects/info/alternates", git: true},
		{name: "staged files", change: "echo theirs > staged.txt; echo A > a.txt; git add -A",
			files: append([]string{"modified staged.txt"}, main...)},
		{name: "no references", change: "rm -rf .git/refs", git: true},
		{name: "a shared index", change: "git update-index --split-index"},
		{name: "what others fetch and do in other working trees", before: "git worktree add -q ../other -b side",
			change: "git update-ref refs/remotes/origin/main main; git worktree add -q --detach ../third"},
	}
}

// hostileCases are the dangers. Each planted program writes ../ran.
func hostileCases() []treeCase {
	const plant = "printf '#!/bin/sh\\ntouch ../ran\\ncat\\n' > tool; chmod 755 tool\n"
	planted := func(name, change string, files ...string) treeCase {
		return treeCase{name: name, change: plant + change, files: append(files, "added tool"), git: true}
	}
	return []treeCase{
		{name: "the agent commits", change: "echo A > a.txt; git commit -qam mine; git tag mine", git: true,
			files: []string{"modified a.txt"}},
		{name: "the agent commits and leaves the tree as it was",
			change: "echo A > a.txt; git commit -qm mine a.txt; git checkout -q HEAD~ a.txt; git commit -qm back a.txt",
			git:    true},
		{name: "forged trailers", change: "echo A > a.txt; git add a.txt\n" +
			"git commit -qm 'work\n\nErrgen-Run: run\nErrgen-Attempt: 1' a.txt",
			git: true, files: []string{"modified a.txt"}},
		{name: "ignored forbidden files",
			before: "mkdir -p node_modules/lib; echo good > node_modules/lib/index.js",
			change: "echo stolen > .env; rm -r node_modules/lib; mkdir -p node_modules/left sub\n" +
				"echo evil > node_modules/left/x; echo stolen > sub/.env",
			files: []string{"modified .env", "added node_modules/left/x", "removed node_modules/lib/index.js",
				"added sub/.env"}},
		{name: "a link out of the tree", change: "ln -s /etc/passwd l", files: []string{"added l escapes"}},
		{name: "a link out of the tree by dots", change: "ln -s ../../x dir/l", files: []string{"added dir/l escapes"}},
		{name: "a link out of the tree by another", change: "ln -s .. dir/up; ln -s dir/up/../x l",
			files: []string{"added dir/up", "added l escapes"}},
		{name: "a link to itself", change: "ln -s l l", files: []string{"added l escapes"}},
		{name: "a link into git", change: "ln -s .git/config l", files: []string{"added l escapes"}},
		{name: "a file becomes a repository",
			change: "rm a.txt; git init -q a.txt; echo q > a.txt/q; echo S=1 > a.txt/.env",
			files:  []string{"removed a.txt", "added a.txt/.env", "added a.txt/q"}, git: true},
		{name: "a nested repository", change: "git init -q sub; echo x > sub/x.txt", files: []string{"added sub/x.txt"},
			git: true},
		{name: "a file that names a repository",
			change: "mkdir sub; echo gitdir: /elsewhere > sub/.git; echo x > sub/x",
			files:  []string{"added sub/x"}, git: true},
		{name: "a change in a nested repository", before: "git init -q sub; echo x > sub/x.txt",
			change: "echo y > sub/x.txt; echo evil > sub/.git/hooks/pre-commit; git -C sub config x.y z",
			files:  []string{"modified sub/x.txt"}, git: true},
		{name: "planted hooks",
			change: "for h in pre-commit commit-msg post-commit reference-transaction post-index-change\n" +
				"do printf '#!/bin/sh\\ntouch ../ran\\n' > .git/hooks/$h; chmod 755 .git/hooks/$h; done", git: true},
		{name: "a hook that is a link", change: "ln -s /bin/true .git/hooks/pre-commit", git: true},
		planted("a planted path of hooks", "git config core.hooksPath .; cp tool reference-transaction",
			"added reference-transaction"),
		planted("a planted monitor", "git config core.fsmonitor ./tool"),
		planted("a planted filter", "git config filter.x.clean ./tool; git config filter.x.smudge ./tool\n"+
			"git config filter.x.required true; echo '* filter=x' > .gitattributes; echo A > a.txt",
			"added .gitattributes", "modified a.txt"),
		planted("a planted filter in git's own attributes", "git config filter.x.process ./tool\n"+
			"echo '* filter=x' > .git/info/attributes; echo A > a.txt", "modified a.txt"),
		planted("a planted diff", "git config diff.external ./tool; echo '* diff=x' > .gitattributes\n"+
			"git config diff.x.textconv ./tool", "added .gitattributes"),
		planted("a planted alias and programs",
			"git config alias.status '!./tool'; git config core.sshCommand ./tool\n"+
				"git config core.pager ./tool; git config core.editor ./tool; git config gpg.program ./tool"),
		planted("an included configuration", "printf '[core]\\n\\tfsmonitor = ./tool\\n' > more\n"+
			"git config include.path ../more",
			"added more"),
		planted("a configuration of the worktree", "git config extensions.worktreeConfig true\n"+
			"printf '[core]\\n\\tfsmonitor = ./tool\\n' > .git/config.worktree"),
		{name: "a person's filter for all files", before: "git config filter.x.clean 'touch ../ran; cat'",
			change: "echo '* filter=x' > .gitattributes; echo A > a.txt",
			files:  []string{"added .gitattributes", "modified a.txt"}},
	}
}
