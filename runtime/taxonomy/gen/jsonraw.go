package gen

import (
	"encoding/json"

	"github.com/errgen/errgen/runtime/internal/redact"
)

// appendRaw appends a JSON value without white space between its parts and with its strings escaped
// as encoding/json escapes them. A value that is not valid JSON is appended as a string.
func appendRaw(dst, raw []byte) []byte {
	if !json.Valid(raw) {
		return append(appendEscaped(append(dst, '"'), raw), '"')
	}
	return appendCompact(dst, raw)
}

// appendCompact appends valid JSON as appendRaw does.
func appendCompact(dst, raw []byte) []byte {
	inString := false
	for i := 0; i < len(raw); {
		c := raw[i]
		switch {
		case c == '"':
			inString = !inString
			dst = append(dst, c)
		case !inString:
			if c > ' ' {
				dst = append(dst, c)
			}
		case c == '\\':
			dst = append(dst, c, raw[i+1])
			i++
		case redact.Class[c]&(redact.Long|redact.NonASCII) != 0:
			n := plainRune(raw, i)
			if n > 0 {
				dst = append(dst, raw[i:i+n]...)
			} else {
				dst, n = appendRare(dst, raw[i:])
			}
			i += n
			continue
		default:
			dst = append(dst, c)
		}
		i++
	}
	return dst
}
