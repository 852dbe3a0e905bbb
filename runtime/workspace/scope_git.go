package workspace

import "strings"

// ofGit reports whether a part of p names git's own directory on any of the systems that a working
// tree may come to: case does not count, Windows passes over dots and blanks at the end of a name
// and over what follows a colon and knows a short name, and Apple's file systems pass over some
// invisible characters.
func ofGit(p string) bool {
	if !mayBeOfGit(p) {
		return false
	}
	for part := range strings.SplitSeq(p, "/") {
		part, _, _ = strings.Cut(part, ":")
		part = strings.TrimRight(strings.Map(visible, part), ". ")
		if strings.EqualFold(part, ".git") || strings.EqualFold(part, "git~1") {
			return true
		}
	}
	return false
}

// mayBeOfGit is a quick test that most paths fail: they hold no part that begins like git's own.
func mayBeOfGit(p string) bool {
	for i := range len(p) {
		if i > 0 && p[i-1] != '/' {
			continue
		}
		if c := p[i]; c == '.' || c|0x20 == 'g' || c >= 0x80 {
			return true
		}
	}
	return false
}

// visible drops the characters that HFS+ passes over in names.
func visible(r rune) rune {
	switch {
	case '\u200c' <= r && r <= '\u200f', '\u202a' <= r && r <= '\u202e', '\u206a' <= r && r <= '\u206f', r == '\ufeff':
		return -1
	}
	return r
}
