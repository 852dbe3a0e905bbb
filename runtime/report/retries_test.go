package report_test

import (
	"context"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"

	"github.com/errgen/errgen/gen/errs"
	"github.com/errgen/errgen/runtime/report"
	"github.com/errgen/errgen/runtime/retry"
)

// TestCountRetries checks that a retried operation is counted after its last call.
func TestCountRetries(t *testing.T) {
	for _, tt := range []struct {
		name    string
		failing int // calls that fail
		err     error
		want    []report.Retry
	}{
		{"immediate success", 0, nil, nil},
		{"success after retries", 2, errs.NewProviderAPIError("api", "down").WithStatusCode(503),
			[]report.Retry{{Attempts: 2, Succeeded: true}}},
		{"exhausted", 99, errs.NewProviderAPIError("api", "down").WithStatusCode(503), []report.Retry{{Attempts: 4}}},
		{"not retried", 99, errs.NewConfigMissing("a.yml"), nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var got retried
				calls := 0
				_ = retry.Do(t.Context(), func(context.Context) error {
					if calls++; calls > tt.failing {
						return nil
					}
					return tt.err
				}, retry.ByTable(errs.Table), retry.WithNotify(report.CountRetries(&got)))
				assert.Equal(t, tt.want, []report.Retry(got))
			})
		})
	}
}

// retried records the retried operations.
type retried []report.Retry

func (*retried) Report(*report.Occurrence) {}
func (*retried) Update(*report.Occurrence) {}
func (s *retried) Retried(r report.Retry)  { *s = append(*s, r) }
