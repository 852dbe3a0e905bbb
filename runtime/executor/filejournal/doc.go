// Package filejournal keeps the journals of runs in a directory, a file for each run.
//
// An entry is a line of JSON with its number, its length and a checksum, so that people can read a
// journal with the usual tools, and so that a line which a crash cut short is known for what it is
// and is dropped. [Journal.Append] returns when the line is on the disk. A run is locked as long as
// a process has it open; the lock ends with the process, so that the run of a dead one is taken
// over at once.
//
// The directory and its files are readable by their owner only. On Windows the names of new files
// are not synced, since that cannot be done there.
package filejournal
