# Wrong input: numbers, folders for files, closed and full standard output. Always a message, never an abort.
source "$(dirname "$0")/common.sh"

cat >app.cu <<'CU'
#include <cstdio>
__global__ void first(float* a) { a[threadIdx.x] = 1; }
int main() {
  float* a;
  cudaMalloc(&a, 4096);
  first<<<2, 64>>>(a);
  std::puts("the program's own line");
  return cudaDeviceSynchronize();
}
CU
expect 0 "$DRYWARP" nvcc app.cu -o app
expect 0 "$DRYWARP" nvcc -ptx app.cu
mkdir folder folder.toml folder.cu

# nvcc's options before a program.
expect 125 "$DRYWARP" run -o x ./app
has err "'-o' is an nvcc option for sources, and './app' is not a source"
expect 125 "$DRYWARP" profile -o app app.cu
has err "'app' is a program: a report would replace it"
expect 125 "$DRYWARP" profile -c 1 ./app
has err "--launch-count N"
cp app.cu plain.txt
expect 0 "$DRYWARP" run -x cu plain.txt

# Numbers
for option in "--timeout nan" "--timeout -1" "--timeout inf" "--timeout soon" "--workers -1"; do
  expect 125 "$DRYWARP" run $option ./app
done
has err "--workers"
for option in "--launch-skip -1" "--launch-count -1" "--launch-count 0" "--lines -1"; do
  expect 125 "$DRYWARP" profile $option ./app
done
for option in "--occupancy 101" "--ilp 0" "--clock nan" "--bandwidth -1"; do
  expect 125 "$DRYWARP" latency $option
done
hasnt err 0000000
(ulimit -v 50000000 && expect 125 "$DRYWARP" profile app.ptx --grid 1 --block 32 --arg buf:900G && has err "not enough memory")

# Folders for files
expect 125 "$DRYWARP" devices folder.toml
has err "cannot read the device file 'folder.toml': Is a directory"
expect 125 "$DRYWARP" run --device / ./app
expect 125 "$DRYWARP" profile --cubin folder ./app
has err "cannot read 'folder': Is a directory"
expect 125 "$DRYWARP" run folder.cu
expect 126 "$DRYWARP" run folder
expect 125 "$DRYWARP" profile --output folder ./app
expect 125 "$DRYWARP" calibrate --output missing/x.toml
has err "cannot write 'missing/x.toml'"

# A full disk, a closed standard output, a pipe whose reader ends early.
mkdir temporary
export TMPDIR=$home/temporary
for command in devices "devices h200" help version "run --help" latency "occupancy --block 64" "profile --query-metrics" \
  "explain access --index threadIdx.x" "profile --time off ./app"; do
  code=0
  "$DRYWARP" $command >/dev/full 2>err || code=$?
  [[ $code == 125 ]] || fail "'$command' on a full disk ended with $code"
  has err "is incomplete"
  code=0
  "$DRYWARP" $command >&- 2>err || code=$?
  [[ $code == 125 ]] || fail "'$command' without standard output ended with $code"
  "$DRYWARP" $command 2>err | true || true
  [[ -z $(ls -A "$TMPDIR") ]] || fail "'$command' left $(ls "$TMPDIR") behind"
done
# A program's output to a closed standard output is lost and does not go into drywarp's files.
code=0
"$DRYWARP" run ./app >&- 2>err || code=$?
[[ $code == 0 ]] || fail "the program ended with $code"

# Colours
colours() { script -qec "env $* $DRYWARP occupancy --block 64" /dev/null </dev/null >out; grep -q $'\033\[1m' out; }
colours TERM=xterm NO_COLOR= || fail "an empty NO_COLOR took the colours away"
! colours TERM=xterm NO_COLOR=1 || fail "there are colours in spite of NO_COLOR"
! colours TERM=dumb || fail "there are colours on a dumb terminal"

# Names that are not ASCII
mkdir "ordner ä"
cp app.cu "ordner ä/größe ☃.cu"
expect 0 "$DRYWARP" profile --time off "ordner ä/größe ☃.cu"
has out "größe ☃.cu:2"
