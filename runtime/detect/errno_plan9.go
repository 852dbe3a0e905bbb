package detect

// errnoName finds nothing: the errors of Plan 9 are texts.
func errnoName(error) (name string, ok bool) { return "", false }
