package validate

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestCauseFinder(t *testing.T) {
	noise := strings.Repeat("building\n", 1000)
	const diagnosis = "src/a.c:3:5: error: expected expression\n"
	for _, tt := range []struct {
		name, before, after string
		kept                int // bytes from the end
		want                string
	}{
		{name: "the cause is in the part that is kept", before: noise, after: "  3 |   x(\n", kept: 200,
			want: "The cause is probably in line 1001 of 1002:\nbuilding\nbuilding\nbuilding\n" + diagnosis +
				"  3 |   x(\n\n"},
		{name: "the cause is in the part that is left out", before: noise, after: noise, kept: 200,
			want: "The cause is probably in line 1001 of 2001:\n" + diagnosis + "\n"},
		{name: "the output begins with the cause", after: "  3 |   x(\n", kept: 200},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := newCauseFinder()
			output := tt.before + diagnosis + tt.after
			_, err := c.Write([]byte(output))
			assert.NoError(t, err)
			kept := output[max(0, len(output)-tt.kept):]
			want := kept
			if tt.want != "" {
				want = tt.want + "The end of the output:\n" + kept
			}
			assert.Equal(t, want, c.end(kept))
		})
	}
}

func TestCauseFinderMasksSecrets(t *testing.T) {
	c := newCauseFinder()
	_, err := c.Write([]byte(strings.Repeat("building\n", 20) + "error: login failed: password=hunter2hunter2\n"))
	assert.NoError(t, err)
	assert.NotContains(t, c.end("the end\n"), "hunter2hunter2")
}

func TestCauseFinderWithoutOutput(t *testing.T) { assert.Empty(t, newCauseFinder().end("")) }
