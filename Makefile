# What can be done here; `make help` lists it. Only Go, git, a C compiler (for the race detector) and make are
# needed: every other tool is fetched by the go command, at the version that stands here.
SHELL := bash

GO          ?= go
STATICCHECK := honnef.co/go/tools/cmd/staticcheck@v0.8.2
GREMLINS    := github.com/go-gremlins/gremlins/cmd/gremlins@v0.6.0

# The module of errgen itself, the modules nested in it, and the modules that use it; CONSUMERS are those with a taxonomy of
# their own. go.work lists them all.
CONSUMERS := examples/quickstart examples/duyetbot examples/specrunner examples/orchestrator
NESTED    := runtime/providers runtime/state runtime/report/export
MODULES   := . $(NESTED) internal/scenarios $(CONSUMERS) examples/aidf
# Benchmarks against other libraries, and the tests in a browser, apart so that what they need never becomes a requirement of
# errgen. Without Chromium the browser's tests are skipped, unless ERRGEN_BROWSER=required.
BENCH     := bench
BROWSER   := browser
# Systems for which the types of everything must be right, and the packages that are most different on Windows, which are vetted for it.
SYSTEMS   := windows darwin
WINDOWS   := ./internal/output ./runtime/escalate/verify ./runtime/executor/... ./runtime/internal/durable ./runtime/proc ./runtime/workspace
# The packages that errgen generates in this module, and the taxonomy of the second one.
GENERATED := gen/errs
FIXTURE   := runtime/taxonomy/internal/sample

# SQLite is C that was made Go by a program. What it works on lies outside of the Go heap, where the race detector does not look, and
# checks of its pointers took most of the time of every test that keeps a state. All else has the race detector.
RACE      := -race -gcflags=modernc.org/...=-d=checkptr=0 -gcflags='modernc.org/sqlite/lib=-d=checkptr=0 -race=false'
# A program with the race detector waits for a second before it ends unless it is told not to, and tests start hundreds.
export GORACE ?= atexit_sleep_ms=0

TESTFLAGS ?=
FUZZTIME  ?= 10s
BENCHTIME ?= 1s
# How many mutants to try; all of them take hours.
SAMPLE    ?= 300

.PHONY: help
help: ## list what can be made
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/\1\t\2/p' Makefile | expand -t 12

.PHONY: run
run: ## make gen/errs of taxonomy.yaml and run the programs that use it
	$(GO) run ./cmd/errgen generate -v -o $(GENERATED) taxonomy.yaml
	$(GO) run ./examples/errs
	cd examples/aidf && $(GO) run . -story

# Go test vets nothing, as lint has vetted all of it.
.PHONY: test
test: lint check build ## everything that must hold: lint, check, all tests of all modules with the race detector
	$(GO) run ./tools/testsum -o build/test-summary.txt $(addprefix -C ,$(MODULES) $(BROWSER)) -- -vet=off -timeout=30m $(RACE) $(TESTFLAGS) ./...

.PHONY: build
build: export GOWORK := off
build: | build/ ## compile and vet each module without the workspace
	@for module in $(MODULES) $(BENCH) $(BROWSER); do \
		(cd $$module && $(GO) build -o /dev/null ./... && $(GO) vet ./...) || exit 1; \
	done

.PHONY: tidy
tidy: ## tidy the go.mod of each module
	@for module in $(MODULES) $(BENCH) $(BROWSER); do (cd $$module && $(GO) mod tidy) || exit 1; done

.PHONY: generate
generate: ## generate every package that is committed
	$(GO) run ./cmd/errgen generate -o $(GENERATED) taxonomy.yaml
	$(GO) run ./cmd/errgen generate -o $(FIXTURE) $(FIXTURE)/taxonomy.yaml
	@for module in $(CONSUMERS); do (cd $$module && $(GO) generate ./...) || exit 1; done
	$(GO) test ./examples/errs -run ReactionTables -update

.PHONY: check
check: ## say what generate would change, and change nothing
	$(GO) run ./cmd/errgen check -strict -o $(GENERATED) taxonomy.yaml
	$(GO) run ./cmd/errgen check -strict -o $(FIXTURE) $(FIXTURE)/taxonomy.yaml
	@for module in $(CONSUMERS); do (cd $$module && $(GO) tool errgen check -strict -o errs taxonomy.yaml) || exit 1; done

.PHONY: lint
lint: ## gofmt, go vet and staticcheck in every module; the types of all as they are on systems that nothing is run on here
	@unformatted=$$(gofmt -l .) || exit 1; \
	if [[ -n $$unformatted ]]; then echo "not formatted: $$unformatted"; exit 1; fi
	@for module in $(MODULES) $(BENCH) $(BROWSER); do \
		echo "go vet and staticcheck in $$module"; \
		(cd $$module && $(GO) vet ./... && $(GO) run $(STATICCHECK) ./...) || exit 1; \
	done
	@for system in $(SYSTEMS); do \
		echo "types for $$system"; \
		$(GO) run ./tools/typecheck -os $$system $(addprefix -C ,$(MODULES)) || exit 1; \
	done
	CGO_ENABLED=0 GOOS=windows $(GO) vet $(WINDOWS)

.PHONY: bench
bench: ## run the benchmarks
	@for module in $(MODULES) $(BENCH); do \
		(cd $$module && $(GO) test -run '^$$' -bench . -benchmem -benchtime $(BENCHTIME) ./...) || exit 1; \
	done

.PHONY: fuzz
fuzz: ## run each fuzz target for FUZZTIME
	@for module in $(MODULES); do \
		cd $(CURDIR)/$$module || exit 1; \
		packages=$$($(GO) list ./...) || exit 1; \
		for package in $$packages; do \
			targets=$$($(GO) test -list '^Fuzz' $$package) || exit 1; \
			for target in $$(grep '^Fuzz' <<<"$$targets"); do \
				echo "$$package $$target"; \
				$(GO) test -run '^$$' -fuzz "^$$target\$$" -fuzztime $(FUZZTIME) $$package || exit 1; \
			done; \
		done; \
	done

.PHONY: cover
cover: | build/ ## say how much of the code the tests run
	$(GO) test -coverpkg=github.com/errgen/errgen/... -coverprofile=build/cover.out ./... $(NESTED:%=./%/...) ./internal/scenarios/...
	$(GO) tool cover -func=build/cover.out | tail -n 1
	$(GO) tool cover -html=build/cover.out -o build/cover.html

.PHONY: mutation
mutation: ## say how many of the faults that are put into gen/errs its generated tests find
	$(GO) run ./tools/mutate -min 95 -sample $(SAMPLE) $(GENERATED)
	$(GO) run $(GREMLINS) unleash --workers 2 --timeout-coefficient 20 ./$(GENERATED)

build/:
	@mkdir -p build
