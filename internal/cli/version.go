package cli

import (
	"fmt"
	"runtime"
	"runtime/debug"
)

func versionCommand() *command {
	return &command{
		name: "version", summary: "print the version of errgen",
		details: `Version prints the version of errgen, the commit that it was built from if that is known, and the ` +
			`version of Go.`,
		run: (*session).version,
	}
}

func (s *session) version(*options, []string) error {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		info = new(debug.BuildInfo)
	}
	return s.printf("errgen %s\n", versionText(info))
}

// versionText words build information. A build of a work tree has no version, and is told by its
// commit.
func versionText(info *debug.BuildInfo) string {
	version := info.Main.Version
	if version == "" {
		version = "(devel)"
	}
	goVersion := info.GoVersion
	if goVersion == "" {
		goVersion = runtime.Version()
	}
	revision, modified := "", ""
	for _, setting := range info.Settings {
		switch setting.Key {
		case "vcs.revision":
			revision = setting.Value
		case "vcs.modified":
			if setting.Value == "true" {
				modified = ", modified"
			}
		}
	}
	if revision == "" {
		return fmt.Sprintf("%s (%s)", version, goVersion)
	}
	return fmt.Sprintf("%s (%.12s%s, %s)", version, revision, modified, goVersion)
}
