package taxonomy_test

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/taxonomy"
)

var secretNames = []string{
	"authorization", "Authorization", "proxy-authorization", "proxy_authorization", "proxyAuthorization", "cookie",
	"Set-Cookie", "set.cookie",
	"cookies", "session", "user-session", "userSession", "credential", "aws.credentials", "auth", "x-auth",
	"basic_auth", "signature",
	"x-hub-signature", "X-Hub-Signature-256", "bearer", "dsn", "SENTRY_DSN", "password", "db.password", "password2",
	"clientSecret", "client_secret_key", "webhook", "webhook_url", "slackWebhookUrl", "webhooks", "hook", "hook-url",
	"connection_string", "ConnectionString", "conn_string", "connStr",
	"x-api-key", "token", strings.Repeat("x", 300) + "-password", strings.Repeat("x", 1<<20) + "_session",
}

func TestNamesSecret(t *testing.T) {
	for _, name := range secretNames {
		assert.True(t, taxonomy.IsSecretName(name), "%.50s", name)
	}
	for _, name := range []string{
		"", "-", "1", "host", "path", "request-id", "author", "oauth", "authority", "cookie-name", "session-count",
		"sessions-open", "auth-method", "hooks_path", "connection", "string", "webhook-id",
		"designature", "max_tokens", "retry-after", "ratelimit-remaining-tokens", "operation", "ж", "\xff",
	} {
		assert.False(t, taxonomy.IsSecretName(name), name)
	}
}

func TestEvidenceMasksAttributesByTheirWholeNames(t *testing.T) {
	for _, name := range secretNames {
		ev := taxonomy.Evidence{Text: "x", Attributes: map[string]string{name: "hunter"}}
		b, err := json.Marshal(ev)
		require.NoError(t, err)
		for _, shown := range []string{string(b), fmt.Sprintf("%+v %#v %v", ev, ev, ev),
			slog.AnyValue(ev).Resolve().String()} {
			assert.NotContains(t, shown, "hunter", "%.50s", name)
		}
		assert.Contains(t, string(b), taxonomy.Redacted, "%.50s", name)
	}
}
