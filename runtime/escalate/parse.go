package escalate

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode"
)

// The lines that end the answer of a tier that does not classify; the call's mark follows.
const (
	lineDone   = "STEP DONE"
	lineFailed = "STEP FAILED"
)

// Bounds on a report, in bytes but for maxListed.
const (
	maxReport       = 256 << 10 // the block
	maxWord         = 256       // a label, a finding, a name
	maxValue        = 1 << 10   // a value of the context, a file
	maxListed       = 64        // files, values of the context, findings
	maxInstructions = 32 << 10
	maxWords        = 16 << 10 // a cause, a fix
	maxLine         = 200      // what can be a line that claims
)

// claimLine returns the line that claims; without a mark only its words.
func claimLine(words, mark string) string {
	if mark == "" {
		return words
	}
	return words + " " + mark
}

// parseReport reads what an answer says of a step. An error says why there is no claim, and then
// only Details is filled. Mark is the mark of the call.
//
// A claim counts as the very end of an answer, as a line of its own or as a block of its own, and
// nowhere else: what stands in the middle of an answer, in a quotation, in another fence, is
// somebody else's. At the end it still can be, so it has the mark of the call besides; see markOf.
func parseReport(text string, classifies bool, mark string) (Report, error) {
	if !classifies {
		done, ok := claimed(text, mark)
		if !ok {
			return Report{Details: text}, errNoClaim
		}
		return Report{Done: done, Details: text}, nil
	}
	before, block, err := lastBlock(text)
	if err == nil {
		var rep Report
		if rep, err = readReport(block, mark); err == nil {
			rep.Details = joined(before, rep.Details)
			return rep, nil
		}
	}
	return Report{Details: text}, fmt.Errorf("read the report: %w", err)
}

var errNoClaim = errors.New("the answer does not end with a claim")

// joined returns all that was said beside the typed part of a report: what stands before it, and
// what it holds.
func joined(before, details string) string {
	before = strings.TrimRightFunc(before, unicode.IsSpace)
	switch {
	case before == "":
		return details
	case details == "":
		return before
	}
	return before + "\n\n" + details
}

// claimed reads the line that ends an answer. Emphasis around it does not matter, as models like to
// write it.
func claimed(text, mark string) (done, ok bool) {
	_, last := cutLastLine(strings.TrimRightFunc(text, unicode.IsSpace))
	if len(last) > maxLine {
		return false, false
	}
	switch strings.Trim(strings.TrimSpace(last), "*`") {
	case claimLine(lineDone, mark):
		return true, true
	case claimLine(lineFailed, mark):
		return false, true
	}
	return false, false
}

// cutLastLine returns what is before the last line, without its line feed, and the line.
func cutLastLine(text string) (before, last string) {
	i := strings.LastIndexByte(text, '\n')
	return text[:max(i, 0)], text[i+1:]
}

// lastBlock returns the block of JSON that an answer ends with, and what stands before it. A JSON
// text has no line that begins with a fence, so the fence before the one that closes is the one
// that opens; whatever fences stand before, closed or not, are of no matter. One that names no
// language could as well be the end of another block, so it opens only where all before it are
// closed.
func lastBlock(text string) (before, block string, err error) {
	text = strings.TrimRightFunc(text, unicode.IsSpace)
	head, last := cutLastLine(text)
	if len(last) == len(text) || !isFence(last) || info(last) != "" {
		return "", "", errors.New("the answer does not end with a block")
	}
	end := len(head)
	for head != "" {
		if end-len(head) > maxReport {
			return "", "", fmt.Errorf("the last block has more than %d bytes", maxReport)
		}
		var line string
		rest := head
		if head, line = cutLastLine(head); !isFence(line) {
			continue
		}
		named := strings.EqualFold(info(line), "json")
		if fenceLen(line) != fenceLen(last) || !named && (info(line) != "" || !allClosed(head)) {
			break
		}
		return head, text[len(rest):end], nil
	}
	return "", "", errors.New("the last block is not one of JSON, which begins with ```json")
}

// allClosed reports that every block in a text is closed.
func allClosed(text string) bool {
	open := 0
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		switch {
		case !isFence(line):
		case open == 0:
			open = fenceLen(line)
		case info(line) == "" && fenceLen(line) >= open:
			open = 0
		}
	}
	return open == 0
}

// isFence reports that a line opens or closes a block.
func isFence(line string) bool { return fenceLen(line) >= 3 && !strings.Contains(info(line), "`") }

// fenceLen returns how many backticks a line begins with, after up to three spaces.
func fenceLen(line string) int {
	line = unindented(line)
	return len(line) - len(strings.TrimLeft(line, "`"))
}

// info returns what stands behind a fence.
func info(line string) string { return strings.TrimSpace(strings.TrimLeft(unindented(line), "`")) }

func unindented(line string) string {
	for range 3 {
		line = strings.TrimPrefix(line, " ")
	}
	return line
}

// readReport reads the block of a report.
func readReport(block, mark string) (Report, error) {
	var rep Report
	var status, said string
	err := eachKey(block, func(key string, value json.RawMessage) (err error) {
		switch key {
		case "mark":
			err = readText(value, &said, maxWord)
		case "status":
			err = readText(value, &status, maxWord)
		case "code":
			err = readText(value, &rep.Code, maxWord)
		case "finding":
			err = readText(value, &rep.Finding, maxWord)
		case "details":
			err = readText(value, &rep.Details, maxReport)
		case "context":
			rep.Context, err = readContext(value)
		case "retryable":
			rep.Retryable, err = readBool(value)
		case "exit_code":
			rep.ExitCode, err = readExitCode(value)
		case "files":
			rep.Files, err = readFiles(value)
		}
		return err
	})
	if err != nil {
		return Report{}, err
	}
	if said != mark {
		return Report{}, errWrongMark
	}
	rep.Code, rep.Finding = strings.TrimSpace(rep.Code), strings.TrimSpace(rep.Finding)
	switch {
	case status == "failed":
		return rep, nil
	case status != "done":
		return Report{}, errors.New("the status is neither done nor failed")
	case rep.Code != "":
		return Report{}, errors.New("it is done and has the code of a failure")
	}
	rep.Done = true
	return rep, nil
}

var errWrongMark = errors.New("the report has not the mark of the call")

// parseDiagnosis reads the diagnosis that an answer ends with.
func parseDiagnosis(text, mark string) (Diagnosis, error) {
	_, block, err := lastBlock(text)
	if err != nil {
		return Diagnosis{}, fmt.Errorf("read the diagnosis: %w", err)
	}
	d, err := readDiagnosis(block, mark)
	if err != nil {
		return Diagnosis{}, fmt.Errorf("read the diagnosis: %w", err)
	}
	return d, nil
}

func readDiagnosis(block, mark string) (Diagnosis, error) {
	var d Diagnosis
	var verdict, said string
	err := eachKey(block, func(key string, value json.RawMessage) (err error) {
		switch key {
		case "mark":
			err = readText(value, &said, maxWord)
		case "verdict":
			err = readText(value, &verdict, maxWord)
		case "cause":
			err = readText(value, &d.Cause, maxWords)
		case "fix":
			err = readText(value, &d.Fix, maxWords)
		case "instructions":
			// Of instructions that are too long no part is taken: half of them may say the
			// contrary.
			err = readText(value, &d.Instructions, maxInstructions)
		case "needed":
			err = readLines(value, &d.Needed, maxWords)
		}
		return err
	})
	if err != nil {
		return Diagnosis{}, err
	}
	if said != mark {
		return Diagnosis{}, errWrongMark
	}
	for _, s := range []*string{&d.Cause, &d.Fix, &d.Instructions, &d.Needed} {
		*s = strings.TrimSpace(*s)
	}
	switch d.Verdict = Verdict(verdict); {
	case d.Verdict != Simple && d.Verdict != Complex:
		return Diagnosis{}, errors.New("the verdict is neither simple nor complex")
	case d.Verdict == Simple && d.Cause == "" && d.Fix == "" && d.Instructions == "":
		return Diagnosis{}, errors.New("it is simple, and nothing is said about it")
	}
	return d, nil
}
