FLAVOUR ?= openmpi
BIN ?= bin
PREFIX ?= /usr/local
FLAVOURS ?= openmpi mpich
FUZZTIME ?= 5000x
BLOCKS_DIR ?= $(or $(TMPDIR),/tmp)
BENCH ?= loops serial parallel views fio ior mdtest iorhdf5 h5bench iotest start job documents memory pure
VERSION := $(shell .ci/version)
LINTER := .cache/golangci-lint-v2.15.0
# looks for what people who see badly cannot read
AXE := .cache/axe-core-4.10.3
AXE_SHA256 := 0f2b4d7dcdf7d1219df8d1959ad68e565f51d14c3f0d88bb71cd59abeb956292
DASHBOARD_LINTER := .cache/dashboard-linter-v0.2.0
NFPM := .cache/nfpm-v2.45.2
PACKAGES ?= .cache/packages
VULNCHECK := v1.8.0
MPIEXEC ?= $(shell command -v mpiexec.$(FLAVOUR) || command -v mpiexec)

# Open MPI refuses root, and more ranks than cores (a wish its releases 4 and 5 know by two names), unless told; on one host
# it needs no TCP, and warns of interfaces it cannot pair. A second of its start and end goes to libfabric, which it asks
# for networks before it takes the memory of the host all the same.
export OMPI_ALLOW_RUN_AS_ROOT := 1
export OMPI_ALLOW_RUN_AS_ROOT_CONFIRM := 1
export OMPI_MCA_rmaps_base_oversubscribe := 1
export OMPI_MCA_btl := ^tcp,ofi
export OMPI_MCA_pml := ob1
export PRTE_MCA_rmaps_default_mapping_policy := :oversubscribe

# $(call go,FLAVOUR,COMMAND): the go command with the flavour's C flags and tags.
go = env=$$(.ci/cgo-env $(1)) && eval "$$env" && go $(2) $(if $(filter serial,$(1)),-tags=nompi)

# The packages that need no C at all, or can do without.
pure = $$(CGO_ENABLED=1 go list ./... | grep -Ev '/(engine/.*|mpi|h5|process|test/(faultfs(/.*)?|enginetest(/.*)?|kerneltest|h5test|mpitest|null))$$')

# The packages whose tests depend on the flavour, and those in which goroutines meet. Those of the whole program meet in the
# simulated jobs of pkg/run too; with real processes they are watched at night.
engines = ./pkg/engine/... ./pkg/h5 ./pkg/mpi ./pkg/process ./pkg/test/enginetest/... ./pkg/test/mpitest ./pkg/test/null
native = ./pkg/test/faultfs/... ./cmd/h5perf ./pkg/bench $(engines)
concurrent = ./pkg/test/faultfs/... $(if $(NIGHTLY),./cmd/h5perf) ./pkg/bench ./pkg/mpi ./pkg/test/mpitest \
	./pkg/history ./pkg/metrics ./pkg/doctor ./pkg/node ./pkg/run ./pkg/rundir ./pkg/watch

# One package at a time: ranks of several jobs would fight for the cores. Within one, tests that wait for launchers, time-outs
# and servers wait side by side.
side_by_side = -p 1 -parallel 4 -timeout 30m

# What is left out with BRIEF=1, on the second MPI but at night, and under the race detector: runs of many patterns, drivers and
# faults, in which the same goroutines meet as in those of one of each, and which do not depend on the MPI.
repetitive = TestEveryPattern|TestFaultsOfRequests|TestADiskWithoutInodes|TestAFullDiskIs|TestAFullDiskFails|TestAShortWrite|TestTheSerialToolMeasuresEveryDriver|TestForeignFiles|TestFilesOfProfiles|TestTheLikeOfAFile|TestWorkloadsDoTheSame|TestLayoutsAre|TestAPercentSign|TestDataAreDurable

sifs = .cache/images/h5perf-openmpi.sif .cache/images/h5perf-mpich.sif

.PHONY: help setup build install demo examples about-demo test test-setup test-pure test-build \
	test-scale test-serial test-openmpi test-mpich test-pages test-slurm test-install test-readme test-ansible screenshots race licences vuln lint fmt dashboards dashboards-render fuzz base-images images lock sif test-images test-sif deb rpm test-packages test-tools truth same bench test-bench test-blocks test-scripts prove nightly clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z].*## / { printf "%-14s %s\n", $$1, $$2 }' Makefile

setup: ## install the system packages that FLAVOUR needs
	.ci/setup $(FLAVOUR)

# Go must not interrupt its threads by signals: they disturb calls to a file system, of FUSE above all. It would also record the
# commit of a repository around an unpacked archive. Symbols and data for debuggers (-s -w) are a quarter of the file that each
# node loads; traces of Go have function names and lines without them.
build: ## build bin/h5perf and bin/h5perf_serial for FLAVOUR=openmpi|mpich|serial|none (into BIN)
	$(call go,$(FLAVOUR),build) $(if $(wildcard .git),,-buildvcs=false) \
		-ldflags '-s -w -X runtime.godebugDefault=asyncpreemptoff=1 -X h5perf/pkg/node.version=$(VERSION) -X h5perf/pkg/node.flavour=$(FLAVOUR)' \
		-o $(BIN)/h5perf ./cmd/h5perf
	ln -sf h5perf $(BIN)/h5perf_serial

install: build ## build for FLAVOUR and install below PREFIX, in DESTDIR: program, manual pages, completions, module file, licences, batch scripts for Slurm, tests for ReFrame
	install -D -m 755 $(BIN)/h5perf $(DESTDIR)$(PREFIX)/bin/h5perf
	ln -sf h5perf $(DESTDIR)$(PREFIX)/bin/h5perf_serial
	$(call go,$(FLAVOUR),run) ./cmd/h5perf/manual $(DESTDIR)$(PREFIX) $(PREFIX) $$(date -u -d "@$${SOURCE_DATE_EPOCH:-$$(.ci/version time)}" +%F)
	install -D -m 644 -t $(DESTDIR)$(PREFIX)/share/doc/h5perf LICENSE NOTICE README.md .github/CHANGELOG.md
	install -D -m 644 -t $(DESTDIR)$(PREFIX)/share/doc/h5perf/cmd/h5perf cmd/h5perf/README.md
	.ci/licences $(DESTDIR)$(PREFIX)/share/doc/h5perf/licences
	install -D -m 644 -t $(DESTDIR)$(PREFIX)/share/h5perf/slurm slurm/job.bash slurm/README.md
	install -m 755 -t $(DESTDIR)$(PREFIX)/share/h5perf/slurm slurm/*.sbatch slurm/h5perf-nightly
	install -D -m 644 -t $(DESTDIR)$(PREFIX)/share/h5perf/slurm/reframe slurm/reframe/h5perf.py slurm/reframe/README.md
	ln -sfn ../../bin $(DESTDIR)$(PREFIX)/share/h5perf/bin
	for file in nightly.scrontab systemd/h5perf-nightly.service systemd/h5perf-nightly.timer; do \
		mkdir -p $(DESTDIR)$(PREFIX)/share/h5perf/slurm/systemd && \
		sed 's|/opt/h5perf/slurm|$(PREFIX)/share/h5perf/slurm|g; s|/opt/h5perf/bin|$(PREFIX)/bin|g' slurm/$$file \
			>$(DESTDIR)$(PREFIX)/share/h5perf/slurm/$$file || exit; done

demo: about-demo setup build ## install, build and measure a temporary directory with 2 ranks
	mkdir -p results
	dir=$$(mktemp -d) && trap 'rm -rf "$$dir"' EXIT && \
		HDF5_PARAPREFIX=$$dir $(MPIEXEC) -n 2 $(BIN)/h5perf --report summary --json results/demo.json

examples: build ## make the documents of results/examples anew, with FLAVOUR=openmpi|mpich
	MPIEXEC='$(MPIEXEC)' .ci/examples $(BIN)

about-demo:
	@echo 'demo: installs missing packages and compiles, which takes a minute or so, and then measures for seconds'

test: test-setup test-pure test-build test-serial test-openmpi test-mpich ## install what the tests need and run them on both MPIs

test-setup:
	.ci/setup test

test-pure: ## test the packages without C, without a C compiler
	CGO_ENABLED=0 go test $(pure)

test-scale: ## run whole jobs of up to 128 000 ranks in one process, which takes minutes and 12 GiB; SCALE_MOST=N makes them smaller
	.ci/setup test
	CGO_ENABLED=0 GOGC=40 go test -count=1 -v -tags=scale -timeout 60m -run '^TestRanks|^TestAllRanksFail|^TestOneRankFails' ./pkg/run

test-build: ## build all flavours and check the libraries they load
	.ci/check-build

test-serial test-openmpi test-mpich: test-%: ## test what depends on the flavour
	$(call go,$*,test) $(side_by_side) $(if $(BRIEF)$(filter $(if $(NIGHTLY),,mpich),$*),-skip '$(repetitive)') $(native)

test-pages: $(AXE)/package/axe.min.js ## test in a browser that pages of results fit, that no label covers another, and that people who see badly can read them
	.ci/setup pages
	AXE_CORE=$(abspath $<) CGO_ENABLED=0 go test -tags pages -run 'TestThePageFits' ./pkg/page

$(AXE)/package/axe.min.js:
	.ci/setup pages
	mkdir -p $(AXE)
	cd $(AXE) && npm pack --silent axe-core@$(AXE:.cache/axe-core-%=%) && echo "$(AXE_SHA256)  $(notdir $(AXE)).tgz" | sha256sum -c && tar xzf $(notdir $(AXE)).tgz

test-install: ## test what make install installs, with man, mandoc, shells and environment modules
	.ci/setup install
	CGO_ENABLED=0 go test -count=1 -tags install ./cmd/h5perf/manual

test-readme: ## run the commands of all READMEs, as of the last commit, in a fresh clone
	.ci/setup readme
	CGO_ENABLED=0 go test -count=1 -tags readme -timeout 30m ./pkg/test/readme

screenshots: ## take pictures of the page of DOCUMENT, light and dark, wide and narrow, into .cache/screenshots
	.ci/setup pages
	CGO_ENABLED=0 go test -count=1 -tags pages -run TestScreenshots ./pkg/page -v \
		-args -screenshots=$(CURDIR)/.cache/screenshots $(if $(DOCUMENT),-document=$(abspath $(DOCUMENT)))

race: ## test under the race detector, with the MPI that starts faster
	$(call go,mpich,test) $(side_by_side) -race -skip '$(repetitive)' $(concurrent)

licences: ## check that licences of modules are allowed, and named in NOTICE
	CGO_ENABLED=0 go test -count=1 -run '^TestLicences' ./pkg

vuln: ## look for known vulnerabilities in what the program calls (asks vuln.go.dev, or VULNDB=URL)
	.ci/setup openmpi
	$(call go,openmpi,run) golang.org/x/vuln/cmd/govulncheck@$(VULNCHECK) $(if $(VULNDB),-db $(VULNDB)) ./...

lint: $(LINTER)/golangci-lint licences ## run the linters
	.ci/setup lint
	env=$$(.ci/cgo-env openmpi) && eval "$$env" && $< run
	env=$$(.ci/cgo-env serial) && eval "$$env" && $< run --build-tags=nompi $(engines) ./cmd/h5perf
	$(call go,openmpi,vet) -tags=bench,truth,nightly,pages,install,readme,monitoring,slurm,images,sif,same,scale ./...
	shellcheck -x slurm/job.bash $$(git grep -lE '^#!/bin/(ba)?sh')

fmt: $(LINTER)/golangci-lint ## format the sources
	$< fmt

$(LINTER)/golangci-lint:
	GOBIN=$(CURDIR)/$(LINTER) go install github.com/golangci/golangci-lint/v2/cmd/golangci-lint@$(LINTER:.cache/golangci-lint-%=%)

dashboards: $(DASHBOARD_LINTER)/dashboard-linter ## write Grafana's dashboards, lint them, test every query and rule on a real Prometheus, and exports on a real InfluxDB
	.ci/setup monitoring
	CGO_ENABLED=0 go run ./ansible/grafana ansible/roles/monitoring/files/dashboards
	for file in ansible/roles/monitoring/files/dashboards/*.json; do \
		$< lint --strict $$file >.cache/dashboard-linter.txt 2>&1 || { cat .cache/dashboard-linter.txt; exit 1; }; done
	CGO_ENABLED=0 go test -count=1 -tags=monitoring ./ansible/grafana
	CGO_ENABLED=0 go test -count=1 -tags=monitoring -run InfluxDB ./pkg/report

dashboards-render: .cache/grafana-render/node_modules ## check the dashboards against Grafana's types and draw them with its components, into .cache/grafana
	.ci/setup monitoring pages
	CGO_ENABLED=0 go test -count=1 -tags=monitoring -run EveryQuery ./ansible/grafana -args -draw=$(CURDIR)/.cache/grafana-render/all.json
	cp ansible/grafana/render/app.tsx ansible/grafana/render/render.mjs .cache/grafana-render
	cd .cache/grafana-render && node render.mjs ../../ansible/roles/monitoring/files/dashboards all.json ../grafana

# 385 packages, 460 MB, about a minute. Only the installer of esbuild runs a script of its own.
.cache/grafana-render/node_modules: ansible/grafana/render/package-lock.json
	mkdir -p .cache/grafana-render && cp ansible/grafana/render/package.json $< .cache/grafana-render
	cd .cache/grafana-render && npm ci --legacy-peer-deps --ignore-scripts --no-audit --no-fund && node node_modules/esbuild/install.js
	touch $@

# Built from its sources but for one file, which says why: some minutes, once.
$(DASHBOARD_LINTER)/dashboard-linter: ansible/grafana/testdata/linter_v2.go
	rm -rf $(@D) && mkdir -p $(@D)
	module=$$(go mod download -json github.com/grafana/dashboard-linter@v0.2.0 | sed -n 's/.*"Dir": "\(.*\)".*/\1/p') && cp -r "$$module" $(@D)/source
	chmod -R u+w $(@D)/source && cp $< $(@D)/source/lint/v2.go
	cd $(@D)/source && CGO_ENABLED=0 go build -o ../dashboard-linter .

test-ansible: ## lint the playbooks, deploy them over ssh to two hosts, and see a nightly run in the Prometheus there
	ansible/rig/run

test-slurm: $(sifs) ## run the batch scripts on a Slurm cluster in namespaces of this machine, for root; with NIGHTLY=1, end jobs early 20 times
	.ci/setup slurm
	.ci/lib/apptainer
	for flavour in openmpi mpich; do $(MAKE) build FLAVOUR=$$flavour BIN=.cache/slurm/$$flavour || exit; done
	CGO_ENABLED=0 go test -count=1 -tags=slurm$(NIGHTLY:1=,nightly) -timeout 90m -parallel 4 ./slurm/rig -args -programs=$(CURDIR)/.cache/slurm -images=$(CURDIR)/.cache/images

fuzz: ## run every fuzz target FUZZTIME times or so long
	for package in $(pure); do \
		for target in $$(CGO_ENABLED=0 go test -list '^Fuzz' $$package | grep '^Fuzz'); do \
			CGO_ENABLED=0 go test -run '^$$' -fuzz "^$$target\$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 10x $$package || exit; \
		done; \
	done

base-images: ## make the base images of the images locally, where no registry is reachable
	.ci/setup images
	containers/base-images

images: ## build the images h5perf:FLAVOUR for FLAVOURS, and their archives in .cache/images
	containers/build image $(FLAVOURS)

lock: ## renew the locks of the images of FLAVOURS
	containers/build lock $(FLAVOURS)

test-images: base-images ## build the images and run them; with NIGHTLY=1, build one again with another tool
	.ci/setup images
	CGO_ENABLED=0 go test -count=1 -v -tags=images -timeout 60m $(if $(NIGHTLY),,-skip TestTheSameSourcesGiveTheSameImage) \
		./containers/rig

sif: ## make .cache/images/h5perf-FLAVOUR.sif of FLAVOURS from the archives that `make images` wrote
	containers/sif $(FLAVOURS)

# For tests of what is around an image: one that is there is taken as it is.
$(sifs): .cache/images/h5perf-%.sif: .cache/images/h5perf-%.tar
	.ci/lib/apptainer
	containers/sif $*

$(sifs:.sif=.tar): .cache/images/h5perf-%.tar:
	.ci/setup images
	containers/base-images
	containers/build image $*

test-sif: $(sifs:.sif=.tar) ## make the SIFs and run them as an ordinary user, on their own MPI, the host's launcher and the host's MPI
	.ci/lib/apptainer
	containers/sif openmpi mpich
	containers/rig/test-sif

deb rpm: $(NFPM)/nfpm ## make a Debian or an RPM package of FLAVOUR=openmpi|mpich|serial for the system of this machine, in PACKAGES
	VERSION='$(VERSION)' containers/packages/build $@ $(FLAVOUR) $< $(PACKAGES)

$(NFPM)/nfpm:
	GOBIN=$(CURDIR)/$(NFPM) CGO_ENABLED=0 go install github.com/goreleaser/nfpm/v2/cmd/nfpm@$(NFPM:.cache/nfpm-%=%)

test-packages: $(NFPM)/nfpm ## make the packages of all flavours, and install, run and remove them on a minimal Debian 12 and 13
	.ci/setup test-packages
	containers/packages/rig/run

test-tools: ## install the tools that are not in go.mod into an empty directory, as on a new machine
	dir=$$(mktemp -d) && trap 'chmod -R u+w "$$dir" && rm -rf "$$dir"' EXIT && git clone --quiet . "$$dir/checkout" && \
		export GOPATH="$$dir/go" GOMODCACHE="$$dir/go/pkg/mod" GOCACHE="$$dir/cache" npm_config_cache="$$dir/npm" && \
		$(MAKE) -C "$$dir/checkout" $(LINTER)/golangci-lint $(NFPM)/nfpm $(DASHBOARD_LINTER)/dashboard-linter .cache/grafana-render/node_modules && \
		GOBIN="$$dir/bin" go install golang.org/x/vuln/cmd/govulncheck@$(VULNCHECK)

truth: ## compare figures with what throttled devices and a file server recorded (TRUTH_TIME, TRUTH_ROUNDS, TRUTH_SPEEDS)
	.ci/setup truth
	$(call go,$(FLAVOUR),test) -count=1 -v -tags=truth -timeout 60m -run '^TestTruth' ./cmd/h5perf

same: build ## compare what users see of the checkout and of revision OLD: texts, documents and statuses of a list of command lines
	rm -rf .cache/same && mkdir -p .cache/same/source
	git archive $(OLD) | tar -x -C .cache/same/source
	$(MAKE) -C .cache/same/source build FLAVOUR=$(FLAVOUR) BIN=$(CURDIR)/.cache/same/old VERSION=$(VERSION)
	CGO_ENABLED=0 go test -count=1 -v -tags=same -timeout 30m ./cmd/h5perf/same \
		-args -old=$(CURDIR)/.cache/same/old -new=$(abspath $(BIN)) -mpiexec=$(MPIEXEC) -examples=$(CURDIR)/results/examples

# Each section is a process of its own: MPI, once it is initialized, leaves variables to launchers.
bench: build ## compare what the harness costs with bare loops, HDF5's own tools and fio (BENCH="SECTION...", see pkg/test/README.md)
	.ci/setup bench
	$(call go,$(FLAVOUR),test) -c -tags=bench -o $(BIN)/bench.test ./cmd/h5perf
	cd cmd/h5perf && for section in $(BENCH); do \
		test="(?i)^TestBench$$section\$$"; \
		$(abspath $(BIN))/bench.test -test.list "$$test" | grep -q . || { echo "bench: no section '$$section'" >&2; exit 2; }; \
		BENCH_BIN=$(abspath $(BIN)) $(abspath $(BIN))/bench.test -test.timeout 4h -test.run "$$test" || exit; done

test-bench: ## see that every section of bench works, in short
	$(MAKE) bench BENCH_ROUNDS=1 BENCH_SIZES=1M BENCH_FORMS=block BENCH_JOB=3 BENCH_RUNS=1000000 BENCH_SAMPLES=1000 BENCH_DOCUMENTS=100 H5PERF_REF=$(abspath $(BIN))/h5perf

test-blocks: export TMPDIR := $(BLOCKS_DIR)
test-blocks: export GOTMPDIR := $(BLOCKS_DIR)
test-blocks: ## move blocks of 3 and 5 GiB with each engine, to files in BLOCKS_DIR (200 GiB in all), and end 60 runs early
	.ci/setup test
	$(call go,openmpi,test) -p 1 -tags=nightly -timeout 60m -run '^Test(Large|BlocksOf3And5GiB|RandomKills|SIGTERMToTheLauncher|FilesOfProfiles)' ./pkg/engine/... ./cmd/h5perf
	$(call go,mpich,test) -p 1 -tags=nightly -timeout 60m -run '^Test(Large|BlocksOf3And5GiB|RandomKills|SIGTERMToTheLauncher|FilesOfProfiles)' ./pkg/engine/... ./cmd/h5perf

test-scripts: ## run 2000 scripts that chance makes on 3 ranks, with both MPIs
	for flavour in openmpi mpich; do \
		$(call go,$$flavour,test) -count=1 -tags=nightly -timeout 60m -run ScriptsOfAGrammar ./pkg/bench || exit; done

prove: ## run the rig RIG on a checkout without changes, and write its line into .ci/proofs, to be committed
	.ci/rig prove $(RIG)

nightly: ## run all rigs, proved or not, and what takes too long for the gate
	.ci/run nightly

clean: ## remove what was built; chroots and the linter too
	rm -rf bin .cache
