package workspace

// SetBeforeStep sets the function that is called before every step.
func SetBeforeStep(f func(string)) { beforeStep = f }
