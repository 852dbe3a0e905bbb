package lanes

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"time"
	"unicode/utf8"

	"github.com/errgen/errgen/runtime/retry"
	"github.com/errgen/errgen/runtime/taxonomy"
)

const (
	// version is that of the form in which a lane is kept.
	version = 1
	// MaxKept is how many bytes a lane has at most as it is kept.
	MaxKept = 4 << 20
	// maxCaller is how many bytes of a caller's name are kept; a longer one has a fingerprint for
	// it.
	maxCaller = 128
)

// last is until when a lane can be paused: the last day that JSON has a form for, without its
// hours, in which those who wait enter.
var last = time.Date(9999, 12, 31, 0, 0, 0, 0, time.UTC)

// form is what is kept.
type form struct {
	Version int        `json:"errgen_lane"`
	Lane    retry.Lane `json:"lane"`
}

func encode(lane retry.Lane) ([]byte, error) {
	return json.Marshal(form{Version: version, Lane: lane})
}

// decode returns the lane that is kept, or the error of reading it; nothing is an open one.
func decode(b []byte, err error) (retry.Lane, error) {
	if b == nil || err != nil {
		return retry.Lane{}, err
	}
	if len(b) > MaxKept {
		return retry.Lane{}, fmt.Errorf("it has more than %d bytes", MaxKept)
	}
	var f form
	if err := json.Unmarshal(b, &f); err != nil {
		return retry.Lane{}, err
	}
	if f.Version != version {
		return retry.Lane{}, fmt.Errorf("it has version %d, and only version %d is known here", f.Version, version)
	}
	if f.Lane.Until.After(last) {
		return retry.Lane{}, fmt.Errorf("it opens after %d", last.Year())
	}
	return f.Lane, nil
}

// Key returns what a lane is kept under: 32 hexadecimal digits. Its name is anybody's text, and so
// is hashed.
func Key(lane string) string {
	sum := sha256.Sum256([]byte(lane))
	return hex.EncodeToString(sum[:16])
}

// named returns the name that a caller is kept by. One that cannot be kept as it is has a
// fingerprint, which keeps it apart from others as masking would not.
func named(caller string) string {
	if len(caller) > maxCaller || !utf8.ValidString(caller) || taxonomy.Scrub(caller) != caller {
		return "#" + Key(caller)
	}
	return caller
}
