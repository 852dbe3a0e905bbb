package claudecli

import (
	"encoding/json"
	"regexp"
	"strconv"
	"strings"

	"github.com/errgen/errgen/runtime/detect"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// The two forms in which the program prints what a machine can read in the text of a failure:
//
//	API Error: 529 {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"},"request_id":"req_1"}
//	Claude AI usage limit reached|1772366400
var (
	apiError   = regexp.MustCompile(`^(?:Error: )?API Error:? \(?([45]\d\d)\b\s*(\{.*\})?`)
	usageLimit = regexp.MustCompile(`^Claude AI usage limit reached\|(\d{9,})\b`)
)

// readAPIError reads the text of a failed result.
func readAPIError(ev *taxonomy.Evidence, text string) {
	text = strings.TrimSpace(text)
	if m := usageLimit.FindStringSubmatch(text); m != nil {
		limit := rateLimit{ResetsAt: json.Number(m[1])}
		ev.Type, ev.ResetAt = "rate_limit_error", limit.reset()
	}
	m := apiError.FindStringSubmatch(firstLine(text))
	if m == nil {
		return
	}
	if ev.Status == 0 {
		ev.Status, _ = strconv.Atoi(m[1]) // three digits
		ev.StatusDerived = true
	}
	if m[2] == "" {
		return
	}
	var body taxonomy.Evidence
	detect.Body(&body, []byte(m[2]))
	ev.Type, ev.Code = body.Type, body.Code
	attribute(ev, "request-id", body.Attributes["request-id"])
}

func firstLine(s string) string {
	first, _, _ := strings.Cut(s, "\n")
	return first
}

// apiType returns the API's own type for the word that the program has for a failed request; "" for
// one that says nothing.
func apiType(word string) string {
	switch word {
	case "rate_limit":
		return "rate_limit_error"
	case "authentication_failed":
		return "authentication_error"
	case "oauth_org_not_allowed":
		return "permission_error"
	case "invalid_request":
		return "invalid_request_error"
	case "overloaded":
		return "overloaded_error"
	case "unknown":
		return ""
	}
	return word
}
