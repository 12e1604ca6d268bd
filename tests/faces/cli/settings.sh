# The environment variables that configure a program's session are in one list (src/cuda/launch/options.def), and a program
# does not inherit an outer drywarp's.
source "$(dirname "$0")/common.sh"

list=$SOURCE/src/cuda/launch/options.def
known=$(grep -oE '"DRYWARP_[A-Z_]+"' "$list" | tr -d '"')
[[ $(wc -l <<<"$known") -ge 15 ]] || fail "the list is not where it was"

# The sources name no other variables except the two that users set (docs/cli.md).
for variable in $(grep -rhoE '"DRYWARP_[A-Z_]+"' "$SOURCE/src" --include='*.cpp' --include='*.h' | tr -d '"' | sort -u); do
  case $variable in
    DRYWARP_CLANG | DRYWARP_CACHE_DIR) has "$SOURCE/docs/cli.md" "$variable" ;;
    *) fail "$variable is named in the sources: variable::... of $list is its name" ;;
  esac
done

# Nested: the outer drywarp's variables are set but do not reach the program.
cat >app.cu <<'CU'
#include <cstdio>
#include <cstring>
extern char** environ;
__global__ void nothing() {}
int main() {
  nothing<<<1, 32>>>();
  for (char** v = environ; *v; ++v)
    if (!std::strncmp(*v, "DRYWARP_", 8)) std::puts(*v);
  return cudaDeviceSynchronize();
}
CU
around=()
for variable in $known; do around+=("$variable=$home/around"); done
expect 0 env "${around[@]}" "$DRYWARP" run app.cu
[[ ! -e around ]] || fail "the program wrote what another was to write"
hasnt out "$home/around"
expect 0 env "${around[@]}" "$DRYWARP" profile --workers 1 --output report.txt app.cu
has out "DRYWARP_WORKERS=1"
hasnt out "$home/around"
