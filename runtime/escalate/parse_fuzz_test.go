package escalate

import (
	"strings"
	"testing"
	"unicode"

	"github.com/stretchr/testify/assert"
)

func addAnswers(f *testing.F) {
	for _, body := range []string{
		`{"mark":"1f2e3d4c","status":"done"}`,
		`{"mark":"1f2e3d4c","status":"failed","code":"A","context":{"a":1},"exit_code":-1,"files":["a"]}`,
		`{"mark":"1f2e3d4c","verdict":"simple","fix":"a"}`,
		`{"mark":"1f2e3d4c","verdict":"complex","needed":["a",null]}`,
		`{"mark":"1f2e3d4c","findings":[{"finding":"a","text":"b"}]}`,
		`{"mark":"1f2e3d4c","faults":[{"kind":"silent_plan","step":"1","text":"b"}]}`, `{"mark":"1f2e3d4c","mark":""}`,
		"{\"a\":\"\xff\x00\"}",
	} {
		f.Add("before\n" + block(body) + "\n")
		f.Add("````\n" + block(body) + "\n````")
		f.Add("```\n" + block(body) + body)
		f.Add("```\nlog\n```\n```\n" + body + "\n```")
	}
	f.Add("log\n**STEP DONE 1f2e3d4c**")
	f.Add("STEP FAILED 1f2e3d4c\r\n")
}

func FuzzParseReport(f *testing.F) {
	addAnswers(f)
	f.Fuzz(func(t *testing.T, text string) {
		for _, classifies := range []bool{false, true} {
			rep, ok := parsedReport(text, classifies, testMark)
			if !ok {
				assert.Equal(t, Report{Details: text}, rep)
				continue
			}
			end := strings.TrimRightFunc(text, unicode.IsSpace)
			if classifies {
				assert.True(t, strings.HasSuffix(end, "```"))
			} else {
				assert.Contains(t, end[strings.LastIndexByte(end, '\n')+1:], testMark)
			}
			assert.LessOrEqual(t, len(rep.Files), maxListed)
			assert.LessOrEqual(t, len(rep.Context), maxListed)
			assert.LessOrEqual(t, len(rep.Code), maxWord)
			assert.LessOrEqual(t, len(rep.Details), len(text)*3)
			for _, file := range rep.Files {
				assert.True(t, isInside(file), file)
			}
			for name := range rep.Context {
				assert.True(t, isName(name), name)
			}
			assert.False(t, rep.Done && rep.Code != "")
		}
	})
}

func FuzzParseDiagnosis(f *testing.F) {
	addAnswers(f)
	f.Fuzz(func(t *testing.T, text string) {
		d, err := parseDiagnosis(text, testMark)
		if err != nil {
			assert.Zero(t, d)
			return
		}
		assert.Contains(t, []Verdict{Simple, Complex}, d.Verdict)
		assert.LessOrEqual(t, len(d.Instructions), maxInstructions)
	})
}

func FuzzParseReview(f *testing.F) {
	addAnswers(f)
	f.Fuzz(func(t *testing.T, text string) {
		all, err := parseReview(text, testMark)
		if err != nil {
			assert.Empty(t, all)
		}
		assert.LessOrEqual(t, len(all), maxListed)
		for _, found := range all {
			assert.NotEmpty(t, found.evidence(ReviewInput{}, nil).Error())
		}
		faults, err := parsePlanReview(text, testMark)
		if err != nil {
			assert.Empty(t, faults)
		}
		for _, fault := range faults {
			assert.NotEmpty(t, fault.Text)
		}
	})
}
