# `make help` lists the targets. They need Go, git, make and a C compiler (for the race detector). The
# go command fetches every other tool at the version below.
SHELL := bash

GO          ?= go
STATICCHECK := honnef.co/go/tools/cmd/staticcheck@v0.8.2
ACTIONLINT  := github.com/rhysd/actionlint/cmd/actionlint@v1.7.12
APIDIFF     := golang.org/x/exp/cmd/apidiff@v0.0.0-20261014143641-f0251eb4aa3e
CYCLONEDX   := github.com/CycloneDX/cyclonedx-gomod/cmd/cyclonedx-gomod@v1.10.0
GO_LICENSES := github.com/google/go-licenses@v0.0.0-20210329231322-ce1d9163b77d
GOVULNCHECK := golang.org/x/vuln/cmd/govulncheck@v1.9.0
TEMPORAL    := github.com/temporalio/cli/cmd/temporal@v1.5.1
NODE_TOOLS  := typescript@5.9.3 @seriousme/openapi-schema-validator@2.11.0 yaml-language-server@1.25.0
GREMLINS    := github.com/go-gremlins/gremlins/cmd/gremlins@v0.6.0
export GOTESTSUM := gotest.tools/gotestsum@v1.13.0

# The module of errgen itself, the modules nested in it, and the modules that use it. CONSUMERS are
# those with a taxonomy of their own. go.work lists them all.
CONSUMERS := examples/quickstart examples/shop examples/duyetbot examples/specrunner examples/orchestrator
NESTED    := runtime/providers runtime/executor/state runtime/report/export runtime/rpc runtime/executor/temporal \
	runtime/queue/riverqueue runtime/queue/natsqueue runtime/dberr/pgxerr runtime/mcperr vet
USERS     := internal/scenarios $(CONSUMERS) examples/aidf examples/temporal
MODULES   := . $(NESTED) $(USERS)
PACKAGES  := ./... $(patsubst %,./%/...,$(filter-out .,$(MODULES)))
# The modules whose dependencies errgen must not require: benchmarks against other libraries, and
# tests in a browser. Without Chromium these tests are skipped, unless ERRGEN_BROWSER=required.
BENCH     := bench
BROWSER   := browser
# The systems that lint checks in addition to this one, and the packages that differ between systems.
SYSTEMS   := windows darwin
PORTABLE  := ./cmd/errgen ./internal/output ./runtime/detect ./runtime/executor/... ./runtime/internal/atomicfile
# The packages that errgen generates in this module. The taxonomies of FIXTURES are beside them.
GENERATED := gen/errs
FIXTURES  := runtime/taxonomy/internal/sample runtime/internal/orders runtime/internal/booking vet/internal/infer/testdata/errs

# `make test` runs the tests of these packages, where goroutines meet, and of the nested modules
# with the race detector; `make soak` runs all tests with it.
RACED     := runtime/(executor(/(file|internal|proc|recovery|terminal).*)?$$|retry)
# The race detector does not see SQLite's memory, which is outside the Go heap, and checking its
# pointers took most of the time of every test with a state. So SQLite is built without both.
RACE      := -race -gcflags=modernc.org/...=-d=checkptr=0 -gcflags='modernc.org/sqlite/lib=-d=checkptr=0 -race=false'
# By default, a program with the race detector sleeps for a second when it exits.
export GORACE ?= atexit_sleep_ms=0

TESTFLAGS ?=
FUZZTIME  ?= 10s
BENCHTIME ?= 1s

.PHONY: help
help: ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/\1\t\2/p' Makefile | expand -t 12

.PHONY: run
run: ## generate gen/errs from taxonomy.yaml and run the programs that use it
	$(GO) run ./cmd/errgen generate -v -o $(GENERATED) taxonomy.yaml
	$(GO) run ./examples/errs
	cd examples/aidf && $(GO) run . -story

# The flags of all tests. Go test does not vet, because lint does. With -short, tests of many cases
# run a sample of them.
.PHONY: test
test: export TESTS = . vet $(USERS) $(BROWSER)
test: export ALONE = $(filter-out vet,$(NESTED))
test: lint errgenvet check ## lint, check, and run the tests of all modules, the long ones in short form
	GO=$(GO) .ci/test '$(RACED)' -short -vet=off -timeout=10m $(TESTFLAGS) -- $(RACE)

.PHONY: soak
soak: export TESTS = . vet $(USERS) $(BROWSER)
soak: export ALONE = $(filter-out vet,$(NESTED))
soak: lint check ## run all tests at full length with the race detector, then fuzz and mutate; takes an hour
	GO=$(GO) .ci/test . -vet=off -timeout=60m $(TESTFLAGS) -- $(RACE)
	$(MAKE) fuzz mutation

.PHONY: temporal
temporal: build/temporal ## build the Temporal CLI for the tests and the example on a real server; takes minutes, once

build/temporal: | build/
	GOBIN=$(CURDIR)/build $(GO) install $(TEMPORAL)

.PHONY: node
node: build/node/node_modules/yaml-language-server ## install TypeScript, a validator of OpenAPI and a language server for tests

build/node/node_modules/yaml-language-server: | build/
	npm install --prefix build/node --no-save --no-package-lock --no-audit --no-fund $(NODE_TOOLS)

.PHONY: build
build: ## compile everything
	$(GO) build -o /dev/null $(PACKAGES)

.PHONY: tidy
tidy: ## tidy the go.mod of each module
	@for module in $(MODULES) $(BENCH) $(BROWSER); do (cd $$module && $(GO) mod tidy) || exit 1; done

.PHONY: generate
generate: ## generate every package that is committed
	$(GO) run ./cmd/errgen generate -o $(GENERATED) taxonomy.yaml
	@for fixture in $(FIXTURES); do $(GO) run ./cmd/errgen generate -o $$fixture $$fixture/taxonomy.yaml || exit 1; done
	@for module in $(CONSUMERS); do (cd $$module && $(GO) generate ./...) || exit 1; done
	$(GO) test ./internal/compat -update

.PHONY: check
check: ## report what generate would change, and change nothing
	$(GO) run ./cmd/errgen check -strict -o $(GENERATED) taxonomy.yaml
	@for fixture in $(FIXTURES); do \
		$(GO) run ./cmd/errgen check -strict -o $$fixture $$fixture/taxonomy.yaml || exit 1; \
	done
	@for module in $(CONSUMERS); do (cd $$module && $(GO) tool errgen check -strict -o errs taxonomy.yaml) || exit 1; done
	@cd examples/shop && $(GO) tool errgen check -strict -audience public -o client/errs

.PHONY: lint
lint: ## check the format, vet each module, run staticcheck and actionlint, vet for other systems
	@unformatted=$$(gofmt -l .) || exit 1; \
	if [[ -n $$unformatted ]]; then echo "not formatted: $$unformatted"; exit 1; fi
	@git ls-files -co --exclude-standard '*.go' ':!*/testdata/*' | LC_ALL=C xargs awk -f .ci/longlines.awk
	@for module in $(MODULES) $(BENCH) $(BROWSER); do \
		echo "go vet $$module"; \
		(cd $$module && GOWORK=off $(GO) vet ./...) || exit 1; \
	done
	$(GO) run $(STATICCHECK) $(PACKAGES) ./$(BENCH)/... ./$(BROWSER)/...
	@$(MAKE) -s actionlint apidiff
	@for system in $(SYSTEMS); do \
		echo "go vet for $$system"; \
		CGO_ENABLED=0 GOOS=$$system $(GO) vet $(PORTABLE) || exit 1; \
	done

.PHONY: errgenvet
errgenvet: ## check the errors of the runtime and the examples with errgenvet
	$(GO) build -o build/errgenvet ./vet/cmd/errgenvet
	build/errgenvet ./runtime/... ./gen/... ./examples/errs
	@for module in $(filter examples/%,$(USERS)); do \
		echo "build/errgenvet -C $$module"; build/errgenvet -C $$module || exit 1; \
	done

.PHONY: bench
bench: ## run the benchmarks
	@for module in $(MODULES) $(BENCH); do \
		(cd $$module && $(GO) test -run '^$$' -bench . -benchmem -benchtime $(BENCHTIME) ./...) || exit 1; \
	done

# Go 1.26 may report the end of a fuzz run as a failure (go.dev/issue/75804). An input that fails is
# saved, so a run of the saved inputs has the verdict.
.PHONY: fuzz
fuzz: ## run each fuzz target for FUZZTIME
	@for module in $(MODULES); do \
		cd $(CURDIR)/$$module || exit 1; \
		packages=$$($(GO) list ./...) || exit 1; \
		for package in $$packages; do \
			targets=$$($(GO) test -list '^Fuzz' $$package) || exit 1; \
			for target in $$(grep '^Fuzz' <<<"$$targets"); do \
				echo "$$package $$target"; \
				$(GO) test -run '^$$' -fuzz "^$$target\$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 1s $$package || \
					$(GO) test -run "^$$target\$$" $$package || exit 1; \
			done; \
		done; \
	done

.PHONY: cover
cover: | build/ ## report the coverage of the tests
	$(GO) test -coverpkg=github.com/errgen/errgen/... -coverprofile=build/cover.out ./... $(NESTED:%=./%/...) ./internal/scenarios/...
	$(GO) tool cover -func=build/cover.out | tail -n 1
	$(GO) tool cover -html=build/cover.out -o build/cover.html

.PHONY: mutation
mutation: ## check that the generated tests of gen/errs kill at least 95 % of its mutants
	$(GO) run $(GREMLINS) unleash ./$(GENERATED)

.PHONY: release
release: ## try the release VERSION=v0.1.0 of all modules; WRITE=1 makes its commits and tags
	$(GO) run ./internal/release $(if $(WRITE),-write) $(VERSION)

.PHONY: apidiff
apidiff: ## compare the Go API of each module with the last tag, if there is one
	$(GO) run ./internal/release -api $(APIDIFF)

.PHONY: sbom
sbom: | build/ ## write a bill of materials in CycloneDX for each command, build/*.cdx.json
	$(GO) run $(CYCLONEDX) app -json -licenses -main cmd/errgen -output build/errgen.cdx.json .
	$(GO) run $(CYCLONEDX) app -json -licenses -main cmd/errgenvet -output build/errgenvet.cdx.json vet

.PHONY: licenses
licenses: ## list the licences of the modules that each command links
	$(GO) run $(GO_LICENSES) csv ./cmd/errgen
	cd vet && $(GO) run $(GO_LICENSES) csv ./cmd/errgenvet

.PHONY: vulncheck
vulncheck: ## search for known vulnerabilities of dependencies in the database of VULNDB
	@for module in $(MODULES); do \
		(cd $$module && GOWORK=off $(GO) run $(GOVULNCHECK) $(if $(VULNDB),-db $(VULNDB)) ./...) || { \
			echo "vulncheck: $$module has findings, or there is no database: vuln.go.dev, or a copy, VULNDB=file:///path" >&2; \
			exit 1; \
		}; \
	done

.PHONY: actionlint
actionlint: ## check the workflows of GitHub, or those of ACTIONS
	$(GO) run $(ACTIONLINT) $(ACTIONS)

build/:
	@mkdir -p build
