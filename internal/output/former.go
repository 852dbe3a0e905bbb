package output

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// formerPackage says that a file was made from this taxonomy when its package had another name.
type formerPackage struct {
	name, path, was, is string
}

func (f *formerPackage) Error() string {
	return fmt.Sprintf(
		"%s: is of package %s, not %s: remove the files of the former package, or choose another directory", f.path,
		f.was, f.is)
}

// maxNamed bounds how many files a message names.
const maxNamed = 10

// joined joins what stands in the way. That several files are of one former package is said once.
func (t Target) joined(refused []error) error {
	var former []*formerPackage
	rest := slices.DeleteFunc(slices.Clone(refused), func(err error) bool {
		f, ok := errors.AsType[*formerPackage](err)
		if ok {
			former = append(former, f)
		}
		return ok
	})
	slices.SortFunc(former, func(a, b *formerPackage) int {
		return cmp.Or(strings.Compare(a.was, b.was), strings.Compare(a.name, b.name))
	})
	for len(former) > 0 {
		n := 1
		for n < len(former) && former[n].was == former[0].was {
			n++
		}
		rest = append(rest, t.renamed(former[:n]))
		former = former[n:]
	}
	return errors.Join(rest...)
}

// renamed says of which package files are.
func (t Target) renamed(files []*formerPackage) error {
	if len(files) == 1 {
		return files[0]
	}
	var names []string
	for _, f := range files[:min(len(files), maxNamed)] {
		names = append(names, f.name)
	}
	list := strings.Join(names, ", ")
	if more := len(files) - len(names); more > 0 {
		list += fmt.Sprintf(" and %d more", more)
	}
	return fmt.Errorf(
		"%s: holds %d files of package %s that errgen made, not of %s: remove %s, or choose another directory",
		t.Show, len(files), files[0].was, files[0].is, list)
}
