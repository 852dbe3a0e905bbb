package gittree

// SetBeforeStep makes f called before every git command and every change of a file.
func SetBeforeStep(f func(string)) { beforeStep = f }
