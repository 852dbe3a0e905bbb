// Package toolbox is the tools that a model over an API gets: it reads, writes, edits, lists,
// searches and deletes files of one directory, runs the commands that a policy allows, and says
// that its task is done or blocked.
//
// A [Toolbox] is made by [New] for one call of a provider. [Toolbox.Tools] describes the tools to
// the model, and [Toolbox.Call] carries out what the model asks for. What fails in the ordinary
// course, such as a file that does not exist or a command that exits with 1, goes back to the model
// as a [Result]. What a safeguard refuses is an error and ends the call of the provider.
//
// Files are reached through an [os.Root]: neither a ".." nor a symbolic link leads out of the
// directory, and what git keeps in it can neither be read nor changed. Commands are different: a
// policy says which ones begin, and nothing watches what they do. A policy is no sandbox; a test
// runner runs what the model wrote.
package toolbox
