package htmlreport

import (
	"strings"

	"github.com/errgen/errgen/runtime/report"
)

// goneShort says in a few words what groups are not kept any more; "" when all are.
func goneShort(s report.Snapshot) string {
	expired, evicted := s.Expired, s.Evicted
	all := report.Gone{Groups: expired.Groups + evicted.Groups, Errors: expired.Errors + evicted.Errors,
		Severity: expired.Severity}
	if severity(evicted.Severity).Steps > severity(all.Severity).Steps {
		all.Severity = evicted.Severity
	}
	if all.Groups <= 0 {
		return ""
	}
	return "no longer kept: " + groupCount(all.Groups) + with(all)
}

// goneLong says why they are not; "" when all are.
func goneLong(s report.Snapshot) string {
	var parts []string
	if s.Expired.Groups > 0 {
		parts = append(parts, groupCount(s.Expired.Groups)+" not seen for more than "+
			length(s.GroupAge)+with(s.Expired))
	}
	if s.Evicted.Groups > 0 {
		parts = append(parts, groupCount(s.Evicted.Groups)+" that made room for others"+with(s.Evicted))
	}
	if len(parts) == 0 {
		return ""
	}
	return "No longer kept: " + strings.Join(parts, "; ") + ". A group that comes back counts from 1."
}

// with says what was in groups: how many errors, and how severe the most severe of them.
func with(g report.Gone) string {
	said := ", with " + errorCount(g.Errors)
	if l := severity(g.Severity); l.Steps > 0 {
		said += " up to " + l.Word
	}
	return said
}

func groupCount(n int) string {
	if n == 1 {
		return "1 group"
	}
	return whole(n) + " groups"
}
