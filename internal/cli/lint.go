package cli

func lintCommand() *command {
	return &command{
		name: "lint", args: "[taxonomy.yaml ...]", max: -1,
		summary: "check taxonomies, and generate nothing",
		details: `
Lint prints every finding about a taxonomy. It exits with 1 when one of them is an error, or with -strict
when there is any. "errgen explain ID" tells more about a finding.`,
		flags: findingFlags,
		run:   (*session).lint,
	}
}

func (s *session) lint(o *options, args []string) error {
	all, err := s.loadAll(args)
	if err != nil {
		return err
	}
	return s.report(all, o, s.Stdout)
}
