package check_test

import "testing"

func TestDetectValues(t *testing.T) {
	runRuleTests(t, []ruleTest{
		{
			name: "statuses that there are not",
			yaml: `
categories:
  io:
    codes:
      A: {message: a, detect: [{status: 42}, {status: {min: 600}}, {status: {max: 99}}, {status: {min: 0, max: 600, not: 0}}, {status: [404, 4040]}]}
      B: {message: b, detect: [{status: {min: 0, max: 600}}], examples: [{status: 0}, {status: 99}, {status: 599}], not_examples: [{status: 600}]}`,
			want: `
4:41+2 E-http-status 42 is no HTTP status: they go from 100 to 599
4:61+3 E-http-status 600 is no HTTP status: they go from 100 to 599
4:83+2 E-http-status 99 is no HTTP status: they go from 100 to 599
4:122 E-http-status 0 is no HTTP status: they go from 100 to 599
4:142+4 E-http-status 4040 is no HTTP status: they go from 100 to 599
5:83 E-http-status 0 is no HTTP status: they go from 100 to 599
5:96+2 E-http-status 99 is no HTTP status: they go from 100 to 599
5:141+3 E-http-status 600 is no HTTP status: they go from 100 to 599`,
		},
		{
			name: "exit codes below zero",
			yaml: `
categories:
  io:
    codes:
      A: {message: a, detect: [{exit_code: -1}, {exit_code: {max: -1}}, {exit_code: {min: -5}}], examples: [{exit_code: -1}, {exit_code: 3221225477}]}`,
			want: `
4:44+2 E-empty-range this condition is never met: no process exits with -1
  hint: when a signal ended the process, there is a signal and no exit code
4:67+2 E-empty-range this condition is never met: no process exits with -1
  hint: when a signal ended the process, there is a signal and no exit code
4:121+2 E-value exit_code: no process exits with -1
  hint: when a signal ended the process, there is a signal and no exit code`,
		},
		{
			name: "names of the system in other words",
			yaml: `
categories:
  io:
    codes:
      A: {message: a, detect: [{signal: KILL}, {signal: sigterm}, {errno: pipe}, {as: '*syscall.Errno'}, {as: syscall.Errno}, {is: syscall.EPIPE}, {is: golang.org/x/sys/unix.ENOENT}]}`,
			want: `
4:41+4 E-stdlib-name "KILL" is no signal of Linux
  hint: did you mean "SIGKILL"?
4:57+7 E-stdlib-name "sigterm" is no signal of Linux
  hint: did you mean "SIGTERM"?
4:75+4 E-stdlib-name "pipe" is no errno of Linux
  hint: did you mean "EPIPE"?
4:87+16 E-stdlib-name "*syscall.Errno": the package differs between systems
  hint: use errno for errors of the system: errno: ECONNRESET
4:111+13 E-stdlib-name "syscall.Errno": the package differs between systems
  hint: use errno for errors of the system: errno: ECONNRESET
4:132+13 E-stdlib-name "syscall.EPIPE": the package differs between systems
  hint: use errno for errors of the system: errno: EPIPE
4:153+28 E-stdlib-name "golang.org/x/sys/unix.ENOENT": the package differs between systems
  hint: use errno for errors of the system: errno: ENOENT`,
		},
		{
			name: "prefixes of no name",
			yaml: `
sources: {api-a: An API., api-b: Another.}
categories:
  io:
    codes:
      A: {message: a, detect: [{source: {prefix: api-}}, {source: {prefix: [zzz, apl-a]}}, {op: {prefix: validate_}}, {op: {prefix: vx}}, {type: {prefix: zzz}}]}`,
			want: `
5:77+3 E-unknown-name no source begins with "zzz"
5:82+5 E-unknown-name no source begins with "apl-a"
  hint: did you mean "api-a"?
5:133+2 E-unknown-name no op begins with "vx"`,
		},
		{
			name: "escapes that YAML reads",
			yaml: `
categories:
  io:
    codes:
      A:
        message: a
        detect:
          - {text: "\bquota\b"}
          - {text: '\bquota\b', contains: ["fine\t", "\a bell"]}
          - {text: "\P{Greek}abc", type: "\b", code: {not: "\b", prefix: "\b"}}
          - {contains: "\e[31mred \v\f\r\n"}`,
			want: `
7:21+2 E-read-escape the text holds a backspace: in double quotes YAML reads \b as that
  hint: write a regular expression in single quotes
8:55+2 E-read-escape the text holds a bell: in double quotes YAML reads \a as that
  hint: write a regular expression in single quotes
9:21+2 E-read-escape the text holds a paragraph separator: in double quotes YAML reads \P as that
  hint: write a regular expression in single quotes`,
		},
	})
}

func TestAttributeNames(t *testing.T) {
	runRuleTests(t, []ruleTest{
		{
			name: "names that are never there",
			yaml: `
fields: {a: {type: string, from: [attributes.Request-Id, attributes.hostName]}, b: {type: string, from: attributes.x-request-id}}
categories:
  io:
    codes:
      A:
        message: a
        detect: [{attributes: {X-RateLimit-Remaining: '0', x-github-request-id: a, x-mine: b, retry-after: c}}]
        examples: [{attributes: {x-should-retry: true, Host: h}}]`,
			want: `
1:46+10 E-attribute-name the names of attributes are in lower case, so none is "Request-Id"
  hint: write request-id
1:69+8 E-attribute-name the names of attributes are in lower case, so none is "hostName"
  hint: write hostname
1:116+12 W-header-name the header x-request-id is not kept by that name
  hint: write request-id
7:32+21 E-attribute-name the names of attributes are in lower case, so none is "X-RateLimit-Remaining"
  hint: write ratelimit-remaining
7:60+19 W-header-name the header x-github-request-id is not kept by that name
  hint: write request-id
8:34+14 W-header-name the header x-should-retry is not kept by that name
  hint: write should-retry
8:56+4 E-attribute-name the names of attributes are in lower case, so none is "Host"
  hint: write host`,
		},
	})
}
