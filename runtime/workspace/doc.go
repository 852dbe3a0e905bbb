// Package workspace keeps the working tree of a run under control with git. [Git] is an
// [executor.Workspace]: it detects, saves, reverts and commits changes. The packages scope, validate
// and taskfile have the other parts that work on the tree.
package workspace
