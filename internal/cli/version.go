package cli

import (
	"cmp"
	"runtime/debug"
)

func versionCommand() *command {
	return &command{
		name: "version", summary: "print the version of errgen",
		details: `
Version prints the version of errgen, which for a build of a work tree contains the commit, and the version of Go.`,
		run: (*session).version,
	}
}

func (s *session) version(*options, []string) error {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		info = new(debug.BuildInfo)
	}
	return s.printf("errgen %s (%s)\n", cmp.Or(info.Main.Version, "(devel)"), info.GoVersion)
}
