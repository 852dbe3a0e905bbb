//go:build !linux

package scenarios_test

func processesIn(string) []string { return nil }
