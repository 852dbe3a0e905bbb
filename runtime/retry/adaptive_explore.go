package retry

const (
	// exploredOutcomes is for how many outcomes at a time all attempts are made.
	exploredOutcomes = 16
	// exploredShare is of how many such blocks one is explored.
	exploredShare = 8
)

// explores reports whether all attempts that the bounds allow are to be made. It changes with the
// outcomes only.
func (a *Adaptive) explores(policy, code string) bool {
	c := a.codes[code]
	if c == nil {
		return false
	}
	block := c.outcomes / exploredOutcomes
	picked := mix(a.seed, policy, code, block/exploredShare) % exploredShare
	return block%exploredShare == picked
}

// mix is FNV-1a over the names, with the numbers stirred in by the end of SplitMix64, which spreads
// what differs in a bit.
func mix(seed uint64, policy, code string, n uint64) uint64 {
	const offset, prime = 14695981039346656037, 1099511628211
	h := uint64(offset)
	for _, s := range [...]string{policy, code} {
		for i := range len(s) {
			h = (h ^ uint64(s[i])) * prime
		}
		h = (h ^ 0xff) * prime // ends the name: no text of UTF-8 has it
	}
	return stir(stir(h^seed) ^ n)
}

func stir(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
