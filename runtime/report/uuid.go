package report

// lenUUID is how long a UUID is as text.
const lenUUID = 36

// isUUID reports whether there is a UUID at i that is no part of a longer word. It begins with eight hexadecimal digits.
func isUUID(s string, i int) bool {
	end := i + lenUUID
	if end > len(s) || i > 0 && isASCIIWord(s[i-1]) || end < len(s) && isASCIIWord(s[end]) {
		return false
	}
	for j := i; j < end; j++ {
		switch j - i {
		case 8, 13, 18, 23:
			if s[j] != '-' {
				return false
			}
		default:
			if !isHex(s[j]) {
				return false
			}
		}
	}
	return true
}

func isASCIIWord(c byte) bool { return c < 0x80 && isWord(c) }
