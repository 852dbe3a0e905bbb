package check_test

import "testing"

func TestHeaderRules(t *testing.T) {
	runRuleTests(t, []ruleTest{
		{
			name: "package that is no identifier",
			yaml: `
package: my-errs`,
			want: `
1:10+7 E-package "my-errs" cannot name a Go package
  hint: use lower-case letters and digits, as in errs`,
		},
		{
			name: "package that the go command ignores",
			yaml: `
package: main`,
			want: `
1:10+4 E-package a package called "main" could not be imported like any other
  hint: choose another name, such as errs`,
		},
		{
			name: "package of external tests",
			yaml: `
package: errs_test`,
			want: `
1:10+9 E-package a package called "errs_test" could not be imported like any other
  hint: choose another name, such as errs`,
		},
		{
			name: "package called like a predeclared name",
			yaml: `
package: error`,
			want: `
1:10+5 E-package "error" is a name of the Go language; every file that imports the package would lose it`,
		},
		{
			name: "package called like an ordinary word",
			yaml: `
package: faults2`,
		},
		{
			name: "domain",
			yaml: `
domain: errors.example.org`,
		},
		{
			name: "domain with a scheme",
			yaml: `
domain: https://example.org`,
			want: `
1:9+19 E-domain "https://example.org" cannot be a domain
  hint: use letters, digits, dots and hyphens, as in errors.example.org`,
		},
		{
			name: "help url",
			yaml: `
help_url: https://example.org/errors/{code}#top`,
		},
		{
			name: "help url with another placeholder",
			yaml: `
help_url: https://example.org/{category}/{code}`,
			want: `
1:11+37 E-help-url help_url knows no placeholder but {code}`,
		},
		{
			name: "help url that is not whole",
			yaml: `
help_url: errors/{code}`,
			want: `
1:11+13 E-help-url "errors/{code}" is no address
  hint: write it whole, as in https://example.org/errors/{code}`,
		},
	})
}
