package main

import (
	"os"
	"testing"

	"go.uber.org/goleak"
)

// beMain is the variable by which this test program is told to be the program itself.
const beMain = "SPECRUNNER_TEST_BE_MAIN"

func TestMain(m *testing.M) {
	if os.Getenv(beMain) != "" {
		main()
	}
	goleak.VerifyTestMain(m)
}
