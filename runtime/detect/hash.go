package detect

import "math/bits"

// The multipliers of the hashes: odd, with their bits well spread.
const (
	mixA = 0x9E3779B97F4A7C15
	mixB = 0xD6E8FEB86659FD93
)

// mix spreads the bits of two numbers over one.
func mix(a, b uint64) uint64 {
	hi, lo := bits.Mul64(a^mixA, b^mixB)
	return hi ^ lo
}

// hashText returns a hash of s. It depends on s and the seed only, so that what is built is the
// same in every run.
func hashText(s string, seed uint64) uint64 {
	n := len(s)
	if n < 8 {
		return mix(shortWord(s), seed+uint64(n))
	}
	h := seed + uint64(n)
	for ; len(s) > 16; s = s[8:] {
		h = mix(word64(s), h)
	}
	return mix(word64(s), h^bits.RotateLeft64(word64(s[len(s)-8:]), 32))
}

// shortWord returns the bytes of s, which are fewer than eight, as a number.
func shortWord(s string) uint64 {
	n := len(s)
	switch {
	case n >= 4:
		return uint64(word32(s[:4])) | uint64(word32(s[n-4:]))<<32
	case n > 0:
		return uint64(s[0]) | uint64(s[n>>1])<<8 | uint64(s[n-1])<<16
	}
	return 0
}

// word64 returns the first eight bytes of s as a number; the compiler makes one load of it.
func word64(s string) uint64 {
	_ = s[7]
	return uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
		uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
}

// word32 returns the first four bytes of s as a number.
func word32(s string) uint32 {
	_ = s[3]
	return uint32(s[0]) | uint32(s[1])<<8 | uint32(s[2])<<16 | uint32(s[3])<<24
}
