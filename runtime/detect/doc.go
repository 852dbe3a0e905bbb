// Package detect makes evidence of what failed, and finds the rule of a taxonomy that the evidence
// meets.
//
// [Of] turns any Go error, HTTP response, process exit or text into a [taxonomy.Evidence].
// Generated packages hold their taxonomy's detect rules as [Rules]; their Classify and Explain
// functions are the way to use them.
//
// Everything here is safe for concurrent use unless it says otherwise. Only the standard library is
// needed.
package detect
