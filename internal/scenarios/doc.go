// Package scenarios holds tests of the executor with everything around it real: repositories of
// git, processes, HTTP on 127.0.0.1, and the taxonomy that errgen ships. It has no code of its own.
// It is a separate module, so that errgen does not require the modules that only its tests need.
//
// story_*_test.go plays runs from the first prompt to the notification. danger_*_test.go tests
// hostile providers, broken machines and signals. proof_*_test.go compares runs with the shipped
// taxonomy with a golden file. names_test.go checks the sources of the runtime.
package scenarios
