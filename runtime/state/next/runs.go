package state

var hotQueries = []string{putTask, putAttempt}
