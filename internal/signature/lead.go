package signature

import (
	"slices"
	"strings"
	"sync"

	"github.com/errgen/errgen/internal/prefilter"
)

// The places of [Leads], from 1.
const (
	noLead uint8 = iota
	reportedLead
	announcedLead
	statusLead
	kindLead
	shortLead
	raisedLead
	mentionedLead
)

// escape matches the colours of terminals.
const escape = `\x1b\[[\d;]*m`

// Leads returns the expressions of the lines before a match: of all that a line reports, of what a
// line announces by other words, of a status, of the kind of an error, and of a short statement.
func Leads() []string { return slices.Clone(packedLeads()) }

var packedLeads = sync.OnceValue(func() []string { return prefilter.PackLeads(leads()) })

// leads returns [Leads], and after them parts of expressions.
var leads = sync.OnceValue(func() []string {
	// Symbols of terminals. Lists, headings, quotations, comments and lines about success do not
	// begin with them.
	const marks = `(?:[ \t!]|[^\x00-\x7f\pL\pN•✓✔✅☑“”„«»‘’‚、。]|` + escape + `)*`
	// The beginning of a line, which may be escaped in a string.
	const line = `(?:|[^\n]*\\n)` + marks
	// The quotes and brackets that a message begins with.
	const opener = `(?:b?[("'\[{<]){0,3}`
	words := `(?:(?:` + item() + `|` + label() + `)` + marks + `)`
	field := field()
	reported := line + `(?:(?:http(?:/[\d.]+)?[ \t])?[1-5]\d\d:?[ \t]+|` + words + `*)` + opener + `|` + field
	announced := line + words + `+` + opener + `|` + field
	return append([]string{
		`(?i)(?:` + reported + `)`,
		`(?i)(?:` + announced + `)`,
		`(?i)(?:` + statusName() + `)`,
		`(?i)(?:` + reported + `|` + kindName + `)(?:[\w.]+[.:])?`,
		`(?i)` + line + words + `*` + subject(),
		`(?i)(?:` + reported + `|` + kindName + `)(?:[\w$]+(?:\.|::|\\{1,2}|/|\$))*\w*`,
		`(?i)` + line + `(?:` + item() + marks + `)*` + severe() + `(?:[^\n]*[^\w\n])?`,
		words, field, end, line, afterStatus,
	}, parts()...)
})

// sentence are the words that a statement about a failure does not begin with, because they tell
// what may happen, what a program does, or what did not happen. A star is any ending.
const sentence = `a add* allow* and any are as avoid* be* but by can catch* caught change* check* could default*
	describ* detect* did do docs document* does ensur* explain* feat fix* for give* had handl* has have
	how i if implement* improv* increas* introduc* it its keep* like make* may maximum might must need*
	never no non not note of on once only or our prevent* print* read* reduc* refactor* remov* renam*
	replac* resolv* retr* return* set* should simulat* since skip* so solv* such support* test* than
	that these they this throw* to todo treat* trigger* unless until updat* use used uses using wait we
	were what when where whether which while who why will with without would you your zero`

// subject matches up to four words before a message that are its subject, as in "the agent timeout".
func subject() string { return `(?:\b` + wordExcept(sentence) + `[ \t]+){0,4}` }

// oneOf returns the expression of a list of words.
func oneOf(words string) string { return `(?:` + strings.Join(strings.Fields(words), `|`) + `)` }

// wordExcept returns the expression of words, names and paths other than those of a list. It does
// not match numbers.
func wordExcept(words string) string { return endExcept(strings.Fields(words), "") }

// endExcept returns the expression of the ends of words that are not in a list, and that may begin
// with other characters than letters.
func endExcept(ends []string, other string) string {
	const letters = `a-z0-9_./@+-`
	if len(ends) == 0 {
		return `[` + letters + `]*`
	}
	next := map[byte][]string{}
	var firsts []byte
	var alternatives []string
	for _, end := range ends {
		if end == "*" {
			return `[^\s\S]`
		}
		if end == "" {
			continue
		}
		if _, ok := next[end[0]]; !ok {
			firsts = append(firsts, end[0])
		}
		next[end[0]] = append(next[end[0]], end[1:])
	}
	for _, c := range firsts {
		alternatives = append(alternatives, string(c)+endExcept(next[c], "0123456789"))
	}
	var others []byte
	for c := byte(' '); c < 0x7f; c++ {
		if _, ok := next[c]; ok || c-'a' >= 26 && strings.IndexByte("_./@+"+other, c) < 0 {
			continue
		}
		n := len(others)
		switch {
		case n > 2 && others[n-2] == '-' && others[n-1] == c-1: // extend the range
			others[n-1] = c
		case n > 1 && others[n-1] == c-1 && others[n-2] == c-2:
			others = append(others[:n-1], '-', c)
		default:
			others = append(others, c)
		}
	}
	alternatives = append(alternatives, `[`+string(others)+`-][`+letters+`]*`)
	if !slices.Contains(ends, "") {
		alternatives = append(alternatives, ``)
	}
	return `(?:` + strings.Join(alternatives, `|`) + `)`
}

// status matches a status between a colon and a message.
const status = `(?:(?:http(?:/[\d.]+)?[ \t])?[1-5]\d\d[ \t:—–-]+)?`

// level matches a level of logging, and the same words before a message.
var level = oneOf(`error err!? fatal warn(?:ing)? info debug crit(?:ical)? panic severe emerg alert notice trace`) +
	`\b!?(?:[ \t|—-]+|:(?:[\w.-]+:)?[ \t]*` + status + `|[ \t]\d+[ \t(\w)]*:[ \t]*)`

// severe matches the words by which a line calls itself an error, to the message: "Error: ",
// "Build failed with 2 errors: ", "failed to open a.txt: ", "com.example.IOException: ".
func severe() string {
	// The words before, but not those of lists, headings, quotations and code.
	const before = `(?:[^\n:#>*|\x60-][^\n:\x60]*[^\n:\w\x60]|[^\n:\w#>*|\x60-])?`
	words := before + oneOf(`error fatal failure exception panic critical severe failed`) + `\b`
	const circumstances = `[ \t](?:(?:to|with|on|at|in|for|from|while|during|when|\w+ing|response|occurred)` +
		`|[(\['"\x60])[^\n:]*:|[ \t]\S{1,40}:`
	return `(?:` + words + `(?:[^\n\w]{0,3}[:!\])>»|-]|` + circumstances + `)[ \t]*` +
		`|(?:err!|e:|[✗✘❌×🚨])[ \t]+` +
		`|(?:could not|couldn't|cannot|can't|unable to|failed to)[ \t][^\n]*:[ \t]+` +
		`|[\w.$]*(?:error|exception)(?:\[\w+\])?:[ \t]+)`
}

// item matches one thing that a tool prints before a message.
func item() string {
	const stamp = `\[?(?:[a-z]{3},? )?(?:\d{2,4}[-/.]\d{1,2}[-/.]\d{1,4}|\d{1,2} [a-z]{3}(?: \d{4})?` +
		`|[a-z]{3} +\d{1,2}(?: \d{4})?)?[t ,]{0,2}\d{1,2}:\d\d(?::\d\d)?(?:[.,]\d+)?(?:z| ?[ap]m)?` +
		`(?: ?(?:gmt|utc)?[+-]\d\d:?\d\d| gmt| utc)?\]?[ \t|:—-]+`
	const tag = `(?:[\w.-]+[ \t]+\||[\w.-]+ :[ \t]|[ewf]:[ \t]` +
		`|\w+[ \t]+(?:\d+[smhd]){1,2}(?: \(x\d+ over \w+\))?[ \t]+[\w-]+(?:, [\w.-]+)?[ \t]{2}` +
		`|##\[\w+\]|#\d+(?: [\d.]+)?|\[[^\]\n]{0,60}\]` +
		`|\([^()\n]{1,60}\)|<class '[^'\n]+'>|<(?:p|h\d|title|center|body)>)[ \t:|—-]*`
	// A program or the name of a field, with up to three operands.
	tool := `-?` + wordExcept(`a answer chore ci docs feat fix hint note perf q question refactor revert style
		test tests tip title todo troubleshooting`) +
		`(?:\[\d+\])?:[ \t]*(?:(?:line )?\d+:[ \t]*|\(\d+\)[ \t]*)?(?:[^\n:\x60]+:[ \t]+){0,3}` +
		`|(?:npm|pnpm|yarn|gyp)[ \t](?:err!|error|warn)[ \t]+(?:(?:[a-z.]+|[1-5]\d\d)[ \t]+)?|err_\w+[ \t]+`
	// A system call or a request with its operand.
	call := oneOf(`open write read stat lstat mkdir remove rename unlink symlink readlink chdir truncate exec fork/exec
		lookup dial connect listen accept get post put patch delete head clone fetch pull push`) +
		`\b[^\n\x60]*?:[ \t]+` + status
	// A file with a line.
	const place = `[\w.@/\\:-]*\w\.\w+[:(]\d+(?:[:,]\d+)?\)?:?[ \t]*`
	// An exception's constructor, a database error of Python or PHP, or a label in another script.
	const raised = `[\w.]*(?:error|exception)\(|\(\d{1,5}, b?["']|sqlstate\[\w+\]:?[ \t]*` +
		`|[^\x00-\x7f\n]{1,40}[:：][ \t]*`
	return `(?:` + strings.Join([]string{stamp, tag, level, tool, call, place, raised}, `|`) + `)`
}

// narration are the verbs of sentences about a program that shows a failure.
const narration = `shows showed shown says said displays displayed prints printed reads mentions sees saw throws why`

// label matches words that announce a failure, up to a separator. Lists, headings, quotations,
// comments and lines of a diff do not begin with it, and it contains no code in quotes and no call
// with a text. The line before the words does not contain a verb of [narration], as in "the page
// shows error: ...".
func label() string {
	word := `\b` + endExcept(strings.Fields(narration), "0123456789")
	start := `(?:[^\w\n\x60#*+>(/-]|/(?:[^\w/*\n]|` + word + `)|` + word + `)`
	before := `(?:[^\w\n\x60(]|\((?:[^\w"'\x60\n]|\b)|` + word + `)*?`
	const words = `(?:[^\n\x60(]|\([^"'\x60\n])*?`
	const colon = `(?:[:·]|[^=!<>]=)[ \t]*` + status
	return `(?:` + start + before + `)?(?:` +
		oneOf(`error \berr\b fail exception fatal panic unable could\x20?n[o']t cannot can't denied reject refuse
			unexpected abort crash unhandled uncaught stderr problem unavailable`) + words +
		`(?:;[ \t]*|` + colon + `|[.)\]}·|—–-][ \t]+|[ \t]+[(\[{]|[ \t]{2})|` +
		oneOf(`invalid caused\x20by reason response status \bcode\b attempt retry warn connecting received \bgot\b`) +
		words + colon + `)`
}

// field matches a line up to the value of a field for messages.
func field() string {
	return `[^\n]*(?:\\*["']` + oneOf(`message msg errors? err details? errmsg error_?description error_?message
		reason description cause title stderr errordata data body text output log`) +
		`\\*["'][ \t]*(?:=>?|:)[ \t]*[bu]?\[?\\*["'](?:` + level + `|[1-5]\d\d[ \t]+)?` +
		`|\b(?:err|error|msg|reason|cause)=\\*["']?` +
		`|\b(?:desc|details)[ \t]?=[ \t]?\\*["']?|<(?:message|title|h1|p|center><h1)>)`
}

// statusName matches a line up to a number that it calls the status of an answer.
func statusName() string {
	const named = `(?:status(?:[ _-]?code)?|http_?status|remote response)(?:["']?:[ \t]*|["']? = |=)["']?`
	// An entry of an access log ends its request with a quote: "GET / HTTP/1.1" status: 404.
	return `(?:[^\n]*(?:[^\w"\s][ \t]*|[^"\s][ \t]+)|[ \t]*)` + named + `|[^\n]*(?:["']` + named +
		`|\\*["'](?:code|(?:http_?)?status(?:_?code)?)\\*["'][ \t]*(?:=>?|:)[ \t]*\\*["']?` +
		`|\bhttp error |<(?:title|h1)>|\breturned error: \(?` +
		`|\b` + oneOf(`error fail(?:ed|ure)? could\x20not cannot rejected unexpected responded got`) +
		`\b[^\n\x60]{0,60}?\b` + oneOf(`with returned returning of received`) + ` (?:a )?(?:http )?` +
		oneOf(`status(?:\x20code)? code http response\x20code`) + `(?: of)? )|http/[\d.]+ `
}

// kindName matches a line up to a value that it calls the kind of an error.
const kindName = `[^\n]*(?:\\*["'](?:type|code|status|reason|__type|name|error|error_?type|error_?code)\\*["'][ \t]*` +
	`(?::|=>?)[ \t]*\\*["'](?:[\w.]+#)?|(?-i:<(?:Code|Type)>)|\((?:[\w.]+ )?|\berror \[|[{\[][ \t]*)` +
	`|(?:[^\n]*\])?[ \t]*(?:type|code|name|error_?code|status)[ \t]?[:=][ \t]?['"]`
