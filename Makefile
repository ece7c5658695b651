# make run    the doctor on a recorded broken node: a screen, or text without a terminal
# make test   everything that guards a change; make check is the quick loop of seconds
# make build  stripped binaries for all systems, in bin/

export CGO_ENABLED = 0

VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo devel)
COMMIT  ?= $(shell git rev-parse --short=12 HEAD 2>/dev/null)
LDFLAGS  = -s -w -X main.version=$(VERSION) -X main.commit=$(COMMIT)
DEMO    ?= kubelet-removed-flag
FUZZTIME ?= 10s
SEED ?= 1
# redact joins when its rules are rewritten: today too many changes survive there.
MUTATED ?= ui/timeline checks/signs collectors/bundle collectors/foreign
TARGETS  = windows/amd64 windows/arm64 linux/amd64 linux/arm64 darwin/amd64 darwin/arm64

.PHONY: run test check mutate test-windows screens vet windows fuzz bench bench-api bench-bundle build docs clean

# The doctor's own exit status says that the recorded node is broken (3), which is no failure of make.
run:
	@go build -o bin/doctor ./cmd/doctor
	@bin/doctor --demo $(DEMO); status=$$?; test $$status -eq 3 -o $$status -eq 0 -o $$status -eq 5

# The first time, kube-apiserver is built for it: 5 to 10 minutes on two cores.
test: vet windows
	go test -timeout 45m ./...

check:
	go test -short ./...

# doctor.exe itself on staged nodes, under Wine; test runs these too.
test-windows:
	go test -count=1 -v ./cmd/doctor -run Wine

# The README's pictures, from the program itself on a terminal of tmux.
screens:
	@mkdir -p ui/tui/testdata/screens
	go test -count=1 ./cmd/doctor -run '^TestScreens$$' -screens

vet:
	@test -z "$$(gofmt -l .)" || { echo "gofmt would change:"; gofmt -l .; exit 1; }
	go vet ./...

windows:
	GOOS=windows go vet ./...
	GOOS=windows GOARCH=arm64 go build ./...

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

bench:
	go test -run '^$$' -bench . -benchmem ./...

# A node of a cluster with 5,000 nodes and 50,000 pods, in a real API server, and
# what client-go costs. Filling the server takes a minute or more.
bench-api:
	DOCTOR_BENCH_API=1 go test -run '^$$' -bench '^(BenchmarkLargeCluster|BenchmarkClientGo)$$' -timeout 60m ./cmd/doctor

# 512 MB of logs packed by doctor, by troubleshoot's support-bundle (built for it
# the first time: 10 minutes on two cores) and by `pigz -1` (apt-get install pigz).
bench-bundle:
	DOCTOR_BENCH_BUNDLE=1 go test -run '^$$' -bench '^BenchmarkBundle$$' -timeout 120m ./cmd/doctor

build:
	@set -e; for target in $(TARGETS); do \
	  os=$${target%/*}; arch=$${target#*/}; out=bin/doctor-$$os-$$arch; test $$os != windows || out=$$out.exe; \
	  GOOS=$$os GOARCH=$$arch go build -trimpath -ldflags '$(LDFLAGS)' -o $$out ./cmd/doctor; ls -l $$out | awk '{printf "%8.1f MB  %s\n", $$5/1e6, $$9}'; \
	done

# The catalogue page is printed from the checks themselves.
docs:
	go run ./cmd/doctor explain -o markdown > checks/README.md

clean:
	rm -rf bin
