package report

// endOfUUID returns where the UUID ends whose first eight hexadecimal digits end at i, or i where
// there is none. Further digits on both sides belong to it.
func endOfUUID(s string, i int) int {
	end := i
	for _, digits := range [...]int{4, 4, 4, 12} {
		if end++; end+digits > len(s) || s[end-1] != '-' {
			return i
		}
		for ; digits > 0; digits-- {
			if !isHex(s[end]) {
				return i
			}
			end++
		}
	}
	return endOfHex(s, end)
}

// endOfHex returns where the hexadecimal digits end that begin at i.
func endOfHex(s string, i int) int {
	for i < len(s) && isHex(s[i]) {
		i++
	}
	return i
}
