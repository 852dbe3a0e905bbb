package gen_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/errgen/errgen/runtime/taxonomy"
	"github.com/errgen/errgen/runtime/taxonomy/gen"
)

func TestMessageDuration(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0: "0s", 1499 * time.Millisecond: "1.5s", 1250 * time.Millisecond: "1.25s", time.Minute: "1m", time.Hour: "1h",
		90 * time.Minute: "1h30m", 90 * time.Second: "1m30s", 59999 * time.Millisecond: "1m", 30 * time.Second: "30s",
		300041 * time.Millisecond: "5m", 20 * time.Millisecond: "20ms", 1500 * time.Microsecond: "2ms",
		-time.Minute: "-1m", 1500: "1.5µs",
	} {
		m := gen.Message(nil).Duration(taxonomy.Some(d))
		assert.Equal(t, want, string(m.Bytes()), d)
	}
}
