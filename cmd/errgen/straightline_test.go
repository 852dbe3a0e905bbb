package main_test

import (
	"bytes"
	"fmt"
)

// straightLine returns a Go package for a taxonomy of the given size, in which each code has a
// separate message, JSON and decoding, without shared helpers. It is the reference for the cost of
// compiling.
func straightLine(codes, categories int) []byte {
	var b bytes.Buffer
	b.WriteString(straightHead)
	for i := range categories {
		straightCategory(&b, i, share(codes, categories, i))
	}
	return b.Bytes()
}

const straightHead = `package synth

import (
	"encoding/json"
	"strconv"
	"strings"
	"time"

	"github.com/errgen/errgen/runtime/taxonomy"
)

type policy struct {
	maxAttempts int
	initialDelay, maxDelay time.Duration
	jitter float64
}
`

func straightCategory(b *bytes.Buffer, i, codes int) {
	fmt.Fprintf(b, `
type Area%[1]dCode uint16

type Area%[1]dError struct {
	code  Area%[1]dCode
	cause error

	Component string
	Status    taxonomy.Opt[int]
	Detail    taxonomy.Opt[string]
	Waited    taxonomy.Opt[time.Duration]
	Files     []string
}

func (e *Area%[1]dError) Unwrap() error { return e.cause }
func (e *Area%[1]dError) Is(target error) bool { c, ok := target.(Area%[1]dCode); return ok && c == e.code }
func (c Area%[1]dCode) Error() string { return "Area%[1]dCode" }
`, i)
	for j := range codes {
		straightCode(b, i, j)
	}
	straightSwitch(b, i, codes, "AppendMessage", "dst []byte", "dst")
	straightSwitch(b, i, codes, "AppendJSON", "dst []byte", "dst")
	straightSwitch(b, i, codes, "Decode", "b map[string]json.RawMessage", "b")
	straightSwitch(b, i, codes, "Reaction", "", "")
}

func straightSwitch(b *bytes.Buffer, i, codes int, method, param, arg string) {
	result := map[string]string{"Decode": "error", "Reaction": "policy"}[method]
	zero := map[string]string{"Decode": "nil", "Reaction": "policy{}"}[method]
	if result == "" {
		result, zero = "[]byte", "nil"
	}
	fmt.Fprintf(b, "\nfunc (e *Area%dError) %s(%s) %s {\n\tswitch e.code {\n", i, method, param, result)
	for j := range codes {
		fmt.Fprintf(b, "\tcase CodeArea%dCase%d:\n\t\treturn e.case%d%s(%s)\n", i, j, j, method, arg)
	}
	fmt.Fprintf(b, "\t}\n\treturn %s\n}\n", zero)
}

func straightCode(b *bytes.Buffer, i, j int) {
	fmt.Fprintf(b, `
const CodeArea%[1]dCase%[2]d Area%[1]dCode = %[2]d + 1

func NewArea%[1]dCase%[2]d(component string) *Area%[1]dError {
	return &Area%[1]dError{code: CodeArea%[1]dCase%[2]d, Component: component}
}

func (e *Area%[1]dError) case%[2]dReaction() policy {
	if v, ok := e.Status.Get(); ok && v >= 400 && v <= 499 {
		return policy{}
	}
	return policy{maxAttempts: 5, initialDelay: time.Second, maxDelay: 30 * time.Second, jitter: 0.1}
}

func (e *Area%[1]dError) case%[2]dAppendMessage(dst []byte) []byte {
	dst = append(dst, "case %[2]d of "...)
	dst = append(dst, e.Component...)
	dst = append(dst, " failed"...)
	if v, ok := e.Status.Get(); ok {
		dst = append(dst, " with "...)
		dst = strconv.AppendInt(dst, int64(v), 10)
	}
	if v, ok := e.Detail.Get(); ok && v != "" {
		line, _, _ := strings.Cut(v, "\n")
		dst = append(dst, ": "...)
		dst = append(dst, line...)
	}
	return dst
}

func (e *Area%[1]dError) case%[2]dAppendJSON(dst []byte) []byte {
	dst = append(dst, `+"`"+`{"domain":"synth.example","name":"Area%[1]dError","category":"area%[1]d","code":"AREA%[1]d_CASE_%[2]d","message":`+"`"+`...)
	dst = strconv.AppendQuote(dst, string(e.case%[2]dAppendMessage(nil)))
	dst = append(dst, `+"`"+`,"retryable":true,"context":{"component":`+"`"+`...)
	dst = strconv.AppendQuote(dst, e.Component)
	if v, ok := e.Status.Get(); ok {
		dst = append(dst, `+"`"+`,"status":`+"`"+`...)
		dst = strconv.AppendInt(dst, int64(v), 10)
	}
	if v, ok := e.Detail.Get(); ok {
		if len(v) > 2000 {
			v = v[len(v)-2000:]
		}
		dst = append(dst, `+"`"+`,"detail":`+"`"+`...)
		dst = strconv.AppendQuote(dst, v)
	}
	if v, ok := e.Waited.Get(); ok {
		dst = append(dst, `+"`"+`,"waited":`+"`"+`...)
		dst = strconv.AppendQuote(dst, v.String())
	}
	if e.Files != nil {
		dst = append(dst, `+"`"+`,"files":[`+"`"+`...)
		for k, f := range e.Files {
			if k > 0 {
				dst = append(dst, ',')
			}
			dst = strconv.AppendQuote(dst, f)
		}
		dst = append(dst, ']')
	}
	dst = append(dst, '}')
	if e.cause != nil {
		dst = append(dst, `+"`"+`,"cause":{"message":`+"`"+`...)
		dst = strconv.AppendQuote(dst, e.cause.Error())
		dst = append(dst, '}')
	}
	return append(dst, '}')
}

func (e *Area%[1]dError) case%[2]dDecode(b map[string]json.RawMessage) error {
	if err := json.Unmarshal(b["component"], &e.Component); err != nil {
		return err
	}
	if v, ok := b["status"]; ok {
		if err := json.Unmarshal(v, &e.Status); err != nil {
			return err
		}
	}
	if v, ok := b["detail"]; ok {
		if err := json.Unmarshal(v, &e.Detail); err != nil {
			return err
		}
	}
	if v, ok := b["waited"]; ok {
		if err := json.Unmarshal(v, &e.Waited); err != nil {
			return err
		}
	}
	if v, ok := b["files"]; ok {
		if err := json.Unmarshal(v, &e.Files); err != nil {
			return err
		}
	}
	return nil
}
`, i, j)
}
