//go:build !windows

package terminal

import "os"

// understandsEscapes reports whether the terminal supports escape sequences.
func understandsEscapes(*os.File) bool { return true }
