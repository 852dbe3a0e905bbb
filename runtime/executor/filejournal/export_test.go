package filejournal

// Impatient waits for no lock.
func Impatient(j *Journal) { j.patience = 0 }
