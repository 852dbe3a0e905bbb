package workspace

import "time"

// SetBeforeStep sets the function that is called before every step.
func SetBeforeStep(f func(string)) { beforeStep = f }

// SetLockPatience sets how long git may hold a lock.
func SetLockPatience(d time.Duration) { lockPatience = d }
