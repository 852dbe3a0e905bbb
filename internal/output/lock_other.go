//go:build !(darwin || dragonfly || freebsd || illumos || linux || netbsd || openbsd || windows)

package output

// dirLock holds nothing: the system has no lock that the standard library knows.
type dirLock struct{}

func lockDir(string) (*dirLock, error) { return &dirLock{}, nil }

func (*dirLock) held() bool { return false }

func (*dirLock) release(last func()) { last() }
