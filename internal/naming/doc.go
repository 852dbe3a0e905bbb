// Package naming turns the names of a taxonomy into Go identifiers. Names come in every common
// spelling (snake_case, kebab-case, dotted, camelCase, UPPER_SNAKE) and leave as what a Go
// programmer would have written: PROVIDER_API_ERROR becomes ProviderAPIError, user_ids becomes
// UserIDs.
package naming
