package cli

import (
	"cmp"
	"runtime/debug"
)

func (s *session) version(*options, []string) error {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		info = new(debug.BuildInfo)
	}
	return s.printf("errgen %s (%s)\n", cmp.Or(info.Main.Version, "(devel)"), info.GoVersion)
}
