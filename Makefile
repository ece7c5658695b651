# make run    the doctor on a recorded broken node: a screen, or text without a terminal
# make check  the quick loop of a check: seconds, no servers, no Wine
# make short  the same for the whole program: a minute or two
# make test   everything that guards a change; make test-all adds what takes longer
# make lint   what a pull request needs beside make short: gofmt, vet, staticcheck, actionlint
# make build  stripped binaries for all systems, in bin/
# make release  archives, checksums, SBOM and package manifests of this commit, in bin/release/

export CGO_ENABLED = 0

VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo devel)
COMMIT  ?= $(shell git rev-parse --short=12 HEAD 2>/dev/null)
LDFLAGS  = -s -w -X main.version=$(VERSION) -X main.commit=$(COMMIT)
DEMO    ?= kubelet-removed-flag
FUZZTIME ?= 10s
SEED ?= 1
# What the race detector looks at: packages in which several goroutines share data.
RACED ?= ./collectors ./collectors/node ./collectors/cluster ./collectors/probe ./collectors/pack ./collectors/bundle \
  ./collectors/cri ./ui/tui ./ui/spoken ./ui/pager ./cmd/doctor/...
MUTATED ?= ui/timeline checks/signs collectors/bundle collectors/foreign collectors/cluster collectors/redact
TARGETS  = windows/amd64 windows/arm64 linux/amd64 linux/arm64 darwin/amd64 darwin/arm64

.PHONY: run check short servers test test-all race mutate leaks test-windows screens vet windows lint rename fuzz bench bench-api bench-fleet bench-bundle build image modules release test-release docs clean

# The doctor's own exit status says that the recorded node is broken (3), which is no failure of make.
run:
	@go build -o bin/doctor ./cmd/doctor
	@bin/doctor --demo $(DEMO); status=$$?; test $$status -eq 3 -o $$status -eq 0

# What judges a check, its recording and its sentences.
check:
	go test -short -vet=off ./checks/... ./fixtures ./ui/lang ./ui/symptom

short:
	go test -short -vet=off ./...

# The servers of the test beds, each built once per machine and kept in the user's cache. The first
# time kube-apiserver takes 5 to 10 minutes on two cores.
servers:
	go run ./fixtures/server/build apiserver controllers coredns gitleaks kwok

# DOCTOR_SERVERS is in the go command's cache key: a test that was skipped before there were servers
# is not skipped from the cache. The time limit ends what hangs; a busy machine stays far below it.
test: export DOCTOR_SERVERS = built
test: servers vet windows test-release
	go test -timeout 30m ./...
	cd cmd/image && go test ./...

# The tool that makes releases has a module of its own, with what only it needs.
test-release: modules
	go -C .github/release test -timeout 30m ./...

# Before a release: hours.
test-all: lint test race mutate fuzz bench

# Needs gcc: the race detector is written in C.
race: export CGO_ENABLED = 1
race:
	go test -race -short -timeout 30m $(RACED)

# doctor.exe itself on staged nodes, under Wine, and the layouts of structures; test runs these too.
test-windows:
	go test -count=1 -timeout 60m -v ./cmd/doctor/e2e/windows ./cmd/doctor/e2e/screen -run 'Wine|Structures'

# The README's pictures, from the program itself on a terminal of tmux.
screens:
	@mkdir -p ui/tui/testdata/screens
	go test -count=1 ./cmd/doctor/e2e/screen -run '^TestScreens$$' -screens

vet:
	@test -z "$$(gofmt -l .)" || { echo "gofmt would change:"; gofmt -l .; exit 1; }
	go vet ./...

windows:
	GOOS=windows go vet ./...
	GOOS=windows GOARCH=arm64 go build ./...

# The tools have a module of their own; they are built for this machine, and then look at both systems.
TOOL = go tool -modfile=.github/tools/go.mod -n

lint: vet windows
	@set -e; staticcheck=$$($(TOOL) staticcheck); for os in linux windows; do \
	  echo "GOOS=$$os staticcheck ./..."; GOOS=$$os "$$staticcheck" -checks inherit,ST1000,ST1016,ST1020,ST1021,ST1022 ./...; \
	done
	@"$$($(TOOL) actionlint)" -shellcheck= -pyflakes=

# Where the module lives: go.mod files, imports, and the owner of a path such as github.com/OWNER/NAME.
rename:
	@test -n "$(MODULE)" || { echo "make rename MODULE=github.com/owner/doctor"; exit 2; }
	@owner=$$(echo "$(MODULE)" | cut -s -d/ -f2); \
	git ls-files -z '*.go' '*go.mod' .github/CODEOWNERS | OLD=$$(go list -m) NEW="$(MODULE)" OWNER=$${owner:-OWNER} xargs -0 perl -pi -e \
	  's{^module \K\Q$$ENV{OLD}\E(?=/|$$)}{$$ENV{NEW}}; s{^(import |\s+)([\w.]+ )?"\K\Q$$ENV{OLD}\E(?=/[^"]*"\s*(//.*)?$$)}{$$ENV{NEW}}; \
	   s{^\* \@\K[\w-]+(?=/doctor-maintainers)}{$$ENV{OWNER}}'
	@gofmt -w .

# Each fuzz target of each package in turn, for FUZZTIME. Not part of test, which
# runs their seeds: whether a random input is found is not a change's fault.
fuzz:
	@set -e; for pkg in $$(go list ./...); do \
	  for target in $$(go test -list '^Fuzz' $$pkg | grep '^Fuzz' || true); do \
	    echo "$$pkg $$target"; go test -run '^$$' -fuzz "^$$target$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 5x $$pkg >/tmp/doctor-fuzz.$$$$ 2>&1 \
	      || { cat /tmp/doctor-fuzz.$$$$; rm -f /tmp/doctor-fuzz.$$$$; exit 1; }; rm -f /tmp/doctor-fuzz.$$$$; \
	  done; done

# Whether tests assert: conditions in lines that they cover are changed, 50 in each package, and at
# least 85 % of the changes must fail a test. SEED=2 takes another sample.
mutate:
	go run ./fixtures/mutate -seed $(SEED) $(addprefix ./,$(MUTATED))

# What redaction lets through and what it marks wrongly. DOCTOR_LEAK_SUITES names a folder with checked
# out copies of noseyparker, kingfisher and detect-secrets, DOCTOR_INNOCENT one of public scripts and
# documents. SHOW=windows, or a rule or context of the tables, prints what leaks of it.
leaks:
	go run ./fixtures/server/build gitleaks
	@go test -count=1 -timeout 120m ./collectors/redact -v -run '^TestLeaks$$' -leaks -leaks.show "$(SHOW)"

bench:
	go test -run '^$$' -bench . -benchmem ./...

# A node of a cluster with 5,000 nodes and 50,000 pods, in a real API server, and
# what client-go costs. Filling the server takes a minute or more.
bench-api: servers
	DOCTOR_BENCH_API=1 go test -run '^$$' -bench '^(BenchmarkLargeCluster|BenchmarkClientGo)$$' -timeout 60m ./cmd/doctor/e2e/api

# doctor fleet on 10, 100, 1,000 and 5,000 nodes in a real API server, and on 1,000 with pods: minutes.
bench-fleet: servers
	DOCTOR_BENCH_FLEET=1 go test -run '^$$' -bench '^BenchmarkFleet$$' -benchtime 1x -timeout 60m ./cmd/doctor/e2e/api
	DOCTOR_FLEET_NODES=1000 go test -count=1 -v -run '^TestAFleetIsReadFromInside$$' -timeout 60m ./cmd/doctor/e2e/onnode

# 512 MB of logs packed by doctor, by troubleshoot's support-bundle (built for it
# the first time: 10 minutes on two cores) and by `pigz -1` (apt-get install pigz).
bench-bundle:
	go run ./fixtures/server/build troubleshoot
	DOCTOR_BENCH_BUNDLE=1 go test -run '^$$' -bench '^BenchmarkBundle$$' -timeout 120m ./cmd/doctor/e2e/bundle

build:
	@set -e; for target in $(TARGETS); do \
	  os=$${target%/*}; arch=$${target#*/}; out=bin/doctor-$$os-$$arch; test $$os != windows || out=$$out.exe; \
	  GOOS=$$os GOARCH=$$arch go build -trimpath -ldflags '$(LDFLAGS)' -o $$out ./cmd/doctor; ls -l $$out | awk '{printf "%8.1f MB  %s\n", $$5/1e6, $$9}'; \
	done

# The image for Windows nodes as an OCI layout in bin/image, without Docker. `make image PUSH=REF` pushes
# it too. The same commit gives the same bytes.
image:
	@set -e; mkdir -p bin; for arch in amd64 arm64; do \
	  GOOS=windows GOARCH=$$arch go build -trimpath -ldflags '$(LDFLAGS)' -o bin/doctor-windows-$$arch.exe ./cmd/doctor; done
	@cd cmd/image && go run . -out ../../bin/image -version $(VERSION) $(if $(PUSH),-push $(PUSH)) \
	  amd64=../../bin/doctor-windows-amd64.exe arm64=../../bin/doctor-windows-arm64.exe

# All modules that run, lint, image and release need; after it they work without a network. The
# servers of the test beds have modules of their own, which `make servers` downloads.
modules:
	go mod download
	go -C .github/release mod download
	go -C cmd/image mod download
	go mod download -modfile=.github/tools/go.mod

# Without a network after `make modules`. The same commit and the same Go give the same bytes.
REPO ?= OWNER/doctor
release:
	go -C .github/release run . -root ../.. -out ../../bin/release -repo $(REPO) -signed "$(abspath $(SIGNED))" $(if $(RELEASE),-version $(RELEASE))
	@cat bin/release/SHA256SUMS

# The catalogue page is printed from the checks themselves, the JSON Schemas from the Go types.
docs:
	go run ./cmd/doctor explain -o markdown > checks/README.md
	go test ./checks/evidence ./ui -run '^TestSchema' -update
	go test ./fixtures ./checks/evidence ./ui ./ui/lang ./collectors/maskname ./cmd/doctor/internal/assistant ./checks/errcode ./collectors/redact -run '^TestTheProgramHas' -update

clean:
	rm -rf bin
