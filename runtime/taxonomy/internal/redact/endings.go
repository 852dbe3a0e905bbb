package redact

// Pairs of letters that names of secrets and prefixes of tokens end in, each a bit: rd (password),
// wd (passwd, pwd), se, ie and re (passphrase, cookie, signature), et and ey (secret, key), en and
// on (token, authorization), ls and ig (credentials, sig), with what else the letters make; then,
// of prefixes before '_', hp and the like with hf and op, and at, st, ve, pm with what else the
// letters make.
const (
	nameEnd   = 0x3F
	prefixEnd = 0xC0
)

// endings holds for each byte in its low half the pairs that it begins, in its high half those that
// it ends. Two bytes are such a pair if the low half of the first and the high half of the second
// have a bit in common.
var endings = [256]uint16{
	'D': 0x0300, 'E': 0x0418, 'G': 0x2000, 'I': 0x0024, 'L': 0x0020, 'N': 0x1000, 'O': 0x0010, 'R': 0x0005,
	'S': 0x2004, 'T': 0x0800, 'W': 0x0002, 'Y': 0x0800, 'a': 0x0080, 'd': 0x0300,
	'e': 0x8418, 'f': 0x4000, 'g': 0x2000, 'h': 0x0040, 'i': 0x0024, 'l': 0x0020, 'm': 0x8000, 'n': 0x1000,
	'o': 0x4050, 'p': 0x4080, 'r': 0x4005, 's': 0x6084, 't': 0x8800, 'u': 0x4000,
	'v': 0x0080, 'w': 0x0002, 'y': 0x0800,
}
