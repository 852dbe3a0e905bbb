package notify

import "github.com/errgen/errgen/runtime/proc"

// DesktopCommand returns what is run on a system.
func DesktopCommand(system string, m Message) proc.Command { return desktop{system}.command(m) }
