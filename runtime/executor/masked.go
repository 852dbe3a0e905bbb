package executor

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/errgen/errgen/runtime/taxonomy"
)

// maskedDetails returns b with secrets masked: texts that look like a secret, and values whose key
// names a secret. If b is not valid JSON or too long, it returns nil.
func maskedDetails(b []byte) json.RawMessage {
	if len(b) > maxDetails || !json.Valid(b) {
		return nil
	}
	if s := string(b); taxonomy.Redact(s) == s && !strings.Contains(s, `\`) {
		return b
	}
	var v any
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber()
	if d.Decode(&v) != nil {
		return nil
	}
	out, _ := json.Marshal(maskedValue("", v)) // it was JSON
	return out
}

func maskedValue(key string, v any) any {
	switch v := v.(type) {
	case map[string]any:
		for k, member := range v {
			v[k] = maskedValue(k, member)
		}
	case []any:
		for i, member := range v {
			v[i] = maskedValue(key, member)
		}
	case string:
		if v != "" && taxonomy.IsSecretName(key) {
			return taxonomy.Redacted
		}
		return taxonomy.Redact(v)
	case json.Number:
		if taxonomy.IsSecretName(key) {
			return 0
		}
	}
	return v
}
