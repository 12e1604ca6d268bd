# `drywarp calibrate`: fails without a GPU; makes a device file from recorded results.
source "$(dirname "$0")/common.sh"

expect 125 "$DRYWARP" calibrate
has err "output"

expect 125 "$DRYWARP" calibrate --output new.toml --nvcc no-such-compiler
has err "no-such-compiler"
has err "CUDA toolkit"
[[ ! -e new.toml ]] || fail "a device file without measurement"

# A compiler that fails, and a program that finds no GPU.
printf '#!/bin/sh\necho "nvcc fatal: unsupported" >&2\nexit 1\n' >broken
chmod +x broken
expect 125 "$DRYWARP" calibrate --output new.toml --nvcc ./broken
has err "nvcc fatal: unsupported"
cat >pretend <<'SH'
#!/bin/sh
while [ $# -gt 0 ]; do
  [ "$1" = -o ] && program=$2
  case $1 in *.cu) [ -s "$1" ] || exit 9 ;; esac
  shift
done
printf '#!/bin/sh\necho "device.cu:1: no CUDA-capable device is detected" >&2\nexit 1\n' >"$program"
chmod +x "$program"
SH
chmod +x pretend
expect 125 "$DRYWARP" calibrate --output new.toml --nvcc ./pretend
has err "no CUDA-capable device is detected"

# Results recorded on an H200.
expect 0 "$DRYWARP" calibrate --from "$SOURCE/tests/golden/calibrate/h200.txt" --output mine.toml
has out "NVIDIA H200"
has err "l1.outstanding_sectors"
grep -q '^name = "NVIDIA H200"' mine.toml || fail "no device file"
grep -q '^latency_far = ' mine.toml || fail "the far partition is missing"
# What was not measured is inherited, so that kernels have times.
grep -q '^based_on = "h200"' mine.toml || fail "the file has no base"
expect 0 "$DRYWARP" profile --time --device mine.toml "$SOURCE/examples/vector_add.cu"
hasnt err "no times"
head -n 40 "$SOURCE/tests/golden/calibrate/h200.txt" >early.txt
expect 125 "$DRYWARP" calibrate --from early.txt --output mine.toml
has err "did not finish"
