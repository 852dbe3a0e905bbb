package filejournal

import "time"

// Impatient waits for no lock.
func Impatient(j *Journal) { j.patience = 0 }

// Patient waits for a lock of the dead as long as it takes.
func Patient(j *Journal) { j.patience = time.Hour }
