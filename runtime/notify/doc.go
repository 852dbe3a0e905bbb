// Package notify tells people how a run went.
//
// A [Notifier] sends a [Message] through its routes, all at once: a [Route] is a [Channel] and what
// it is told about. [NewLog], [NewWebhook] and [NewDesktop] make channels; others are easily
// written. No channel can stop another one, and none of them can change how a run went.
package notify
