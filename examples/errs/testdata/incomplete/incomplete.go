// Package incomplete has a switch that misses a code, for the test of the exhaustive linter.
package incomplete

import "github.com/errgen/errgen/gen/errs"

// Safe reports whether the working tree is as it should be.
func Safe(code errs.GitCode) bool {
	switch code {
	case errs.CodeGitCommitFailed, errs.CodeGitPushFailed, errs.CodeGitStatusFailed:
		return true
	}
	return false
}

// Approved reports whether a person was asked.
func Approved(decision errs.ScopeDecision) bool {
	switch decision {
	case errs.ScopeDecisionBlock:
		return false
	}
	return true
}
