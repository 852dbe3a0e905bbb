package sample

import (
	"time"

	"github.com/errgen/errgen/runtime/taxonomy"
)

// Table is the taxonomy's table.
var Table = taxonomy.Table{Taxonomy: &definition}

var definition = taxonomy.Taxonomy{
	Package:  "sample",
	Domain:   "aidf",
	Doc:      "Errors of a sample.",
	HelpURL:  "https://example.org/errors/{code}",
	Fallback: "PROVIDER_CRASH",
	Categories: []taxonomy.Category{
		{
			Name: "provider", Type: "ProviderError", JSONHead: `{"domain":"aidf","name":"ProviderError","category":"provider","code":"`, Doc: "The provider failed.", First: 0, Count: 3,
			Fields: []taxonomy.Field{
				{Name: "unmatched", Type: "bool", Doc: "No rule described it."},
				{Name: "retryAfter", Type: "duration", Doc: "How long to wait."},
				{Name: "run", Type: "object", Fields: []taxonomy.Field{{Name: "mode", Type: "string", Required: true}, {Name: "step", Type: "string"}}},
				{Name: "provider", Type: "string", Required: true, Doc: "Who failed."},
				{Name: "statusCode", Type: "int", Doc: "HTTP status, when there was one."},
				{Name: "rawError", Type: "string", Scrub: true, MaxLength: 2000},
				{Name: "token", Type: "string", Sensitive: true},
			},
		},
		{
			Name: "work", Type: "WorkError", JSONHead: `{"domain":"aidf","name":"WorkError","category":"work","code":"`, Doc: "Work on the repository failed.", First: 3, Count: 2,
			Fields: []taxonomy.Field{
				{Name: "files", Type: "strings", Doc: "What revert undoes."},
				{Name: "decision", Type: "enum", Enum: []string{"BLOCK", "ASK_USER"}},
				{Name: "value", Type: "string", Scrub: true, MessageOnly: true},
			},
		},
		{Name: "kinds", Type: "KindsError", First: 5, Count: 1},
	},
	Codes: []taxonomy.Code{
		{Value: "PROVIDER_CRASH", Doc: "The provider process died.", Resolution: "Look at the provider's own log.", Message: "provider {provider} crashed[: {rawError:first_line}]", Since: "v1.0", Groups: 1 << 0, Row: 2, Branches: 8, Category: 0},
		{Value: "PROVIDER_API_ERROR", Doc: "The provider's API answered with an error.", Message: "provider {provider} API error[ {statusCode}][: {rawError:first_line}]", Number: 2, Row: 3, Branches: 9, Category: 0},
		{Value: "provider.rate_limit", Doc: "The provider asks to slow down.", Message: "provider {provider} limits the rate", Number: 3, Row: 4, Category: 0},
		{Value: "SCOPE_FORBIDDEN", Doc: "Forbidden files were changed.", Resolution: "Leave them.", Message: "{files:count} forbidden: {files}", Number: 4, Row: 5, Category: 1},
		{Value: "COMMIT_FAILED", Doc: "The commit failed.", Resolution: "Commit by hand.", Message: "commit failed[: {cause}]", Number: 6, Row: 6, Category: 1},
		{Value: "KINDS", Row: 7, Category: 2},
	},
	ByValue: []uint16{4, 5, 1, 0, 3, 2},
	Aliases: []taxonomy.Alias{{Value: "PROVIDER_THROTTLED", Code: 2}},
	Rows: []taxonomy.RowTraits{
		{Reaction: &reactionAgain, HTTP: 502, GRPC: 14, Retryable: true, Recoverability: taxonomy.Retryable, Severity: taxonomy.SeverityMedium, Kind: taxonomy.Failure},
		{Reaction: &reactionAbort, HTTP: 502, GRPC: 14, Severity: taxonomy.SeverityMedium, Kind: taxonomy.Failure},
		{Code: 1, Reaction: &reactionAgain, HTTP: 502, GRPC: 14, Retryable: true, Recoverability: taxonomy.Retryable, Severity: taxonomy.SeverityHigh, Kind: taxonomy.Failure},
		{Code: 2, Reaction: &reactionBackoff, HTTP: 502, GRPC: 14, Retryable: true, Recoverability: taxonomy.Retryable, Severity: taxonomy.SeverityHigh, Kind: taxonomy.Failure},
		{Code: 3, Reaction: &reactionWait, HTTP: 429, GRPC: 14, Retryable: true, Recoverability: taxonomy.Retryable, Severity: taxonomy.SeverityHigh, Kind: taxonomy.Failure},
		{Code: 4, Reaction: &reactionRevert, Retryable: true, Recoverability: taxonomy.Retryable, Severity: taxonomy.SeverityHigh},
		{Code: 5, Reaction: &reactionOnce, Retryable: true, Recoverability: taxonomy.Retryable, Severity: taxonomy.SeverityHigh},
		{Code: 6, Reaction: &reactionAbort},
		{Code: 1, Reaction: &reactionAgain, HTTP: 502, GRPC: 14, Retryable: true, Recoverability: taxonomy.Retryable, Severity: taxonomy.SeverityMedium, Kind: taxonomy.Failure},
		{Code: 2, Reaction: &reactionFatal, HTTP: 502, GRPC: 3, Severity: taxonomy.SeverityHigh, Kind: taxonomy.Failure},
	},
	Uncategorized: &reactionAgain,
	Reactions:     []*taxonomy.Reaction{&reactionAbort, &reactionBlock, &reactionContinue, &reactionAgain, &reactionBackoff, &reactionWait, &reactionRevert, &reactionOnce, &reactionFatal},
	Policies:      []*taxonomy.Policy{&policyProvider, &policyRateLimit},
	Profiles: []taxonomy.Profile{
		{
			Name: "strict", Doc: "No retries.",
			Rows: []taxonomy.RowOverride{
				{Row: 2, Traits: taxonomy.RowTraits{Code: 1, Reaction: &reactionBlock, HTTP: 502, GRPC: 14, Retryable: true, Recoverability: taxonomy.Retryable, Severity: taxonomy.SeverityHigh, Kind: taxonomy.Failure}},
				{Row: 4, Traits: taxonomy.RowTraits{Code: 3, Reaction: &reactionBlock, HTTP: 429, GRPC: 14, Retryable: true, Recoverability: taxonomy.Retryable, Severity: taxonomy.SeverityHigh, Kind: taxonomy.Failure}},
			},
			Uncategorized: &reactionBlock,
			Reporting:     taxonomy.Reporting{LogLevel: taxonomy.LogError, Stack: true},
		},
		{Name: "chains", Doc: "Abort.", Detection: taxonomy.Detection{Text: true, Severity: true, Recoverability: true}},
	},
	Groups:     []taxonomy.Named{{Name: "network", Doc: "Needs the network."}},
	Strategies: []taxonomy.Named{{Name: "reduce_context", Doc: "Run again with a shorter prompt."}},
	Sources:    []taxonomy.Named{{Name: "claude-cli", Doc: "The CLI."}},
	Tiers:      []taxonomy.Tier{{Name: "haiku"}, {Name: "human", Person: true}},
}

var (
	reactionAbort    = taxonomy.Reaction{Name: "abort", Action: taxonomy.Abort}
	reactionBlock    = taxonomy.Reaction{Name: "block", Action: taxonomy.Block}
	reactionContinue = taxonomy.Reaction{Name: "continue", Action: taxonomy.Continue}
	reactionAgain    = taxonomy.Reaction{Name: "again", Action: taxonomy.Retry, CountFailure: true, Then: &reactionBlock}
	reactionBackoff  = taxonomy.Reaction{Name: "backoff", Action: taxonomy.Retry, Policy: &policyProvider, CountFailure: true, Then: &reactionBlock}
	reactionWait     = taxonomy.Reaction{Name: "wait", Action: taxonomy.Retry, Policy: &policyRateLimit, Then: &reactionBlock, HonorRetryAfter: true, Shared: taxonomy.SharedCredential, LogLevel: taxonomy.LogInfo, LogMessage: "Rate limited, waiting..."}
	reactionRevert   = taxonomy.Reaction{Name: "revert", Action: taxonomy.Retry, Revert: taxonomy.RevertFiles, CountFailure: true, AcceptCompletion: true, FeedBack: true, LogLevel: taxonomy.LogWarn, Then: &reactionBlock}
	reactionOnce     = taxonomy.Reaction{Name: "once", Action: taxonomy.RetryOperation, Then: &reactionContinue}
	reactionFatal    = taxonomy.Reaction{Name: "fatal", Action: taxonomy.Abort, Extent: taxonomy.ExtentRun, LogLevel: taxonomy.LogError}
)

var (
	policyProvider  = taxonomy.Policy{Name: "provider", MaxAttempts: 5, InitialDelay: time.Second, MaxDelay: 30 * time.Second, Multiplier: 2, MaxRetryAfter: 30 * time.Second, Jitter: 0.1, JitterKind: taxonomy.JitterProportional}
	policyRateLimit = taxonomy.Policy{Name: "rate_limit", MaxAttempts: 21, InitialDelay: 5 * time.Second, MaxDelay: 30 * time.Second, Multiplier: 2, MaxElapsed: 6 * time.Hour, MaxRetryAfter: 6 * time.Hour, Backoff: taxonomy.Constant}
)
