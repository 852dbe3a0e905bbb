module specrunner.example.com/runner

go 1.26.0

tool github.com/errgen/errgen/cmd/errgen

require (
	github.com/errgen/errgen v0.0.0
	github.com/errgen/errgen/runtime/executor/state v0.0.0
	github.com/errgen/errgen/runtime/providers v0.0.0
	github.com/stretchr/testify v1.12.1
	go.uber.org/goleak v1.3.0
)

require (
	github.com/BurntSushi/toml v1.6.0 // indirect
	github.com/dave/jennifer v1.7.1 // indirect
	github.com/dustin/go-humanize v1.0.1 // indirect
	github.com/gofrs/flock v0.13.1 // indirect
	github.com/google/uuid v1.6.0 // indirect
	github.com/mattn/go-isatty v0.0.24 // indirect
	github.com/ncruces/go-strftime v1.0.0 // indirect
	github.com/remyoudompheng/bigfft v0.0.0-20230129092748-24d4a6f8daec // indirect
	github.com/rogpeppe/go-internal v1.16.0 // indirect
	go.yaml.in/yaml/v3 v3.0.5 // indirect
	golang.org/x/sys v0.49.0 // indirect
	golang.org/x/term v0.47.0 // indirect
	golang.org/x/text v0.42.0 // indirect
	gopkg.in/yaml.v3 v3.0.1 // indirect
	modernc.org/libc v1.77.1 // indirect
	modernc.org/mathutil v1.7.1 // indirect
	modernc.org/memory v1.12.1 // indirect
	modernc.org/sqlite v1.60.1 // indirect
)

// Only because this module lives in errgen's repository. In one of your own there are no such lines, and
// go get -tool github.com/errgen/errgen/cmd/errgen@latest writes the rest.
replace (
	github.com/errgen/errgen => ../..
	github.com/errgen/errgen/runtime/executor/state => ../../runtime/executor/state
	github.com/errgen/errgen/runtime/providers => ../../runtime/providers
)
