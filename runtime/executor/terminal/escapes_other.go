//go:build !windows

package terminal

import "os"

// understandsEscapes reports whether the terminal can be told to erase a line.
func understandsEscapes(*os.File) bool { return true }
