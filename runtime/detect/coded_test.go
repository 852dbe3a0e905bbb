package detect_test

import (
	"errors"
	"fmt"
	"io"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/errgen/errgen/runtime/detect"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// foreign is the taxonomy of somebody else.
var foreign = taxonomy.Taxonomy{
	Codes: []taxonomy.Code{{Value: "DISK_FULL"}},
	Rows:  []taxonomy.RowTraits{{}, {}, {Code: 1}},
}

// foreignError is an error of that taxonomy. Fields that its type has count for nothing; its hints
// do.
type foreignError struct {
	StatusCode int
	hints      taxonomy.Hints
	cause      error
}

func (e *foreignError) Error() string                { return "disk full" }
func (e *foreignError) Unwrap() error                { return e.cause }
func (e *foreignError) Taxonomy() *taxonomy.Taxonomy { return &foreign }
func (e *foreignError) Row() taxonomy.Row            { return taxonomy.FirstRow }
func (e *foreignError) Hints() taxonomy.Hints        { return e.hints }

func TestOfErrorsOfOtherTaxonomies(t *testing.T) {
	at := time.Unix(1_800_000_000, 0).UTC()
	hints := taxonomy.Hints{RetryAfter: taxonomy.Some(time.Second), ResetAt: taxonomy.Some(at), Files: []string{"a"},
		Credential: "main", Output: "out"}
	err := fmt.Errorf("save: %w", &foreignError{StatusCode: 500, hints: hints, cause: &pgError{Code: "53100"}})
	assert.Equal(t, taxonomy.Evidence{
		Code: "DISK_FULL", RetryAfter: hints.RetryAfter, ResetAt: at, Files: []string{"a"}, Credential: "main",
		Output: "out",
		Text:   "save: disk full", Err: err,
	}, detect.Of(err))
	unknown := taxonomy.NewUnknown(&foreign, taxonomy.Wire{Code: "GONE", Message: "gone"})
	assert.Equal(t, taxonomy.Evidence{Code: "GONE", Text: "gone", Err: unknown}, detect.Of(unknown))
	empty := errors.Join((*foreignError)(nil), io.EOF)
	assert.Equal(t, taxonomy.Evidence{Code: "DISK_FULL", Text: "disk full\nEOF", Err: empty}, detect.Of(empty))
}
