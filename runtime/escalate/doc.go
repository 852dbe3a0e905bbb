// Package escalate carries out a plan through a ladder of tiers. The lowest tier carries out a step; what fails is classified by the
// taxonomy, and its reaction decides: again, a higher tier that finds out what is wrong and mends it, or a person. Nothing counts before
// what the plan demands was verified, and what does not count is put back.
//
// It names no code and no category. What a tier is asked for, in which order, how often and by whom is data of the taxonomy: tiers,
// reactions, policies and profiles.
package escalate
