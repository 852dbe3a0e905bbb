package detect_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/errgen/errgen/runtime/detect"
)

func TestCanonicalNames(t *testing.T) {
	for name, want := range map[string]string{
		"EWOULDBLOCK": "EAGAIN", "EDEADLOCK": "EDEADLK", "ENOTSUP": "EOPNOTSUPP", "EAGAIN": "EAGAIN", "": "",
		"other": "other", "SIGIOT": "SIGIOT",
	} {
		assert.Equal(t, want, detect.CanonicalErrno(name))
	}
	for name, want := range map[string]string{
		"SIGIOT": "SIGABRT", "SIGPOLL": "SIGIO", "SIGCLD": "SIGCHLD", "SIGKILL": "SIGKILL", "": "", "EAGAIN": "EAGAIN",
	} {
		assert.Equal(t, want, detect.CanonicalSignal(name))
	}
}
