package naming

import (
	"strings"
	"unicode"
)

// initialisms are the words that Go writes in capitals throughout: those of staticcheck's ST1003
// and common ones that it leaves out, such as currencies. A list and not the capitals of a name
// decides, because in a taxonomy words are shouted: HIGH and NOT_FOUND are no initialisms.
var initialisms = setOf(`
	ACL AMQP API ASCII CLI CPU CSS CSV DB DNS EOF GID GPU GRPC GUID HTML HTTP HTTPS ID IO IP JSON JWT LLM
	OS PDF PID QPS RAM RPC RTP SDK SIP SLA SMTP SQL SSH SSL SSO TCP TLS TOML TS TTL UDP UI UID URI URL UTF8
	UUID VM XML XMPP XSRF XSS YAML
	AUD BRL CAD CHF CNY CZK DKK EUR GBP HKD HUF INR JPY KRW MXN NOK NZD PLN SEK SGD USD ZAR`)

// plurals are the initialisms that are met in the plural.
var plurals = setOf(`ACL API CPU DB GPU GUID ID IP LLM PID SDK SLA TTL UID URI URL UUID VM`)

// mixed are the words with a spelling of their own.
var mixed = map[string]string{"IPV4": "IPv4", "IPV6": "IPv6"}

func setOf(words string) map[string]bool {
	set := make(map[string]bool)
	for w := range strings.FieldsSeq(words) {
		set[w] = true
	}
	return set
}

// title returns word with a capital first letter, or wholly in capitals when it is an initialism.
func title(word string) string {
	if spelled, ok := initialism(word); ok {
		return spelled
	}
	rs := []rune(word)
	rs[0] = unicode.ToUpper(rs[0])
	return string(rs)
}

func initialism(word string) (string, bool) {
	upper := strings.ToUpper(word)
	if spelled, ok := mixed[upper]; ok {
		return spelled, true
	}
	letters := strings.TrimRight(upper, "0123456789")
	if initialisms[upper] || initialisms[letters] {
		return upper, true
	}
	if stem, ok := strings.CutSuffix(upper, "S"); ok && plurals[stem] {
		return stem + "s", true
	}
	return "", false
}
