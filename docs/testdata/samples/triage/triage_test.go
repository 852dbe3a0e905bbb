package ci_test

import (
	"fmt"
	"io"
	"strings"
	"testing"

	ci "example.com/shop/triage"
	"github.com/errgen/errgen/runtime/detect"
	"github.com/errgen/errgen/runtime/detect/triage"
	"github.com/errgen/errgen/runtime/taxonomy"
)

func cause(log io.Reader) error {
	found, err := detect.Log(log, ci.Table, triage.Unknown)
	if err != nil {
		return err
	}
	if found.Cause != nil {
		fmt.Println(found.Cause.Line, found.Cause.Text)
	}
	return found.Err // of your taxonomy; nil without a cause
}

func TestCause(t *testing.T) {
	const log = "checking\nsrc/a.c:3:5: error: expected expression\nmake: *** [a.o] Error 1\n" +
		"##[error]Process completed with exit code 2.\n"
	if code := taxonomy.CodeOf(cause(strings.NewReader(log))); code != ci.CodeBuildBroken.String() {
		t.Errorf("code = %q, want %q", code, ci.CodeBuildBroken)
	}
	if err := cause(strings.NewReader("all is well\n")); err != nil {
		t.Errorf("error = %v for a log without a failure", err)
	}
}
