package providertest

import "net/http"

// OpenAIError is an error response of the service. What is empty is null in it.
func OpenAIError(status int, kind, code, message string) Reply {
	return Reply{Status: status, Body: openAIError(kind, code, "", message)}.With("X-Request-Id", openAIRequestID)
}

// OpenAIRateLimit is 429 with a Retry-After header, which is left out when it is "". It may be
// seconds, also with a fraction, or a date.
func OpenAIRateLimit(retryAfter string) Reply {
	r := OpenAIError(http.StatusTooManyRequests, "requests", "rate_limit_exceeded",
		"Rate limit reached for gpt-4.1 in organization org-aidf on requests per min (RPM): Limit 500, Used 500, "+
			"Requested 1.")
	if retryAfter != "" {
		r = r.With("Retry-After", retryAfter)
	}
	return r.With("X-Ratelimit-Limit-Requests", "500")
}

// OpenAITokenLimit is 429 that says how long to wait by the limit that is spent: so many tokens are
// allowed in a time, and reset is when they are back, "6m0s".
func OpenAITokenLimit(reset string) Reply {
	return OpenAIError(http.StatusTooManyRequests, "tokens", "rate_limit_exceeded",
		"Rate limit reached for gpt-4.1 in organization org-aidf on tokens per min (TPM): Limit 30000, Used 30000, "+
			"Requested 1200.").
		With("X-Ratelimit-Limit-Requests", "500").With("X-Ratelimit-Remaining-Requests", "499").
		With("X-Ratelimit-Reset-Requests", "120ms").
		With("X-Ratelimit-Limit-Tokens", "30000").With("X-Ratelimit-Remaining-Tokens", "0").
		With("X-Ratelimit-Reset-Tokens", reset)
}

// OpenAIQuota is 429 too, but waiting does not help: the account has no credit left.
func OpenAIQuota() Reply {
	return OpenAIError(http.StatusTooManyRequests, "insufficient_quota", "insufficient_quota",
		"You exceeded your current quota, please check your plan and billing details. "+
			"For more information on this error, read the docs: "+
			"https://platform.openai.com/docs/guides/error-codes/api-errors.")
}

// OpenAIHardLimit is 400: what the account may spend in a month is spent.
func OpenAIHardLimit() Reply {
	return OpenAIError(http.StatusBadRequest, "invalid_request_error", "billing_hard_limit_reached",
		"Billing hard limit has been reached")
}

// OpenAISpendLimit is 429: what the project allowed itself to spend is spent.
func OpenAISpendLimit() Reply {
	return OpenAIError(http.StatusTooManyRequests, "insufficient_quota", "project_spend_limit_exceeded",
		"Your project has reached its spend limit.")
}

// OpenAIAuth is 401: the key is wrong. The service repeats some of it.
func OpenAIAuth() Reply {
	return OpenAIError(http.StatusUnauthorized, "invalid_request_error", "invalid_api_key",
		"Incorrect API key provided: sk-proj-********************AbCd. You can find your API key at "+
			"https://platform.openai.com/account/api-keys.")
}

// OpenAIForbidden is 403: the service is not offered where the request comes from.
func OpenAIForbidden() Reply {
	return OpenAIError(http.StatusForbidden, "request_forbidden", "unsupported_country_region_territory",
		"Country, region, or territory not supported")
}

// OpenAINotFound is 404: there is no such model, or the key may not use it.
func OpenAINotFound() Reply {
	return OpenAIError(http.StatusNotFound, "invalid_request_error", "model_not_found",
		"The model `gpt-9` does not exist or you do not have access to it.")
}

// OpenAITooLarge is 413: the request has too many bytes.
func OpenAITooLarge() Reply {
	return OpenAIError(http.StatusRequestEntityTooLarge, "invalid_request_error", "",
		"Maximum content size limit (26214400) exceeded (26214508 bytes read)")
}

// OpenAIContextLength is 400: the conversation has too many tokens.
func OpenAIContextLength() Reply {
	return Reply{Status: http.StatusBadRequest, Body: openAIError(
		"invalid_request_error", "context_length_exceeded", "messages",
		"This model's maximum context length is 128000 tokens. However, your messages resulted in 130271 tokens. "+
			"Please reduce the length of the messages.")}.
		With("X-Request-Id", openAIRequestID)
}

// OpenAIServerError is 500.
func OpenAIServerError() Reply {
	return OpenAIError(http.StatusInternalServerError, "server_error", "",
		"The server had an error while processing your request. Sorry about that!")
}

// OpenAIOverloaded is 503: the service has too much to do for everybody.
func OpenAIOverloaded() Reply {
	return OpenAIError(http.StatusServiceUnavailable, "service_unavailable_error", "server_is_overloaded",
		"Our servers are currently overloaded. Please try again later.")
}
