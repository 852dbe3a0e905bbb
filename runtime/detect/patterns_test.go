package detect_test

import (
	"fmt"
	"strings"
)

// wellKnown are patterns as rules on the errors of tools and services have them; "=" is plain text
// in any case.
var wellKnown = []string{
	`(?i)\brate.?limit`, `(?i)quota (?:exceeded|exhausted)`, `=usage limit reached`, `(?i)too many requests`,
	`(?i)context (?:length|window) exceeded`, `=overloaded_error`, `error TS\d{4,5}:`, `(?i)type .* is not assignable`,
	`(?m)^\S+:\d+:\d+: error: `, `Cannot find module '[^']+'`, `=dependency not found`,
	`(?i)\b(?:build|compilation) failed\b`,
	`--- FAIL: \w+`, `(?i)tests? failed: \d+`, `ECONNREFUSED|ENOTFOUND|ETIMEDOUT`,
	`(?i)connection (?:refused|reset by peer)`,
	`=no such host`, `(?i)permission denied \(publickey`, `=could not read Username for`,
	`fatal: .*not a git repository`,
	`(?i)merge conflict in .+`, `=No space left on device`, `(?i)cannot allocate memory|out of memory`,
	`signal: killed`,
	`panic: .*`, `(?i)deadline exceeded`, `x509: certificate .* (?:expired|unknown authority)`,
	`=TLS handshake timeout`,
	`(?i)invalid (?:api|x-api-) ?key`, `authentication_error`, `npm ERR! code E\w+`, `(?i)lockfile .* out of date`,
	`(?i)duplicate key value violates unique constraint`, `=deadlock detected`, `pq: relation "\w+" does not exist`,
	`ORA-\d{5}`, `SQLSTATE\[\w{5}\]`, `(?i)segmentation fault`, `undefined: \w+`, `imported and not used`,
	`(?i)unexpected token .* in JSON`, `SyntaxError: .*`, `(?i)expected .* but (?:got|found)`, `(?i)cyclic import`,
	`ERESOLVE`,
	`(?i)docker daemon is not running`, `manifest for .* not found`, `(?i)pull access denied`, `ImagePullBackOff`,
	`CrashLoopBackOff`,
	`(?i)insufficient (?:memory|cpu)`, `=The operation was canceled`, `(?i)upstream (?:connect error|request timeout)`,
	`(?i)repository not found`, `remote: Permission to .* denied`, `=non-fast-forward`, `(?i)pre-receive hook declined`,
	`(?i)secondary rate limit`, `(?i)abuse detection`, `(?i)could not resolve host`,
}

// patterns returns n patterns: the well-known ones, and more of their kinds about made-up
// subsystems.
func patterns(n int) []string {
	out := append([]string(nil), wellKnown[:min(n, len(wellKnown))]...)
	forms := []string{
		`(?i)%s(?:_| )%s (?:failed|timed out)`, `=%s %s unavailable`, `%sError: .*%s`,
		`(?i)\b%s\b.{0,40}\b%s exhausted`,
		`E_%s_%s`, `(?i)unable to %s the %s`, `(?m)^%s: %s missing`, `=%s was rejected by %s`, `%s/%s: exit status \d+`,
		`(?i)%s[ -]%s (?:denied|forbidden|refused)`,
	}
	for i := len(out); i < n; i++ {
		a, b := subsystems[i%len(subsystems)], subsystems[(i*7+i/len(subsystems)*3+1)%len(subsystems)]
		out = append(out, fmt.Sprintf(forms[i%len(forms)], a, b))
	}
	return out
}

var subsystems = strings.Fields(`mount scheduler replica shard ledger invoice webhook tenant cursor journal snapshot gateway sidecar
	ingress broker partition offset consumer producer migration index vacuum checkpoint heartbeat election quorum lease token
	session cookie upload bucket archive codec frame packet route peer tunnel volume inode quota cgroup namespace registry`)

// log returns n bytes of the log of a build or a service. Many lines nearly match a rule.
func log(n int) string {
	lines := []string{
		"2025-11-03T09:14:%02d.127Z INFO  http: GET /v1/rating/limits 200 in %dms",
		"ok  \tgithub.com/acme/widget/internal/store%d\t%d.214s",
		"[%02d/%02d] Compiling src/connection/refuse_list.ts",
		"  at Object.<anonymous> (/srv/app/node_modules/undici/lib/handler/retry-handler.js:%d:%d)",
		"npm WARN deprecated glob@7.2.%d: versions prior to v9 are no longer supported (%d)",
		"time=09:%02d level=debug msg=\"acquired lease\" shard=%d tenant=acme",
		"remote: Counting objects: 100%% (%d/%d), done.",
		"=== RUN   TestFailureIsReported/case_%d_of_%d",
		"    --- PASS: TestTimeoutIsNotAFailure (0.%02ds) %d",
		"#%d [build %d/9] RUN go mod download",
		"warning: in the working copy of 'docs/limits-%d.md', LF will be replaced by CRLF (%d)",
		"Downloaded newer image for registry.example.com/base:%d.%d",
	}
	var b strings.Builder
	for i := 0; b.Len() < n; i++ {
		fmt.Fprintf(&b, lines[i%len(lines)]+"\n", i%60, i*37%1000)
	}
	return b.String()[:n]
}

// withHit returns text with line in it at 80 % of its length.
func withHit(text, line string) string {
	i := len(text) * 8 / 10
	return text[:i] + "\n" + line + "\n" + text[min(len(text), i+len(line)+2):]
}
