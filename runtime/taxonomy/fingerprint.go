package taxonomy

import (
	"crypto/sha256"
	"encoding/hex"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"github.com/errgen/errgen/runtime/internal/text"
)

// Bounds on a fingerprint, in bytes: of the text that is read, of the part of its first line that
// counts, and of the result.
const (
	maxFingerprintText = 4 << 10
	maxFingerprintLine = 256
	fingerprintLen     = 8
)

// Fingerprint returns 16 hexadecimal digits that are the same for failures of one kind, to group
// and to compare them. It depends on source, operation, type, status, codes, signal and errno, and
// on the first line of the text, or of Err's text, that is not blank. In this line secrets are
// masked, and numbers, identifiers, addresses and paths count as equal. For nil it is "".
func (e *Evidence) Fingerprint() string {
	if e == nil {
		return ""
	}
	exit := ""
	if code, ok := e.ExitCode.Get(); ok {
		exit = strconv.Itoa(code)
	}
	message := e.message()
	line, _, _ := strings.Cut(strings.TrimSpace(message[:min(len(message), maxFingerprintText)]), "\n")
	h := sha256.New()
	for _, part := range []string{
		"1", e.Source, e.Op, e.Type, strconv.Itoa(e.Status), e.Code, exit, e.Signal, e.Errno,
		normalized(text.Masked(line)),
	} {
		h.Write(strconv.AppendQuote(nil, part))
	}
	return hex.EncodeToString(h.Sum(nil)[:fingerprintLen])
}

// normalized returns a line with the same words for all failures of one kind: a path becomes a
// slash, and numbers and identifiers, with the punctuation between them, become a '#'.
func normalized(line string) string {
	separates := func(c rune) bool { return c <= ' ' || strings.ContainsRune("\"'`()[]{}<>,;|\x7f", c) }
	var words []string
	length := 0
	for word := range strings.FieldsFuncSeq(line, separates) {
		if length >= maxFingerprintLine {
			break
		}
		if strings.ContainsAny(word, `/\`) {
			word = "/"
		} else {
			word = numbers().ReplaceAllString(runs().ReplaceAllStringFunc(word, withoutNumbers), "#")
		}
		length += len(word) + 1
		words = append(words, word)
	}
	return strings.Join(words, " ")
}

var (
	// runs matches UUIDs, and runs of letters and digits.
	runs = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}|[0-9A-Za-z\x{80}-\x{10FFFF}]+`)
	})
	// numbers matches a number whose parts are replaced, such as a time or an address: #:#:#.
	numbers = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`#(?:[.:_T-]?#)*`) })
)

// withoutNumbers returns a match of runs with a '#' in place of an identifier and of each digit. An
// identifier is a UUID, begins with 0x, is hexadecimal with a digit or at least 8 letters, or has
// at least 8 characters with a digit.
func withoutNumbers(run string) string {
	digits := strings.ContainsAny(run, "0123456789")
	hexadecimal := strings.Trim(run, "0123456789abcdefABCDEF-") == ""
	if strings.HasPrefix(run, "0x") || (digits || hexadecimal) && len(run) >= 8 || digits && hexadecimal {
		return "#"
	}
	return strings.Map(func(r rune) rune {
		if '0' <= r && r <= '9' {
			return '#'
		}
		return r
	}, run)
}
