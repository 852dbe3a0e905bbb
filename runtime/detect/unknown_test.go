package detect_test

import (
	"io"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/errgen/errgen/runtime/detect"
	"github.com/errgen/errgen/runtime/taxonomy"
)

func TestUnknown(t *testing.T) {
	again := taxonomy.Reaction{Name: "again", Action: taxonomy.Retry}
	stop := taxonomy.Reaction{Name: "stop"}
	tax := &taxonomy.Taxonomy{Domain: "example.org",
		Rows: []taxonomy.RowTraits{{Reaction: &again, Retryable: true}, {Reaction: &stop}}}
	err := detect.Unknown(tax, &taxonomy.Evidence{
		Source: "git", Op: "push", Text: "remote hung up\npassword=correct-horse-battery-staple",
		Err: io.ErrUnexpectedEOF,
	})
	assert.IsType(t, &taxonomy.Unknown{}, err)
	assert.EqualError(t, err, "git push: remote hung up")
	assert.Same(t, tax, err.Taxonomy())
	assert.ErrorIs(t, err, io.ErrUnexpectedEOF)
	assert.Empty(t, taxonomy.CodeOf(err))
	assert.False(t, taxonomy.IsRetryable(err))
	assert.Equal(t, "{}", string(err.AppendContext(nil)))
	assert.JSONEq(
		t, `{"domain":"example.org","name":"","category":"","code":"","message":"git push: remote hung up",`+
			`"retryable":false,"context":{}}`,
		string(err.AppendJSON(nil)))
}
