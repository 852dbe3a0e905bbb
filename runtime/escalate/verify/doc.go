// Package verify finds out on this machine whether what a plan takes for granted is there, and
// whether what it demands is so.
//
// Paths are looked at through an [os.Root]: neither a ".." nor a symbolic link leads out of the
// tree. Only regular files are read, so that no pipe and no device keeps a verification waiting,
// and no more of them than [Options.MaxRead], but for counting lines, which reads piece by piece.
// Commands are programs with arguments, without a shell, and have the environment that proc.SafeEnv
// lists. What a verification says has secrets masked and is bounded.
//
// What is wrong becomes evidence: see [Verifier.Prerequisites], [Verifier.Gate] and
// [Verifier.Criteria].
package verify
