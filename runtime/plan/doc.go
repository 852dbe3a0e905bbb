// Package plan
package plan
