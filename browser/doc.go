// Package browser tests the page of runtime/report/htmlreport and the catalogue of
// internal/catalogue in Chromium: that they work by keyboard, are readable in both themes and on a
// narrow screen, load nothing from elsewhere, and show hostile texts as texts. It is a module of
// its own, so that the driver of the browser never reaches the go.mod of errgen or of its users.
//
//	go test ./...                        skips where there is no Chromium
//	ERRGEN_BROWSER=required go test ./...   fails there instead
//	go test -run Pictures -update        makes docs/images anew
//
// ERRGEN_CHROMIUM names the program when it is not on the path under one of its usual names.
package browser
