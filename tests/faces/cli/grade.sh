# `drywarp grade` gives every program a score: one that succeeds, crashes, hangs, prints garbage or does not compile; and it refuses
# wrong exercises. The exercises of the course give their solutions every point, and their naive programs some.
source "$(dirname "$0")/common.sh"

cat >e.toml <<'TOML'
title = "Everything"
task = "Do it."
time_limit = 2
arguments = ["x", "y"]
solution = "p.cu"
[[check]]
points = 1
says = "Ends with 3."
exit = 3
[[check]]
points = 2
says = "Prints as the solution."
output_as_solution = true
[[check]]
points = 4
says = "Loads four sectors."
kernel = "add*"
line_with = "// the load"
expect = "gld_transactions == 4"
[[check]]
points = 8
says = "Is as fast as the solution."
expect = "kernel:add* modelled:time <= baseline"
TOML

# One program for every end: the first character of the file `end` says which.
cat >p.cu <<'CU'
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
__global__ void add(int* a) {
  a[threadIdx.x] += 1;  // the load
}
__global__ void spin(volatile int* a) {
  while (a[100] == 0) {
  }
}
int main(int argc, char** argv) {
  int* a;
  cudaMalloc(&a, 4096);
  cudaMemset(a, 0, 4096);
  FILE* file = std::fopen("end", "r");
  int end = file ? std::getc(file) : ' ';
  if (end != 'n') add<<<1, 32>>>(a);
  if (end == 'h') spin<<<1, 32>>>(a);
  cudaDeviceSynchronize();
  if (end == 'g') std::fwrite("\x1b[2J\xff\0\xfe", 1, 7, stdout);
  std::printf("%d arguments, last %s\n", argc - 1, argv[argc - 1]);
  std::fflush(stdout);
  if (end == 's') std::abort();
  if (end == 'i' && std::getchar() != EOF) return 4;
  std::signal(SIGTERM, SIG_IGN);  // a program that does not want to end
  while (end == 'l') pause();
  return 3;
}
CU

tried() { # tried CODE END: the program ends so; from the solution's own source, so that it is compiled once
  printf %s "$2" >end
  expect "$1" "$DRYWARP" grade e.toml own.cu
}
cp p.cu own.cu
sed -i 's/std::fopen("end", "r")/nullptr/' p.cu

printf i >end
"$DRYWARP" grade e.toml own.cu </dev/zero >out 2>err || fail "the program reads drywarp's input"
has out "Score: 15 of 15 points"
cp out first
tried 0 ' '
cmp -s out first || fail "the score changes"
tried 123 s
has out "The program crashed: it was killed by signal 6"
has out "found     it was killed by signal 6"
has out "Score: 14 of 15 points"
tried 123 l
has out "The program ran longer than 2 seconds and was killed."
has out "Score: 0 of 15 points"
tried 0 h # the kernel is stopped before the program, which goes on; no check is about this kernel
has err "time limit reached in spin"
has out "Score: 15 of 15 points"
tried 123 g
has out '"\x1b[2J\xff\x00\xfe2 arguments, last y"'
has out "Score: 13 of 15 points"
tried 123 n
unwrapped out >flat
has flat "the program launched none"
has out "Score: 3 of 15 points"

# As JSON; with compile options; as a program that exists.
printf n >end
expect 123 "$DRYWARP" grade --format json e.toml own.cu
python3 -c 'import json; s = json.load(open("out")); assert (s["points"], s["of"], len(s["checks"])) == (3, 15, 4), s' ||
  fail "the JSON is wrong"
expect 123 "$DRYWARP" grade e.toml -Dmain=int own.cu
has out "The program does not compile."
has out "Score: 0 of 15 points"
has err "error:"

# Without a program: the task.
expect 0 "$DRYWARP" grade e.toml
has out "Do it."
has out "  8  Is as fast as the solution."

# No score.
expect 125 "$DRYWARP" grade own.cu
has err "exercise is required"
expect 125 "$DRYWARP" grade missing.toml own.cu
has err "cannot read 'missing.toml'"
expect 127 "$DRYWARP" grade e.toml missing.cu
has err "missing.cu"
expect 125 "$DRYWARP" grade e.toml own.cu -- 3
has err "the exercise says with which arguments the program runs"
sed 's/^title/device = "gtx9999"\ntitel = 1\ntitle/' e.toml >wrong.toml
expect 125 "$DRYWARP" grade wrong.toml own.cu
has err "wrong.toml:2:9: error: an exercise has no 'titel'"
sed -i /titel/d wrong.toml
expect 125 "$DRYWARP" grade wrong.toml own.cu
has err "wrong.toml:1:10: error:"
sed 's/"p.cu"/"broken.cu"/' e.toml >wrong.toml
echo 'int main( {}' >broken.cu
expect 125 "$DRYWARP" grade wrong.toml own.cu
has err "the exercise's solution 'broken.cu' does not compile"

# The course's exercises: every lesson has one, and links to it.
for lesson in "$SOURCE"/docs/course/[0-9]*.md; do
  name=$(basename "$lesson" .md)
  folder=$SOURCE/examples/exercises/$name
  has "$lesson" "(../../examples/exercises/$name/exercise.toml)"
  expect 123 "$DRYWARP" grade --format json "$folder/exercise.toml" "$folder/start.cu"
  python3 -c 'import json; s = json.load(open("out")); assert 0 < s["points"] < s["of"] == 10, s' || fail "$name: the start"
  python3 -c 'import json; s = json.load(open("out")); assert all(c["passed"] or c["hint"] for c in s["checks"]), s' ||
    fail "$name: no hint"
  expect 0 "$DRYWARP" grade "$folder/exercise.toml" "$folder/solution.cu"
  has out "Score: 10 of 10 points"
done
