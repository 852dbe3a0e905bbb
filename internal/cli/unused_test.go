package cli

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestLastDayOfDeprecatedCode(t *testing.T) {
	src := `errgen: 1
package: errs
categories:
  a:
    codes:
      DATED: {message: m, deprecated: test, remove_after: 2027-01-01}
      UNDATED: {message: m, deprecated: test}
      CURRENT: {message: m}
`
	l := loadSource("taxonomy.yaml", []byte(src))
	require.NotNil(t, l.model, l.findings)
	for _, tt := range []struct {
		now    string
		needed []bool
	}{
		{"2027-01-01T23:59:59Z", []bool{true, true, false}},
		{"2027-01-02T00:59:59+01:00", []bool{true, true, false}},
		{"2027-01-02T00:00:00Z", []bool{false, true, false}},
	} {
		now, err := time.Parse(time.RFC3339, tt.now)
		require.NoError(t, err)
		for i, c := range l.model.Codes {
			assert.Equal(t, tt.needed[i], isNeeded(c, now), "%s at %s", c.Name, tt.now)
		}
	}
}
