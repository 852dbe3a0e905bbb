// Release prepares a version of all modules of the repository: `make release VERSION=v0.1.0`.
//
// All modules have the same version. In the repository, nested modules require v0.0.0 of the root
// and replace it by a directory; a published module must not. So a release is a commit beside the
// main branch, which the tags point to: its parent dates the section of the changelog, and it sets
// the versions and removes the replace lines. Nothing has to be undone on the main branch.
//
// Everything happens in a clone. There, each module is packed into a module proxy of files, built in
// an empty module as a user does, and tested without the workspace, and the README's quick start is
// run. With -write, the commits and the tags are then added to the repository; nothing is pushed.
package main

import (
	"flag"
	"fmt"
	"os"
)

func main() {
	write := flag.Bool("write", false, "add the commits and the tags to the repository")
	api := flag.String("api", "", "only compare the Go API with the last tag, by `PACKAGE@VERSION` of apidiff")
	flag.Usage = func() {
		fmt.Fprintln(os.Stderr, "usage: release [-write] VERSION\n       release -api PACKAGE@VERSION")
	}
	flag.Parse()
	var err error
	switch {
	case *api != "" && flag.NArg() == 0:
		err = checkAPI(command{dir: "."}, *api)
	case *api == "" && flag.NArg() == 1:
		err = release(flag.Arg(0), *write)
	default:
		flag.Usage()
		os.Exit(2)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}
