package suggest_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/internal/suggest"
)

// groups reads a record whose every line is an entry.
func groups(t *testing.T, record string) *suggest.Groups {
	t.Helper()
	g := suggest.NewGroups()
	faults, err := suggest.Read(strings.NewReader(record), g.Add)
	require.NoError(t, err)
	require.Empty(t, faults)
	return g
}

func TestProposals(t *testing.T) {
	tests := []struct{ name, record, want string }{
		{
			name: "the source's own type",
			record: `
{"time":"2026-01-02T12:00:00Z","evidence":{"source":"api","op":"call","status":529,"type":"ShedLoad","text":"Overloaded"}}
{"time":"2026-01-02T12:00:09Z","evidence":{"source":"api","op":"call","status":529,"type":"ShedLoad","text":"Overloaded"}}`,
			want: `
      # 2 entries from 2026-01-02T12:00:00Z to 2026-01-02T12:00:09Z
      #   "Overloaded"
      SHED_LOAD:
        message: shed load
        detect:
          - {source: api, status: 529, type: ShedLoad}
        examples:
          - {source: api, op: call, status: 529, type: ShedLoad, text: Overloaded}
`,
		},
		{
			name: "several texts",
			record: `
{"source":"git","errno":"EWOULDBLOCK","text":"read 1: again"}
{"source":"git","errno":"EAGAIN","text":"write 1: again"}
{"source":"git","errno":"EAGAIN","text":"write 2: again"}`,
			want: `
      # 3 entries
      #   "read N: again"
      #   "write N: again"
      GIT_EAGAIN:
        message: git eagain
        detect:
          - {source: git, errno: EAGAIN}
        examples:
          - {source: git, errno: EAGAIN, text: 'read 1: again'}
          - {source: git, errno: EAGAIN, text: 'write 1: again'}
`,
		},
		{
			name: "a code that is unique, and one with several statuses",
			record: `
{"source":"api","status":404,"code":"OrderNotFound","text":"order 7"}
{"source":"api","status":404,"code":"OrderNotFound","text":"order 8"}
{"source":"api","status":409,"code":"refused"}
{"source":"api","status":403,"code":"refused"}`,
			want: `
      # 1 entry
      API_REFUSED_409:
        message: api refused 409
        detect:
          - {source: api, status: 409, code: refused}
        examples:
          - {source: api, status: 409, code: refused}

      # 1 entry
      API_REFUSED_403:
        message: api refused 403
        detect:
          - {source: api, status: 403, code: refused}
        examples:
          - {source: api, status: 403, code: refused}

      # 2 entries
      #   "order N"
      API_ORDER_NOT_FOUND:
        message: api order not found
        detect:
          - {source: api, code: OrderNotFound}
        examples:
          - {source: api, status: 404, code: OrderNotFound, text: order 7}
`,
		},
		{
			name: "a signature matches the most specific fact",
			record: `
{"source":"api","errno":"ENOSPC","text":"write /var/x: no space left on device"}
{"source":"api","code":"insufficient_quota","status":429,"text":"Too many requests"}
{"source":"api","code":"OrderNotFound","errno":"ENOENT"}
{"source":"cli","exit_code":139}`,
			want: `
      # 1 entry
      API_ORDER_NOT_FOUND_ENOENT:
        message: api order not found enoent
        detect:
          - {source: api, code: OrderNotFound, errno: ENOENT}
        examples:
          - {source: api, code: OrderNotFound, errno: ENOENT}

      # 1 entry
      #   "write /PATH: no space left on device"
      DISK_FULL:
        message: disk full
        detect:
          - {source: api, like: disk_full}
        examples:
          - {source: api, errno: ENOSPC, text: 'write /var/x: no space left on device'}

      # 1 entry
      #   "Too many requests"
      QUOTA_EXHAUSTED:
        message: quota exhausted
        detect:
          - {source: api, like: quota_exhausted}
        examples:
          - {source: api, status: 429, code: insufficient_quota, text: Too many requests}

      # 1 entry
      CRASH:
        message: crash
        detect:
          - {source: cli, like: crash}
        examples:
          - {source: cli, exit_code: 139}
`,
		},
		{
			name: "text where nothing else tells",
			record: `
{"source":"cli","exit_code":1,"text":"Error: session 12 has 'expired' on this host"}
{"source":"cli","exit_code":1,"text":"error:  session 7 has 'gone' on this host"}`,
			want: `
      # 2 entries
      #   "Error: session N has 'X' on this host"
      #   "error: session N has 'X' on this host"
      ON_THIS_HOST:
        message: on this host
        detect:
          - {source: cli, contains: on this host}
        examples:
          - {source: cli, exit_code: 1, text: 'Error: session 12 has ''expired'' on this host'}
          - {source: cli, exit_code: 1, text: 'error:  session 7 has ''gone'' on this host'}
`,
		},
		{
			name:   "an exit code where there is no text",
			record: `{"source":"cli","op":"call","exit_code":39}`,
			want: `
      # 1 entry
      CLI_EXIT_39:
        message: cli exit 39
        detect:
          - {source: cli, exit_code: 39, priority: -10}
        examples:
          - {source: cli, op: call, exit_code: 39}
`,
		},
		{
			name: "a rule with more conditions comes first",
			record: `
{"source":"cli","text":"clone failed"}
{"source":"cli","text":"clone failed"}
{"source":"cli","text":"could not go on: clone failed: bad luck"}
{"source":"cli","type":"disk"}
{"source":"cli","type":"disk"}
{"source":"cli","type":"disk","code":"12"}`,
			want: `
      # 1 entry
      CLI_DISK:
        message: cli disk
        detect:
          - {source: cli, type: disk, code: "12"}
        examples:
          - {source: cli, type: disk, code: "12"}

      # 2 entries
      DISK:
        message: disk
        detect:
          - {source: cli, type: disk}
        examples:
          - {source: cli, type: disk}

      # 1 entry
      #   "could not go on: clone failed: bad luck"
      COULD_NOT_GO_ON_CLONE_FAILED:
        message: could not go on clone failed
        detect:
          - {source: cli, contains: 'could not go on: clone failed: bad luck'}
        examples:
          - {source: cli, text: 'could not go on: clone failed: bad luck'}

      # 2 entries
      #   "clone failed"
      CLONE_FAILED:
        message: clone failed
        detect:
          - {source: cli, contains: clone failed}
        examples:
          - {source: cli, text: clone failed}
`,
		},
		{
			name: "an example that another rule wins, and evidence that says nothing",
			record: `
{"source":"cli","text":"failed: 12"}
{"source":"cli","text":"failed: 12"}
{"source":"cli","text":"1 failed"}
{"source":"cli"}
{"source":"cli","text":"12"}
{"source":"two words","text":"\u001b[31m'X'\u0000"}`,
			want: `
      # 2 entries
      #   "failed: N"
      # The text is short: extend it, or add a condition.
      FAILED:
        message: failed
        detect:
          - {source: cli, contains: failed}
        examples:
          - {source: cli, text: 'failed: 12'}

# Without a proposal:
# 1 entry, source cli: there is nothing that a rule could test
# 1 entry, source cli, "n": there is nothing that a rule could test
# 1 entry, "'x'": there is nothing that a rule could test
# 1 entry, source cli, "N failed": the example is won by rule 1 of FAILED [E-example]
`,
		},
		{
			name: "hostile text",
			record: `{"source":"a: b #c","type":"yes","text":"x"}
{"source":"no","code":"{[\"'\\|>&*!%@` + "`" + `\u0000\u0007\u0085\u202e\ufeff\ud83d\ude00\ud800 #, ]}","text":"# - ? : -- ...\n--- \u2028"}
{"source":"${x}","type":"{placeholder} [[x]]","text":"{placeholder}"}`,
			want: `
      # 1 entry
      #   "{placeholder}"
      PLACEHOLDER_X:
        message: placeholder x
        detect:
          - {source: '${x}', type: '{placeholder} [[x]]'}
        examples:
          - {source: '${x}', type: '{placeholder} [[x]]', text: '{placeholder}'}

      # 1 entry
      #   "x"
      # The source has no usable name, so the rule is for every source.
      UNRECOGNISED_FAILURE:
        message: unrecognised failure
        detect:
          - {type: yes}
        examples:
          - {type: yes, text: x}

# Without a proposal:
# 1 entry, source no, "# - ? : -- ... ---": there is nothing that a rule could test
`,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := groups(t, tt.record).Propose(suggest.Options{Sources: []string{"api", "git", "cli", "no", "${x}"}})
			_, body, _ := strings.Cut(string(r.YAML()), "doc, retryable and reaction.\n")
			assert.Equal(t, tt.want, body)
		})
	}
}
