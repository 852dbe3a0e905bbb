package main

import (
	"os"
	"testing"

	"go.uber.org/goleak"
)

// asProgram has this process be the program.
const asProgram = "ORCHESTRATOR_TEST_PROGRAM"

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		main()
		return
	}
	goleak.VerifyTestMain(m)
}
