# `make` alone prints the targets. PY=/path/to/python uses an environment of your own; nothing is made or installed then.
.DEFAULT_GOAL := help
.PHONY: help report test notebook notebooks compare summary comment gate history public bench lab check lock clean clean-all

PYTHON ?= python3.11 python3 python3.12 python3.13 python3.14
NOTEBOOKS := $(sort $(wildcard notebooks/*.ipynb))
FRESH := .fresh
PAIR := results/runs/pair
BASE ?= $(shell base=$$(git merge-base origin/main HEAD 2>/dev/null); \
  [ -n "$$base" ] && [ "$$base" != "$$(git rev-parse HEAD)" ] && echo $$base || echo HEAD~1)
UV := uv==0.13.9

# Else a `python3` kernel of the user wins over that of the environment.
export JUPYTER_PREFER_ENV_PATH := 1

# An environment is as good as its stamp, which is named for what was installed and where: after a change of the lock or of
# pyproject.toml, or when the folder has moved, the next target installs again. File times do not count.
stamp = $(1)/.stamp-$(shell { pwd; cat pyproject.toml $(2); } | cksum | cut -d ' ' -f 1)
RUN_STAMP := $(call stamp,.venv,requirements.lock)
BENCH_STAMP := $(call stamp,.venv,requirements-bench.lock)-bench
LAB_STAMP := $(call stamp,.venv-lab,requirements-lab.lock)

ifdef PY
ENV :=
BENCH_ENV :=
else
PY := .venv/bin/python
ENV := $(RUN_STAMP)
BENCH_ENV := $(BENCH_STAMP)
endif

PYTEST := "$(PY)" -m pytest
# One process: two kernels that nbval starts at once can be given the same port, and one of them dies (1 in 240 tried).
NBVAL := --nbval --nbval-current-env --nbval-cell-timeout 300 --nbval-sanitize-with tests/nbval_sanitize.cfg
PIP := -m pip --disable-pip-version-check --no-input --quiet install

help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/\1\t\2/p' Makefile | expand -t 12

report: $(ENV) ## set up, run every notebook that is not fresh, write results/ and results/report.html
	@"$(PY)" -m ragkit report

test: $(ENV) ## set up, run all tests, run the notebooks again and compare them with what is stored
	$(PYTEST) -n 2 --dist loadfile
ifneq ($(NOTEBOOKS),)
	@rm -rf $(FRESH)
	RAGKIT_RESULTS="$(CURDIR)/$(FRESH)" RAGKIT_CACHE="$(CURDIR)/results/cache" $(PYTEST) $(NBVAL) $(NOTEBOOKS)
	@for fresh in $(FRESH)/tables/*.csv; do \
	  [ ! -e "$$fresh" ] || diff -u "results/tables/$${fresh##*/}" "$$fresh" || exit 1; \
	done
	@rm -rf $(FRESH)
endif

notebook: $(ENV) ## run one notebook: make notebook N=01, with parameters: make notebook N=01 ARGS="-p name=value"
	@"$(PY)" -m ragkit notebook $(N) $(ARGS)

notebooks: $(ENV) ## run all notebooks again, fresh or not, and replace the committed ones
	@"$(PY)" -m ragkit notebook --force $(basename $(notdir $(NOTEBOOKS)))

compare: $(ENV) ## what changed since BASE (else since this branch left origin/main): a page and summaries in results/runs/pair
	@"$(PY)" -m ragkit history pull || echo "going on with the records that are here"
	@for commit in "$(BASE)" HEAD; do "$(PY)" -m ragkit history run "$$commit^!" || exit; done
	@"$(PY)" -m ragkit history compare "$(BASE)" HEAD --html $(PAIR)/page.html --markdown $(PAIR)/summary.md \
	  --junit $(PAIR)/junit.xml --bench $(PAIR)

summary: ## the Markdown of `make compare`, on the job page of GitHub where there is one
	@cat $(PAIR)/summary.md >> "$${GITHUB_STEP_SUMMARY:-/dev/stdout}"

comment: ## the same as a comment on the pull request PR; a later one replaces it (needs gh)
	@gh pr comment "$(PR)" --edit-last --create-if-none --body-file $(PAIR)/summary.md

gate: $(ENV) ## may HEAD be merged onto BASE? After `make compare`; rules: make gate ARGS='--must --allow "recall>=80%"'
	@"$(PY)" -m ragkit history gate "$(BASE)" HEAD $(ARGS)

history: $(ENV) ## evaluate every commit that has no record, and share the records over the remote
	@"$(PY)" -m ragkit history pull
	@"$(PY)" -m ragkit history run --missing
	@"$(PY)" -m ragkit history push

public: $(ENV) ## compute results/tables/public.csv from the public question sets in the folder RAGKIT_DATA
	@"$(PY)" -m ragkit public

bench: $(BENCH_ENV) ## measure speed side by side with other engines
	@"$(PY)" -m tests.bench

lab: $(LAB_STAMP) ## open JupyterLab with the project's kernel
	.venv-lab/bin/python -m jupyterlab $(if $(filter 0,$(shell id -u)),--allow-root) notebooks # in a container one is root

check: $(ENV) ## ruff, mypy and the notebook guard; runs no notebook
	"$(PY)" -m ruff check .
	"$(PY)" -m mypy
	$(PYTEST) -q tests/test_notebooks.py -k committed

lock: ## resolve pyproject.toml into the locks; newer versions: make lock ARGS=--upgrade
	@set -e; tool=$$(mktemp -d); trap 'rm -rf "$$tool"' EXIT; $(find_python); \
	"$$python" -m venv "$$tool"; "$$tool/bin/python" $(PIP) $(UV); \
	compile() { "$$tool/bin/uv" pip compile --quiet --universal --python-version 3.11 --generate-hashes \
	  --no-emit-index-url --no-emit-find-links --custom-compile-command "make lock" $(ARGS) pyproject.toml "$$@"; }; \
	compile --extra models --extra test -o requirements.lock; \
	compile --extra models --extra test --extra lab -c requirements.lock -o requirements-lab.lock; \
	compile --extra models --extra test --extra bench -c requirements.lock -o requirements-bench.lock

clean: ## remove what can be made again, but no committed result and no environment
	rm -rf $(FRESH) results/runs results/cache results/report.html build dist
	rm -rf .pytest_cache .ruff_cache .mypy_cache .hypothesis
	find ragkit tests -name __pycache__ -type d -prune -exec rm -rf {} +

clean-all: clean ## the same, and the environments
	rm -rf .venv .venv-lab

# The first of $(PYTHON) that is new enough, as the shell variable `python`.
find_python = python=; for one in $(PYTHON); do \
	  if "$$one" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then python=$$one; break; fi; \
	done; \
	if [ -z "$$python" ]; then echo "no Python 3.11 or newer found; name one: make PYTHON=/path/to/python3.11" >&2; exit 2; fi

# pip refuses an editable in a file with hashes, so the project itself follows the lock; its build backend stands in the lock.
define install
	@echo "installing $(2) into $(1) (a minute or two)"
	@[ -x $(1)/bin/python ] || { $(find_python); "$$python" -m venv $(1); }
	@$(1)/bin/python $(PIP) --require-hashes -r $(2)
	@$(1)/bin/python $(PIP) --no-deps --no-build-isolation -e .
endef

$(RUN_STAMP):
	$(call install,.venv,requirements.lock)
	@rm -f .venv/.stamp-*
	@touch $@

$(BENCH_STAMP): $(RUN_STAMP)
	@.venv/bin/python $(PIP) --require-hashes -r requirements-bench.lock
	@touch $@

$(LAB_STAMP):
	$(call install,.venv-lab,requirements-lab.lock)
	@.venv-lab/bin/python -m ipykernel install --sys-prefix --name ragkit --display-name ragkit
	@rm -f .venv-lab/.stamp-*
	@touch $@
