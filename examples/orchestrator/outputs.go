package main

import (
	"fmt"
	"os"
	"path/filepath"
)

// checkOutputs refuses to write a file over one that is read, or over another that is written.
func (o *options) checkOutputs(read []string) error {
	for _, out := range []struct{ flag, name string }{{"-diagram", o.diagram}, {"-corrected", o.corrected}} {
		if out.name == "" || out.name == "-" {
			continue
		}
		for _, in := range read {
			if sameFile(out.name, in) {
				return fmt.Errorf("%s %s is the file %s, which is read: name another", out.flag, out.name, in)
			}
		}
	}
	if o.diagram != "" && o.diagram != "-" && o.corrected != "" && sameFile(o.diagram, o.corrected) {
		return fmt.Errorf("-diagram and -corrected are one file, %s: name two", o.corrected)
	}
	return nil
}

// sameFile reports that two names are of one file, or will be.
func sameFile(a, b string) bool {
	one, err := os.Stat(a)
	other, failed := os.Stat(b)
	if err == nil && failed == nil {
		return os.SameFile(one, other)
	}
	return place(a) == place(b)
}

// place returns where a file is that need not be there.
func place(name string) string {
	abs, err := filepath.Abs(name)
	if err != nil {
		return filepath.Clean(name)
	}
	return filepath.Join(resolved(filepath.Dir(abs)), filepath.Base(abs))
}
