package claudecli_test

import (
	"testing"

	"go.uber.org/goleak"

	"github.com/errgen/errgen/runtime/providers/providertest"
)

func TestMain(m *testing.M) {
	providertest.CLIMain()
	goleak.VerifyTestMain(m)
}
