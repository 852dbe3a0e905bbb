package main

import (
	"os"
	"testing"

	"go.uber.org/goleak"
)

// beMain is the variable that makes this test binary the program itself.
const beMain = "SPECRUNNER_TEST_BE_MAIN"

func TestMain(m *testing.M) {
	if os.Getenv(beMain) != "" {
		main()
	}
	goleak.VerifyTestMain(m)
}
