// Package workspace is what the executor works on and with, on this machine: the working tree under
// git, the guard of its scope, the commands that validate it, the file of the task, and the person
// at the terminal.
//
//   - [Git] is an [executor.Workspace]: it finds, saves, puts back and commits changes.
//   - [Scope] is an [executor.Guard]: it judges paths by patterns.
//   - [Validator] is an [executor.Validator]: it runs commands.
//   - [ReadTask] reads a task and its scope from a Markdown file; [Filer], an [executor.Filer],
//     moves that file when the task has ended.
//   - [Asker] is an [executor.Asker]: it asks at a terminal.
package workspace
