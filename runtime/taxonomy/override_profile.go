package taxonomy

// DetectionOverride changes which parts of classification are used. What is nil is not set.
type DetectionOverride struct {
	Text           *bool `json:"text,omitempty" yaml:"text,omitempty"`
	Severity       *bool `json:"severity,omitempty" yaml:"severity,omitempty"`
	Recoverability *bool `json:"recoverability,omitempty" yaml:"recoverability,omitempty"`
}

// RecoveryOverride changes which strategies run, and how often. What is nil is not set.
type RecoveryOverride struct {
	Enabled *bool `json:"enabled,omitempty" yaml:"enabled,omitempty"`
	// MaxAttempts is how often a strategy may run; 0 is never.
	MaxAttempts *int `json:"max_attempts,omitempty" yaml:"max_attempts,omitempty"`
	// Allowed are the strategies that may run. A list that is there and empty allows none.
	Allowed AllowedStrategies `json:"allowed,omitzero" yaml:"allowed,omitempty"`
}

// AllowedStrategies are names of strategies. Nil says nothing, and is not the same as a list
// without any.
type AllowedStrategies []string

// IsZero reports whether there is no list. YAML asks for it, so that an empty list is written.
func (s AllowedStrategies) IsZero() bool { return s == nil }

// RetryOverride changes whether anything is tried again, and by which numbers where a reaction
// names no policy. What is nil or empty is not set. It takes no doc.
type RetryOverride struct {
	Enabled        *bool `json:"enabled,omitempty" yaml:"enabled,omitempty"`
	PolicyOverride `yaml:",inline"`
}

// ReportingOverride changes how much is told of an error. What is nil or empty is not set.
type ReportingOverride struct {
	LogLevel string `json:"log_level,omitempty" yaml:"log_level,omitempty"`
	Stack    *bool  `json:"stack,omitempty" yaml:"stack,omitempty"`
	Context  *bool  `json:"context,omitempty" yaml:"context,omitempty"`
}
