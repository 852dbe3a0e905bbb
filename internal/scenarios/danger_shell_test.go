package scenarios_test

import "os/exec"

func lookGit() (string, error) { return exec.LookPath("git") }
