package taxonomy

// everythingOn is the profile of a table that has none.
var everythingOn = Profile{
	Detection: Detection{Text: true, Severity: true, Recoverability: true},
	Recovery:  Recovery{Enabled: true},
	Retry:     RetryDefaults{Enabled: true},
	Reporting: Reporting{Context: true},
}

// sections returns the profile with its sections under the overrides.
func (v *overlay) sections() Profile {
	p := v.base
	if d := v.over.Detection; d != nil {
		layFlag(&p.Detection.Text, d.Text)
		layFlag(&p.Detection.Severity, d.Severity)
		layFlag(&p.Detection.Recoverability, d.Recoverability)
	}
	if r := v.over.Recovery; r != nil {
		v.layRecovery(&p.Recovery, r)
	}
	if r := v.over.Retry; r != nil {
		v.layRetry(&p, r)
	}
	if r := v.over.Reporting; r != nil {
		p.Reporting.LogLevel = parsed(v, "reporting.log_level", logLevelWords[:], r.LogLevel, p.Reporting.LogLevel)
		layFlag(&p.Reporting.Stack, r.Stack)
		layFlag(&p.Reporting.Context, r.Context)
	}
	return p
}

func (v *overlay) layRecovery(r *Recovery, top *RecoveryOverride) {
	layFlag(&r.Enabled, top.Enabled)
	if n := top.MaxAttempts; n != nil {
		switch r.MaxAttempts = *n; {
		case *n < 0:
			v.problem("recovery.max_attempts", "at least 0, which runs none, not %d", *n)
		case *n == 0:
			r.MaxAttempts = -1
		}
	}
	if top.Allowed == nil {
		return
	}
	r.Allowed = append([]string{}, top.Allowed...)
	declared := v.table.Taxonomy.Strategies
	for _, name := range r.Allowed {
		if !hasName(declared, name) {
			v.unknown("recovery.allowed", "strategy", name, names(declared))
		}
	}
}

// layRetry lays top over the numbers of the profile's retries, or over those of a policy that does
// not say them.
func (v *overlay) layRetry(p *Profile, top *RetryOverride) {
	layFlag(&p.Retry.Enabled, top.Enabled)
	if top.Doc != "" {
		v.problem("retry", "it takes no doc")
	}
	if top.PolicyOverride == (PolicyOverride{}) {
		return
	}
	numbers := newPolicy("retry")
	if p.Name != "" {
		numbers.Name = p.Name + ".retry"
	}
	if p.Retry.Policy != nil {
		numbers = *p.Retry.Policy
	}
	v.layPolicy(&numbers, &top.PolicyOverride, "retry")
	p.Retry.Policy = &numbers
}
