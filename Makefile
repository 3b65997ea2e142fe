# `make test` is the whole gate; CI runs it and nothing else.
.DEFAULT_GOAL := help
.PHONY: help run dev build test format whole together race lint vulnerable tools programs bare pictures looks bench soak fuzz release reproducible
SHELL := /bin/bash
.SHELLFLAGS := -o pipefail -c

# The same for all but the race detector, so that everything is compiled once.
export CGO_ENABLED := 0
export GOFLAGS := $(strip $(filter-out -trimpath,$(GOFLAGS)) -trimpath)

BUILD := go build -ldflags '-s -w'

help: ## list the targets
	@grep -hE '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

run: build ## build and start the appliance in ./data
	./paraph serve

dev: build ## build and start a test double, everything in memory
	./paraph dev

build: ## build ./paraph, one static binary
	$(BUILD) -o paraph .

test: tools lint ## formatting, vet, staticcheck, and every test
	@$(MAKE) --no-print-directory --jobs=2 whole together 2>&1 | awk "$$SUMMARY"

# Prints what failed, and the seconds of each package, once more at the end.
define SUMMARY
{ print; fflush() }
/^--- FAIL|^ +--- FAIL|^FAIL\t/ { failed = failed "\n" $$0 }
/^(ok|FAIL)/ && $$3 ~ /[0-9]s$$/ { seconds[$$2] += $$3 }
END {
	print "== seconds by package"
	for (p in seconds) printf "%7.1f  %s\n", seconds[p], p | "sort -rn"
	close("sort -rn")
	if (failed) print "== failed" failed
}
endef
export SUMMARY

# Packages start in this order, so that the slowest are not the last to run, alone.
SLOWEST := ./app/web ./app ./app/api ./app/signing ./app/convert ./app/pdf/pdfium

whole: ## every test
	go test -vet=off -timeout 40m $(SLOWEST) ./...

# The race detector makes tests several times slower and sees only what happens at the same
# time. Here it runs where goroutines share memory, and on the tests of simultaneous requests.
SHARING := ./kv/... ./search ./app/account ./app/backup ./app/blob ./app/bulk ./app/httpkit ./app/machine ./app/notify ./app/transfer ./app/turns
RACE := CGO_ENABLED=1 go test -vet=off -race -short -timeout 40m

together: export PARAPH_TEST_PROGRAM := $(CURDIR)/paraph
together: build ## what works at the same time, with the race detector
	$(RACE) $(SHARING)
	$(RACE) ./app/api ./app/signing ./app/pdf/pdfium ./app/convert -run '^TestTogether'

race: export PARAPH_TEST_PROGRAM := $(CURDIR)/paraph
race: build ## everything with the race detector, which takes most of an hour
	$(RACE) $(SLOWEST) ./...

# axe-core judges the pages, redocly and spectral the description of the API, programs that use clients generated from
# it are compiled and run, and prettier lays out styles and scripts; their versions are in the lock file.
NPM := app/web/testdata/node_modules/.package-lock.json
$(NPM): app/web/testdata/package-lock.json
	@echo "installing axe-core, prettier, redocly, spectral and generators of clients in app/web/testdata/node_modules"
	npm ci --prefix app/web/testdata --ignore-scripts --no-audit --no-fund
	@touch $@
PRETTIER := app/web/testdata/node_modules/.bin/prettier

TEMPLATES := app/web/templates app/notify/layout
STYLES := 'app/web/static/**/*.{css,js}'

format: $(NPM) ## lay out code, templates, styles and scripts
	gofmt -w .
	go run ./app/markup/tidy -w $(TEMPLATES)
	$(PRETTIER) --write --log-level warn $(STYLES)

lint: $(NPM) ## formatting, static analysis and known vulnerabilities
	@test -z "$$(gofmt -l .)" || { gofmt -l .; echo "run gofmt -w on these"; exit 1; }
	go mod verify >/dev/null
	go vet ./...
	go tool staticcheck -checks inherit,ST1020,ST1021,ST1022 ./...
	@go run ./app/markup/tidy $(TEMPLATES) || { echo "run make format on these"; exit 1; }
	$(PRETTIER) --check --log-level warn $(STYLES) || { echo "run make format on these"; exit 1; }
	@$(MAKE) --no-print-directory vulnerable

# GOVULNDB names a mirror of the database, as for the command itself: an address or file:///folder.
GOVULNDB ?= https://vuln.go.dev
GOVULNCHECK := golang.org/x/vuln/cmd/govulncheck@v1.1.4
vulnerable: ## look for known vulnerabilities that the code can reach, where their database can be
	@if curl -fsL -m 15 -o /dev/null "$(GOVULNDB)/index/db.json"; then \
		go run $(GOVULNCHECK) -db "$(GOVULNDB)" ./...; \
	else \
		echo "govulncheck was left out: $(GOVULNDB) can't be reached (GOVULNDB names a mirror)"; \
	fi

# What the tests need besides Go: a program (or one of several) or a file, and the
# Debian package that has it. Only the packages of what is missing are installed.
NEEDS := gcc:gcc /usr/include/stdlib.h:libc6-dev curl:curl nginx,/usr/sbin/nginx:nginx-light caddy:caddy pdfsig:poppler-utils pdftoppm:poppler-utils \
         qpdf:qpdf zstd:zstd mutool:mupdf-tools openssl:openssl certutil:libnss3-tools javac:default-jdk-headless \
         soffice,libreoffice:libreoffice-writer-nogui npm:npm \
         chromium,chromium-browser,google-chrome:chromium chromium-headless-shell,google-chrome:chromium-headless-shell \
         promtool:prometheus /usr/share/java/pdfbox2.jar:libpdfbox2-java /usr/share/java/preflight.jar:libpdfbox2-java \
         /usr/share/java/bcpkix.jar:libbcpkix-java /usr/share/java/commons-io.jar:libcommons-io-java \
         /usr/share/fonts/truetype/dejavu/DejaVuSans.ttf:fonts-dejavu-core \
         /usr/share/fonts/truetype/liberation/LiberationSans-Regular.ttf,/usr/share/fonts/truetype/liberation2/LiberationSans-Regular.ttf:fonts-liberation

# It says what it installs before it does, and needs no rights where nothing is missing.
tools: programs $(NPM) ## install what the tests need and is missing (Debian and Ubuntu; elsewhere it names it)

programs:
	@missing=""; packages=""; for need in $(NEEDS); do \
		found=""; for p in $$(echo "$${need%:*}" | tr , ' '); do \
			if [ -e "$$p" ] || command -v "$$p" >/dev/null; then found=yes; fi; \
		done; \
		[ "$$found" ] || { missing="$$missing $${need%:*}"; packages="$$packages $${need#*:}"; }; \
	done; \
	[ "$$missing" ] || exit 0; echo "missing:$$missing"; \
	packages=$$(echo $$packages | tr ' ' '\n' | sort -u | tr '\n' ' '); \
	command -v apt-get >/dev/null || { echo "install these first; in Debian they are in: $$packages"; exit 1; }; \
	sudo=""; [ "$$(id -u)" = 0 ] || sudo=sudo; \
	echo "installing with $${sudo:+$$sudo }apt-get: $$packages"; \
	$$sudo apt-get update -q && $$sudo env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends $$packages

bare: ## build, run and test a clean clone in a bare Debian (as root, with mmdebstrap); see .ci/bare
	.ci/bare

bench: ## print what the appliance can do, as ratios against bare baselines of the same run
	go test ./app -run '^$$' -bench House -benchtime 1x -timeout 30m
	go test ./app -run '^$$' -bench Abuse -benchtime 1x -timeout 10m
	go test ./app -run '^$$' -bench Shares -benchtime 1x -timeout 10m
	go test ./app -run '^$$' -bench Memory -benchtime 1x -timeout 10m
	go test ./app -run '^$$' -bench Bulk -benchtime 1x -timeout 10m
	SOAKTIME=5m go test ./app -run '^$$' -bench Soak -benchtime 1x -timeout 15m
	go test ./app/web -run '^$$' -bench 'Pages|Editor|LongList' -benchtime 1x -timeout 15m

SOAKTIME ?= 1h
soak: ## keep a server under mixed load for SOAKTIME, and fail if what it holds grows
	SOAKTIME=$(SOAKTIME) go test ./app -run '^$$' -bench Soak -benchtime 1x -timeout 0

FUZZTIME ?= 1m
fuzz: ## run every fuzz target for FUZZTIME
	@set -e; for pkg in $$(go list ./...); do \
		for t in $$(go test -list '^Fuzz' $$pkg | grep '^Fuzz' || true); do \
			echo "== $$pkg $$t"; \
			go test -run '^$$' -fuzz "^$$t$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 20x $$pkg; \
		done; \
	done

pictures: ## make the pictures of the README and of every message anew, in .pictures
	mkdir -p .pictures
	PARAPH_PICTURES=$(CURDIR)/.pictures go test ./app/notify ./app/signing -run TestMessagesToLookAt -count 1
	PARAPH_PICTURES=$(CURDIR)/.pictures go test ./app/web -run TestPictures -count 1 -timeout 30m

looks: ## take pictures of every page at four widths, light, dark and right to left, in .looks
	mkdir -p .looks
	PARAPH_LOOKS=$(CURDIR)/.looks go test ./app/web -run InEveryLook -count 1 -timeout 60m

# The same commit and the same version of Go give the same bytes, in any folder: paths
# are trimmed, there is no C compiler, and the oldest processors are aimed at.
PLATFORMS := linux/amd64 linux/arm64 darwin/arm64 windows/amd64

# Prints the modules in a binary as CycloneDX, with their licences, which it recognises by
# their texts. The folders of the modules come first. A licence it does not know is an error.
define SBOM
function text(dir,  all, line, i, n, names) {
	n = split("LICENSE LICENSE.txt LICENSE.md LICENCE LICENCE.txt COPYING License license LICENSE-MIT LICENSE.MIT", names, " ")
	for (i = 1; i <= n && all == ""; i++) while ((getline line < (dir "/" names[i])) > 0) all = all " " line
	gsub(/[ \t\r]+/, " ", all)
	return all
}
function add(all, id) { return all (all == "" ? "" : ", ") "{\"license\": {\"id\": \"" id "\"}}" }
function licences(dir,  t, all) {
	t = text(dir)
	if (t ~ /Apache License,? Version 2\.0/) all = add(all, "Apache-2.0")
	if (t ~ /Mozilla Public License,? [vV]ersion 2\.0/) all = add(all, "MPL-2.0")
	if (t ~ /Permission is hereby granted, free of charge/) all = add(all, "MIT")
	if (t ~ /Redistribution and use in source and binary forms/) all = add(all, t ~ /[Nn]either the name|names? of (its|the) contributors/ ? "BSD-3-Clause" : "BSD-2-Clause")
	if (t ~ /Permission to use, copy, modify, and(\/or)? distribute/) all = add(all, "ISC")
	if (t ~ /free and unencumbered software/) all = add(all, "Unlicense")
	if (all != "") return all
	print "the licence of " dir " is not known" > "/dev/stderr"
	failed = 1
}
BEGIN { printf "{\"bomFormat\": \"CycloneDX\", \"specVersion\": \"1.5\", \"version\": 1,\n \"components\": [" }
FNR == NR { dirs[$$1] = $$2; next }
$$1 == "mod" || $$1 == "dep" {
	printf "%s\n  {\"type\": \"%s\", \"name\": \"%s\", \"version\": \"%s\", \"purl\": \"pkg:golang/%s@%s\", \"licenses\": [%s]}",
		comma, $$1 == "mod" ? "application" : "library", $$2, $$3, $$2, $$3, licences(dirs[$$2])
	comma = ","
}
END { print "\n]}"; exit failed }
endef
export SBOM

release: export GOAMD64 := v1
release: export GOARM64 := v8.0
release: ## binaries for every platform in dist/, with checksums, an SBOM and the changelog; VERSION=v1.2.3 tags the commit first
	@if [ "$(VERSION)" ]; then \
		echo "$(VERSION)" | grep -Eq '^v[0-9]+\.[0-9]+\.[0-9]+$$' || { echo "VERSION has to be like v1.2.3"; exit 1; }; \
		test -z "$$(git status --porcelain)" || { echo "commit everything first"; exit 1; }; \
		git tag -a "$(VERSION)" -m "Paraph $(VERSION)"; \
	fi
	@rm -rf dist && mkdir dist; set -e; \
	for t in $(PLATFORMS); do \
		os=$${t%/*} arch=$${t#*/} ext=""; [ $$os = windows ] && ext=.exe; \
		echo $$t; GOOS=$$os GOARCH=$$arch $(BUILD) -o dist/paraph-$$os-$$arch$$ext .; \
	done
	go list -deps -f '{{with .Module}}{{.Path}} {{.Dir}}{{end}}' . > dist/modules
	go version -m dist/paraph-linux-amd64 | awk "$$SBOM" dist/modules - > dist/paraph.cdx.json
	@rm dist/modules
	.ci/changelog > dist/CHANGELOG.md
	cd dist && sha256sum paraph* CHANGELOG.md > SHA256SUMS

reproducible: export GOAMD64 := v1
reproducible: ## build the last commit in two folders and compare the bytes
	@set -e; a=$$(mktemp -d) b=$$(mktemp -d)/elsewhere; trap 'rm -rf $$a $$(dirname $$b)' EXIT; \
	for d in $$a/here $$b; do git clone -q --no-hardlinks . $$d; (cd $$d && $(BUILD) -o paraph .); done; \
	sha256sum $$a/here/paraph $$b/paraph; cmp $$a/here/paraph $$b/paraph && echo "The same bytes."
