// Package signature compiles signatures to the conditions and expressions of detection rules.
//
// A message is a failure when a tool reports it, not when its words appear. This package has the
// forms in which tools report: what may precede a message, as leads of patterns, and what may
// follow it. Package detect has expressions of RE2 only.
package signature

import (
	"regexp"
	"strings"
)

// end matches what follows a message that is complete: the end of the line, punctuation, a bracket,
// or a word that begins its circumstances.
const end = `(?:[ \t]*(?:` + escape + `)*[ \t]*$|\\+[nr]|[ \t]?[.,;:!)\]}…]|\|\d` +
	`|\\*["'\x60](?:[ \t]*[,)}\]:.;\\]|[ \t]*$)` +
	`|</(?:m|t|h|p|c)|[ \t]+(?:[^\x00-\x7f\pL\pN]|[({\[<"'\\/@-]|\d` +
	`|(?:for|on|in|at|by|from|to|with|while|when|after|during|please|retrying|of` +
	`|due|because|before|via|since|connecting|upstream)\b))`

// Parts of the expressions below. Packed signatures share them; see [prefilter.Pack].
const (
	beginning = `(?i)\A[ \t\r\n]*(?:`
	// afterAll matches what follows a message that the text begins with.
	afterAll = `(?:[ \t\r\n.!]*\z|[ \t]+(?:(?:after|while|for|on|at|with|from|please|before|due|because|during|by` +
		`|to|in|when|writing|reading|opening|accessing)\b|[-–—(]|(?:occurred|access)[ \t\r\n.!]*\z)|:[ \t]+[^\d\s])`
	// afterShort matches what follows a message in a short statement, to the end of the text.
	afterShort = `(?:[.!]?|(?:[ \t]{1,4}(?:after|while|for|on|at|with|from|because|during|by|to|as` +
		`|via|of|until|against|since|(?:in|when) \S{1,40}(?: \S{1,40})?[ \t]{0,4}$)\b|[ \t]{1,4}[–—-][ \t]` +
		`|[,;] (?:please|try|retry|will|giving|aborting|backing|slow)\b)[^\n=]{0,120}` +
		`|[ \t]{1,4}\([^)\n]{0,120}\)[.!]?|:[ \t]{1,4}[^\d\s]\S{0,60})[ \t\r\n]{0,8}\z`
	// afterValue and afterKind match what follows the value of a field and the kind of an error.
	afterValue = `(?:\\*["'](?:[\s,:)}\]\\]|$)|</)`
	afterKind  = `(?:[\])](?: when|: \w)|\]$|[\])]?(?: \[[A-Z_]+\])?:[ \t])`
	callFailed = `(?im)(?:request|response|call|api|server|http)` +
		` (?:rejected|failed|failure|error|denied|refused)[ \t]*\(`
	// afterNumber and afterPhrase match what follows a status and its phrase.
	afterNumber = `(?:[ \t]*[{\[]|[ \t]+(?:<!doctype|<html)\b|[ \t]+(?-i:[A-Z_]{6,})\b|[ \t]*[:(-]*[ \t]*`
	afterPhrase = `[ \t]*[:;({\["'—–-])|http[ \t]`
	onlyNumber  = `|[ \t][^\n.]{1,60}\berror)[ \t\r\n.]*\z`
)

// parts returns the shared parts, after those of leads.
func parts() []string {
	return []string{beginning, afterAll, afterShort, afterValue, afterKind, callFailed, afterNumber, afterPhrase,
		onlyNumber}
}

// Text is an expression that a rule searches for.
type Text struct {
	Expr string
	Lead uint8 // the place of the lead in [Leads], from 1
}

// reported returns the texts that a line reports.
func reported(exprs []string) []Text { return []Text{{messages(exprs), reportedLead}} }

// announced returns the texts that a line announces, or that are the complete text.
func announced(exprs []string) []Text {
	return []Text{
		{messages(exprs), announcedLead},
		{beginning + strings.Join(exprs, `|`) + `)` + afterAll, noLead},
	}
}

// shortStatement returns the text that ends with a short statement, such as "agent timeout".
func shortStatement(exprs []string) Text {
	const words = `(?:[\w-]+ ){0,3}` // the lead has them, without words of sentences
	return Text{`(?im)(?:` + strings.ReplaceAll(strings.Join(exprs, `|`), words, ``) + `)` + afterShort, shortLead}
}

// raised returns the text that names an exception which contains one of the words.
func raised(words []string) Text {
	return Text{`(?m)(?:` + strings.Join(words, `|`) + `)\w{0,40}?` + kindEnd + afterName, raisedLead}
}

// kindEnd matches Error, Exception, Failure and Fault. It has no literal, so that texts are searched
// for the words before it.
const kindEnd = `[A-Z][rxa][rciu][oel]\w{1,6}`

// afterName matches what follows the name of an exception.
const afterName = `(?:[ \t]*$|:(?:[ \t]|$)|[ \t]?[(\[{]|["'\x60](?:[,)}\]]|$)|[)\]}>]| [-–—] )`

// mentioned returns the text that a line which calls itself an error contains.
func mentioned(exprs []string) Text {
	return Text{`(?im)(?:` + strings.Join(exprs, `|`) + `)(?:[^\w\n]|$)`, mentionedLead}
}

// messages returns the expression of messages. One that ends with .* may be followed by anything.
func messages(exprs []string) string {
	var open, closed []string
	for _, expr := range exprs {
		if rest, ok := strings.CutSuffix(expr, `.*`); ok {
			open = append(open, rest)
		} else {
			closed = append(closed, expr)
		}
	}
	if closed != nil {
		open = append(open, `(?:`+strings.Join(closed, `|`)+`)`+end)
	}
	return `(?im)(?:` + strings.Join(open, `|`) + `)`
}

// changes are words of sentences about a change of a program, not about a failure.
const changes = `added docs document documented fix fixed handle handled test tested tests`

// named returns the texts that name one of the values as the value of a field, in JSON, in the
// notation of a language, or in XML, or as the kind of an error: "type":"rate_limit_error", name:
// 'ThrottlingException', ThrottlingException: ...
func named(values []string) []Text {
	var kinds, names, codes, whole, all []string
	for _, v := range values {
		quoted := regexp.QuoteMeta(v)
		all = append(all, quoted)
		if strings.Contains(v, "_") {
			whole = append(whole, quoted)
		}
		if strings.HasPrefix(v, "E") && v == strings.ToUpper(v) { // an error of Node.js
			codes = append(codes, quoted)
		}
		switch {
		case strings.Contains(v, "Err") || strings.Contains(v, "Exception") || strings.Contains(v, "_"):
			kinds = append(kinds, quoted)
		case v != strings.ToLower(v): // may also be a name in code
			names = append(names, quoted)
		}
	}
	expr := `(?:` + strings.Join(all, `|`) + `)` + afterValue
	if kinds != nil {
		expr += `|(?:` + strings.Join(kinds, `|`) + `)` + afterKind
	}
	texts := []Text{{`(?m)(?:` + expr + `)`, kindLead}}
	if whole != nil { // model_not_found, or Unhandled stop reason: network_error
		texts = append(texts, Text{`(?m)(?:` + strings.Join(whole, `|`) + `)[ \t\r]*$`, announcedLead},
			Text{Expr: `\A\s*(?:` + strings.Join(whole, `|`) + `)\s*\z`})
	}
	if kinds != nil {
		texts = append(texts, Text{Expr: `\A\s*(?:` + strings.Join(kinds, `|`) + `)` +
			`(?:\s*\z| (?:on|for|from|while|during|when|disconnected)\b(?i:(?:[^a-z\n]+` + wordExcept(changes) +
			`)*)[^a-zA-Z\n]*(?:\n|\z))`})
	}
	if codes != nil {
		code := `(?:` + strings.Join(codes, `|`) + `)`
		texts = append(texts, Text{`(?m)(?:code|errno) ` + code + `[ \t\r]*$`, announcedLead})
	}
	if names != nil {
		name := `(?:` + strings.Join(names, `|`) + `)`
		texts = append(texts, Text{`(?m)` + name + `(?:\)(?: when|: \w|$)|:[ \t])`, announcedLead},
			Text{Expr: `(?m)(?:\b\w+\.|^|\{ |\()` + name + `(?:\) when|:[ \t])`})
	}
	return texts
}

// afterStatus matches what follows a status that a line announces.
const afterStatus = `(?:[ \t]*[:;](?:[^\d\n]|$)|[ \t]*[{\[(—–]|[ \t]-|[ \t]["']` +
	`|\.(?:[ \t]|$)|[ \t]+(?-i:[A-Z]))`

// stated returns the texts that state one of the statuses.
func stated(statuses []string) []Text {
	any := `(?:` + strings.Join(statuses, `|`) + `)\b`
	phrase := phrases(statuses)
	return []Text{
		// Error: 429 ..., Request rejected (429), unexpected status code: 429
		{`(?im)[ \t]` + any + afterStatus,
			announcedLead},
		{callFailed + any + `\)`, reportedLead},
		{`(?m)\b` + any + `\)[ \t]*[:·]`, announcedLead},
		{`(?m)[ \t]` + any + `[ \t\r]*$`, announcedLead}, // Error: 429, but not node:events:502
		// 429 {"error"...}, 403 PERMISSION_DENIED, 429 Too Many Requests: ..., HTTP 429: ...
		{`(?im)` + any + afterNumber + phrase + afterPhrase + any + `[ \t]?(?:[:(]|` + phrase +
			`[ \t]*(?:$|[.:;,({]))`, reportedLead},
		{any, statusLead},
		{Expr: beginning + `http(?:/[\d.]+)?[ \t])?` + any + `(?:[ \t:-]*` + phrase + onlyNumber},
		{Expr: `\A\s*HTTP(?:/[\d.]+)?[ \t]` + any + `[ \t]+[A-Z][^\n]{0,80}\s*\z`},
		{Expr: `(?i)\b` + any + ` (?:Client|Server) Error: `},
		{Expr: `(?im)\b(?:error|status)[ \t:]+` + any + `[ \t:]+` + phrase + `[ \t]*(?:$|[.:;,({])`},
		// Gemini API error 429 RESOURCE_EXHAUSTED, HTTP 503 returned from server
		{Expr: `(?im)^(?:` + wordExcept(changes) + ` ){0,4}(?:error|http|status)(?: code)?:?[ \t]\(?` + any +
			`\)?(?:[ \t\r.!]*$|:[ \t]|[ \t]+(?:` + phrase + `(?:[ \t\r.!]*$|[:;,])|(?-i:[A-Z_]{6,})\b` +
			`|(?:returned |received )?from\b|rate[ -]?limit))`},
		{Expr: `(?im)\b(?:server|service|api|provider|upstream|backend|host|it|gateway|model|url)` +
			` (?:responded|returned|answered|replied)` +
			`(?: with)?(?: an?)?(?: http)?(?: (?:status|error))?(?: code)? ` + any +
			`(?:[ \t\r.!]*$|[:;,] |[ \t]+` + phrase + `)`},
		{Expr: `(?im)^(?:[^\n]{0,80}: )?(?:response code |googleapi: error )` + any + `\b`},
		{Expr: `\b(?i:client|server) error '` + any + `\b`},
		// received status 529 from upstream, and as a complete text: got a 402 from the API
		{Expr: `(?im)^(?:[\w-]+:? )?(?:received |got |unexpected )?status (?:code )?` + any + ` (?:from|by)\b`},
		{Expr: beginning + `(?:got|returned|received|error code|status)[ :=]*(?:an? )?)` + any +
			`(?: (?:response|error|status))?(?: from (?:the )?[\w.-]+)?\s*\z`},
	}
}

// reasons are the expressions of the reason phrases of statuses.
var reasons = map[string]string{
	"400": "Bad Request", "401": "Unauthorized", "402": "Payment Required|Insufficient (?:Balance|credits|funds)",
	"403": "Forbidden", "404": "Not Found", "408": "Request Time-?out", "409": "Conflict",
	"413": "(?:Payload|Content|Request Entity) Too Large", "422": "Unprocessable (?:Entity|Content)",
	"429": "Too Many Requests", "500": "Internal Server Error", "502": "Bad Gateway",
	"503": "Service (?:Temporarily )?Unavailable", "504": "Gateway Time-?out", "529": "(?:Site is )?Overloaded",
}

// phrases returns the expression of the reason phrases of statuses.
func phrases(statuses []string) string {
	var all []string
	for _, s := range statuses {
		if p, ok := reasons[s]; ok {
			all = append(all, p)
		}
	}
	if all == nil {
		return `[^\s\S]`
	}
	return `(?:` + strings.Join(all, `|`) + `)`
}
