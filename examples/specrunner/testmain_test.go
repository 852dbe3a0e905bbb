package main

import (
	"os"
	"testing"

	"go.uber.org/goleak"

	"github.com/errgen/errgen/runtime/providers/providertest"
)

// beMain is the variable by which this test program is told to be the program itself.
const beMain = "SPECRUNNER_TEST_BE_MAIN"

func TestMain(m *testing.M) {
	providertest.CLIMain()
	if os.Getenv(beMain) != "" {
		main()
	}
	goleak.VerifyTestMain(m)
}
