package naming

import (
	"go/token"
	"go/types"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestExported(t *testing.T) {
	for _, tt := range []struct{ name, want string }{
		{"id", "ID"},
		{"ids", "IDs"},
		{"user_ids", "UserIDs"},
		{"userIDs", "UserIDs"},
		{"statusCode", "StatusCode"},
		{"status_code", "StatusCode"},
		{"status-code", "StatusCode"},
		{"status.code", "StatusCode"},
		{"auth/invalid-email", "AuthInvalidEmail"},
		{"StatusCode", "StatusCode"},
		{"timeoutMs", "TimeoutMs"},
		{"PROVIDER_API_ERROR", "ProviderAPIError"},
		{"VALIDATION_PRE_PR", "ValidationPrePr"},
		{"provider.rate_limit", "ProviderRateLimit"},
		{"APIKey", "APIKey"},
		{"apiKey", "APIKey"},
		{"ABCKey", "ABCKey"},
		{"HTTP_ERROR_v2", "HTTPErrorV2"},
		{"HTTP2_ERROR", "HTTP2Error"},
		{"httpStatus", "HTTPStatus"},
		{"grpc_code", "GRPCCode"},
		{"utf8", "UTF8"},
		{"ipv4", "IPv4"},
		{"IPv4", "IPv4"},
		{"urls", "URLs"},
		{"ios", "Ios"},
		{"dns", "DNS"},
		{"sha256", "Sha256"},
		{"x509_cert", "X509Cert"},
		{"E_NOENT", "ENoent"},
		{"ECONNRESET", "Econnreset"},
		{"llm_quota_exceeded", "LLMQuotaExceeded"},
		{"__a__b__", "AB"},
		{"EUR", "EUR"},
		{"amount_usd", "AmountUSD"},
		{"HIGH", "High"},
		{"größe", "Größe"},
		{"type", "Type"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, ok := Exported(tt.name)
			assert.True(t, ok)
			assert.Equal(t, tt.want, got)
		})
	}
}

func TestExportedRefuses(t *testing.T) {
	for _, name := range []string{
		"", "_", "...", "08006", "错误", "a$b", "a\nb", "a*/b", "a`b", `a"b`, "a\x00b", "a\u2028b", "a\xffb", "e\u0301",
		"@network", "*",
	} {
		t.Run(name, func(t *testing.T) {
			_, ok := Exported(name)
			assert.False(t, ok)
		})
	}
}

func TestSuffix(t *testing.T) {
	for _, tt := range []struct{ name, want string }{
		{"08006", "08006"},
		{"22E06", "22e06"},
		{"4xx", "4xx"},
		{"错误", "错误"},
		{"ASK_USER", "AskUser"},
	} {
		got, ok := Suffix(tt.name)
		assert.True(t, ok, tt.name)
		assert.Equal(t, tt.want, got)
	}
}

func TestParam(t *testing.T) {
	for _, tt := range []struct{ name, want string }{
		{"rawError", "rawError"},
		{"RawError", "rawError"},
		{"id", "id"},
		{"ID", "id"},
		{"IDs", "ids"},
		{"apiKey", "apiKey"},
		{"APIKey", "apiKey"},
		{"api_key", "apiKey"},
		{"user_id", "userID"},
		{"type", "typeValue"},
		{"string", "stringValue"},
		{"len", "lenValue"},
		{"time", "timeValue"},
		{"taxonomy", "taxonomyValue"},
		{"e", "eValue"},
		{"E", "eValue"},
		{"dst", "dstValue"},
		{"错误", "错误"},
	} {
		got, ok := Param(tt.name)
		assert.True(t, ok, tt.name)
		assert.Equal(t, tt.want, got)
	}
	_, ok := Param("9lives")
	assert.False(t, ok)
}

func TestSnake(t *testing.T) {
	for _, tt := range []struct{ name, want string }{
		{"ProviderError", "provider_error"},
		{"LLMQuota", "llm_quota"},
		{"PROVIDER_API", "provider_api"},
	} {
		got, ok := Snake(tt.name)
		assert.True(t, ok)
		assert.Equal(t, tt.want, got)
	}
}

func TestPredeclaredIsTheUniverse(t *testing.T) {
	for _, name := range types.Universe.Names() {
		assert.True(t, Predeclared(name), name)
	}
	assert.Len(t, predeclared, len(types.Universe.Names()))
}

func FuzzIdentifiers(f *testing.F) {
	for _, s := range []string{"", "id", "user_ids", "HTTP2Error", "08006", "ǆ", "ß", "ſ", "İ", "\xff", "aǅb", "K"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, name string) {
		if ident, ok := Exported(name); ok && !IsExported(ident) {
			t.Errorf("Exported(%q) = %q", name, ident)
		}
		if ident, ok := Suffix(name); ok && !token.IsIdentifier("Code"+ident) {
			t.Errorf("Suffix(%q) = %q", name, ident)
		}
		if ident, ok := Param(name); ok && (!token.IsIdentifier(ident) || Reserved(ident)) {
			t.Errorf("Param(%q) = %q", name, ident)
		}
	})
}
