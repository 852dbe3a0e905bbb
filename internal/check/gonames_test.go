package check_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/errgen/errgen/internal/check"
)

func TestGonamesRules(t *testing.T) {
	runRuleTests(t, []ruleTest{
		{
			name: "names that give no Go name",
			yaml: `
groups: {"-": Dashes.}
categories:
  "4xx": {codes: {"08006": {message: fine}, "!": {message: no, groups: ["-"]}}}
  io:
    fields: {4th: {type: string}, mode: {enum: [a, "+"]}}
    codes: {EOF: {message: end}}`,
			want: `
1:10+3 E-go-name group "-" gives no Go name
  hint: use letters and digits
3:3+5 E-go-name category "4xx" gives no Go name
  hint: say it with the key "type"
3:45+3 E-go-name code "!" gives no Go name
  hint: say it with the key "name"
5:14+3 E-go-name field "4th" gives no Go name
  hint: say it with the key "name"
5:52+3 E-go-name "+" gives no Go name
  hint: use letters and digits`,
		},
		{
			name: "names that are given and not exported",
			yaml: `
categories:
  io:
    type: ioError
    fields: {at: {type: string, name: at}}
    codes: {EOF: {message: end, name: e-o-f}}`,
			want: `
3:11+7 E-go-name "ioError" is no exported Go name
  hint: begin with a capital, and go on with letters and digits
4:39+2 E-go-name "at" is no exported Go name
  hint: begin with a capital, and go on with letters and digits
5:39+5 E-go-name "e-o-f" is no exported Go name
  hint: begin with a capital, and go on with letters and digits`,
		},
		{
			name: "a given name mends all of it",
			yaml: `
categories:
  "4xx":
    type: ClientError
    fields: {4th: {type: string, name: Fourth}}
    codes: {"!": {message: end, name: Surprise}}`,
		},
		{
			name: "strategy without a method",
			yaml: `
strategies: {2nd: Try again.}
reactions: {again: {action: recover, strategy: 2nd}}
categories:
  io: {codes: {EOF: {message: end, reaction: again}}}`,
			want: `
1:14+3 E-go-name strategy "2nd" gives no Go name
  hint: begin with a letter, and go on with letters and digits`,
		},
		{
			name: "two codes with one Go name",
			yaml: `
categories:
  io:
    codes:
      NOT_FOUND: {message: one}
      notFound: {message: two}`,
			want: `
5:7+8 E-duplicate-go-name the Go name CodeNotFound is taken
  hint: give the code another name
  4:7+9 first made here`,
		},
		{
			name: "a code and a category that meet",
			yaml: `
categories:
  io: {codes: {EOF: {message: end}}}
  code: {type: CodeEOF, codes: {LATE: {message: late}}}`,
			want: `
2:16+3 E-duplicate-go-name the Go name CodeEOF is taken
  hint: give the code another name
  3:16+7 first made here`,
		},
		{
			name: "a type of errgen's own",
			yaml: `
categories:
  io: {type: Table, codes: {EOF: {message: end}}}`,
			want: `
2:14+5 E-duplicate-go-name the Go name Table belongs to the generated package itself
  hint: give the category another type`,
		},
		{
			name: "two categories with one type",
			yaml: `
categories:
  io: {codes: {EOF: {message: end}}}
  IO: {codes: {LATE: {message: late}}}`,
			want: `
3:3+2 E-duplicate-go-name the Go name IOError is taken
  hint: give the category another type
  2:3+2 first made here`,
		},
		{
			name: "groups, tiers and profiles that meet",
			yaml: `
groups: {net-work: A., net_work: B.}
tiers: {a-b: {}, a_b: {}}
profiles: {x-y: {}, x_y: {}}
categories:
  io: {codes: {EOF: {message: end, groups: [net-work, net_work]}}}`,
			want: `
1:24+8 E-duplicate-go-name the Go name InNetWork is taken
  hint: rename the group
  1:10+8 first made here
2:18+3 E-duplicate-go-name the Go name TierAB is taken
  hint: rename the tier
  2:9+3 first made here
3:21+3 E-duplicate-go-name the Go name ProfileXY is taken
  hint: rename the profile
  3:12+3 first made here`,
		},
		{
			name: "words of an enum that meet",
			yaml: `
categories:
  io:
    fields: {mode: {enum: [ask-user, ask_user, block]}}
    codes: {EOF: {message: end}}`,
			want: `
3:38+8 E-duplicate-go-name the Go name IOModeAskUser is taken
  hint: spell the words less alike
  3:28+8 first made here`,
		},
		{
			name: "enum types that meet",
			yaml: `
categories:
  io:
    fields: {type: {enum: [a]}, error: {enum: [b], name: Type2}, type2: {enum: [c]}}
    codes: {EOF: {message: end}}`,
			want: `
3:66+5 E-duplicate-go-name the Go name IOType2 is taken
  hint: give the field another name
  3:58+5 first made here
3:66+5 E-duplicate-go-name the field's Go name Type2 is taken
  hint: say another with the key "name"
  3:58+5 first made here`,
		},
		{
			name: "enum type and code type that meet",
			yaml: `
categories:
  io:
    fields: {code: {enum: [a]}}
    codes: {EOF: {message: end}}`,
			want: `
3:14+4 E-duplicate-go-name the Go name IOCode is taken
  hint: give the field another name
  2:3+2 first made here
3:14+4 E-method-name a field cannot be called Code: every error has a method Code
  hint: say another name with the key "name"`,
		},
		{
			name: "two fields with one Go name",
			yaml: `
categories:
  io:
    fields: {file_name: {type: string}, fileName: {type: string}}
    codes: {EOF: {message: end}}`,
			want: `
3:41+8 E-duplicate-go-name the field's Go name FileName is taken
  hint: say another with the key "name"
  3:14+9 first made here`,
		},
		{
			name: "a field of every category and one of its own",
			yaml: `
fields: {file_name: {type: string}}
categories:
  io:
    fields: {fileName: {type: string}}
    codes: {EOF: {message: end}}`,
			want: `
4:14+8 E-duplicate-go-name the field's Go name FileName is taken
  hint: say another with the key "name"
  1:10+9 first made here`,
		},
		{
			name: "fields of an object with one Go name",
			yaml: `
fields: {run: {type: object, fields: {a_b: {type: string}, aB: {type: string}}}}`,
			want: `
1:60+2 E-duplicate-go-name the field's Go name AB is taken
  hint: say another with the key "name"
  1:39+3 first made here`,
		},
		{
			name: "a field that hides a method",
			yaml: `
fields: {error: {type: string}, code: {type: string, required: true}, row: {type: int, name: RowNumber}}`,
			want: `
1:10+5 E-method-name a field cannot be called Error: every error has a method Error
  hint: say another name with the key "name"
1:33+4 E-method-name a field cannot be called Code: every error has a method Code
  hint: say another name with the key "name"`,
		},
		{
			name: "a field that hides how another is set",
			yaml: `
fields: {path: {type: string}, with_path: {type: string}}`,
			want: `
1:32+9 E-method-name a field cannot be called WithPath: WithPath sets the field path
  hint: say another name with the key "name"`,
		},
		{
			name: "a required field is not set later",
			yaml: `
fields: {path: {type: string, required: true}, with_path: {type: string}}`,
		},
		{
			name: "an optional field called cause",
			yaml: `
fields: {cause: {type: string}}`,
			want: `
1:10+5 E-method-name an optional field cannot be called Cause: WithCause sets the wrapped error
  hint: say another name with the key "name"`,
		},
	})
}

// Windows knows no such directories, and the go command no such import paths.
func TestDeviceNames(t *testing.T) {
	for name, refused := range map[string]bool{
		"con": true, "nul": true, "aux": true, "prn": true, "com1": true, "LPT9": true, "com": false,
		"lpt0": false, "console": false,
	} {
		_, findings := check.Load(
			"t.yaml",
			[]byte("errgen: 1\npackage: "+name+"\ncategories: {c: {doc: C., codes: {A_B: {doc: A., message: a}}}}\n"))
		var told []string
		for _, f := range findings {
			told = append(told, f.Message)
		}
		want := `a package called "` + name + `" could not be imported like any other`
		assert.Equal(t, refused, slices.Contains(told, want), "%s: %v", name, told)
	}
}
