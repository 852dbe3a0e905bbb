package taxonomy

import (
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"strings"

	"github.com/errgen/errgen/runtime/taxonomy/internal/redact"
)

// Bounds on a fingerprint, in bytes: of the text that is read, of the part of its first line that
// counts, and of the result.
const (
	maxPrintedText = 4 << 10
	maxPrintedLine = 256
	fingerprintLen = 8
)

// Fingerprint returns 16 hexadecimal digits that are the same for failures of one kind, to group
// and to compare them: of the source, the operation, type, status, codes, signal and errno, and of
// the first line of the text that is not blank, or of Err's without one, in which numbers,
// identifiers, addresses and paths count as equal and secrets are masked. Files, output, waits,
// credential and attributes do not matter. Of nil it is "".
func (e *Evidence) Fingerprint() string {
	if e == nil {
		return ""
	}
	exit := ""
	if code, ok := e.ExitCode.Get(); ok {
		exit = strconv.Itoa(code)
	}
	text := e.Text
	if text == "" && !reaches(e.Err, e) {
		text = errorText(e.Err)
	}
	h := sha256.New()
	for _, part := range []string{
		"1", e.Source, e.Op, e.Type, strconv.Itoa(e.Status), e.Code, exit, e.Signal, e.Errno, kindOf(firstLine(text)),
	} {
		h.Write(strconv.AppendQuote(nil, part))
	}
	return hex.EncodeToString(h.Sum(nil)[:fingerprintLen])
}

// firstLine returns the first line of s that is not blank, secrets masked, its beginning if it is
// long.
func firstLine(s string) string {
	s = strings.TrimSpace(s[:min(len(s), maxPrintedText)])
	line, _, _ := strings.Cut(s, "\n")
	return redact.Scrub(line)
}

// kindOf returns a line in which what differs from one failure of a kind to the next is the same.
func kindOf(line string) string {
	var b strings.Builder
	for word := range strings.FieldsFuncSeq(line, separates) {
		if b.Len() >= maxPrintedLine {
			break
		}
		if b.Len() > 0 {
			b.WriteByte(' ')
		}
		if strings.ContainsAny(word, `/\`) {
			b.WriteByte('/')
			continue
		}
		b.WriteString(withoutNumbers(word))
	}
	return b.String()
}

// separates reports what words do not hold: white space, controls, quotes, brackets, and what
// lists.
func separates(c rune) bool { return c <= ' ' || strings.ContainsRune("\"'`()[]{}<>,;|\x7f", c) }

// withoutNumbers returns a word in which each run of numbers and identifiers is one '#', dots,
// colons and dashes between them included.
func withoutNumbers(word string) string {
	out := make([]byte, 0, len(word))
	for i := 0; i < len(word); {
		if beginsUUID(word[i:]) {
			out = appendNumber(out)
			i += uuidLen
			continue
		}
		if !isAlphanumeric(word[i]) {
			out = append(out, word[i])
			i++
			continue
		}
		end := i
		for end < len(word) && isAlphanumeric(word[end]) {
			end++
		}
		out = appendRun(out, word[i:end])
		i = end
	}
	return string(out)
}

// uuidLen is how long a UUID is, written as 8-4-4-4-12 digits.
const uuidLen = 36

func beginsUUID(s string) bool {
	if len(s) < uuidLen {
		return false
	}
	for i := range uuidLen {
		if dash := i == 8 || i == 13 || i == 18 || i == 23; dash != (s[i] == '-') || !dash && !isHex(s[i]) {
			return false
		}
	}
	return true
}

// appendRun appends a run of letters and digits: one that is random, or hexadecimal, as '#', of any
// other the digits.
func appendRun(out []byte, run string) []byte {
	if identifies(run) {
		return appendNumber(out)
	}
	for i := 0; i < len(run); i++ {
		if isDigit(run[i]) {
			out = appendNumber(out)
			continue
		}
		out = append(out, run[i])
	}
	return out
}

// appendNumber appends a '#', unless it continues one.
func appendNumber(out []byte) []byte {
	n := len(out)
	switch {
	case n > 0 && out[n-1] == '#':
		return out
	case n > 1 && out[n-2] == '#' && strings.IndexByte(".:-_T", out[n-1]) >= 0:
		return out[:n-1]
	}
	return append(out, '#')
}

// identifies reports whether a run of letters and digits is an identifier: at least 8 characters with
// a digit, hexadecimal digits with a decimal one or at least 8, or a word that begins with 0x.
func identifies(run string) bool {
	digits, hexadecimal := 0, true
	for i := 0; i < len(run); i++ {
		if isDigit(run[i]) {
			digits++
		}
		hexadecimal = hexadecimal && isHex(run[i])
	}
	switch {
	case strings.HasPrefix(run, "0x"):
		return true
	case hexadecimal:
		return digits > 0 || len(run) >= 8
	}
	return digits > 0 && len(run) >= 8
}

func isAlphanumeric(c byte) bool {
	return isDigit(c) || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c >= 0x80
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func isHex(c byte) bool { return isDigit(c) || 'a' <= c && c <= 'f' || 'A' <= c && c <= 'F' }
