package report

import (
	"encoding/hex"
	"math/rand/v2"
)

// NewID returns a random ID, in the form of a UUID of version 4. It is made to be unique, not to be
// a secret. It is safe for concurrent use.
func NewID() string {
	var b [16]byte
	for i := 0; i < len(b); i += 8 {
		n := rand.Uint64()
		for j := range 8 {
			b[i+j] = byte(n >> (8 * j))
		}
	}
	b[6] = b[6]&0x0f | 0x40
	b[8] = b[8]&0x3f | 0x80
	var out [36]byte
	hex.Encode(out[:8], b[:4])
	hex.Encode(out[9:13], b[4:6])
	hex.Encode(out[14:18], b[6:8])
	hex.Encode(out[19:23], b[8:10])
	hex.Encode(out[24:], b[10:])
	out[8], out[13], out[18], out[23] = '-', '-', '-', '-'
	return string(out[:])
}
