#!/bin/sh
# run_fuzzer.sh FUZZER FOLDER RUNS SEEDS... : RUNS inputs, the same ones every time. With DRYWARP_FUZZ_SECONDS: new inputs for so
# long, beginning with those that earlier searches found. What fails is kept in FOLDER.
set -e
fuzzer=$1 folder=$2 runs=$3
shift 3
if [ "$DRYWARP_FUZZ_SECONDS" ]; then
  corpus=$folder/found limits=-max_total_time=$DRYWARP_FUZZ_SECONDS
else
  corpus=$folder/same limits="-seed=1 -runs=$runs"
  rm -rf "$corpus"
fi
mkdir -p "$corpus"
# shellcheck disable=SC2086 # two options
exec "$fuzzer" $limits -timeout=20 -rss_limit_mb=2048 -max_len=32768 -print_final_stats=1 -artifact_prefix="$folder/" "$corpus" "$@"
