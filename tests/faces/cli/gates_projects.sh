# The example project of gates: CTest tests by drywarp_add_test(), GoogleTest by <drywarp/gtest.h>.
source "$(dirname "$0")/common.sh"
export CMAKE_GENERATOR=Ninja

cp -r "$SOURCE/examples/gates" project
expect 0 cmake -S project -B build -Ddrywarp_DIR="$SOURCE/cmake" -Ddrywarp_EXECUTABLE="$DRYWARP"
expect 0 cmake --build build
expect 0 ctest --test-dir build --output-on-failure
has out "100% tests passed, 0 tests failed out of 3"
[[ -s build/copy.contract.junit.xml && -s build/copy.contract.sarif ]] || fail "the verdicts are not kept"

# Each of them fails when the kernel gets worse.
sed -i 's/argv\[1\]) : 1/argv[1]) : 2/; s/"kernel:copy\* gld_efficiency == 100");/"kernel:copy* gld_efficiency >= 99");/' \
  project/copy.cu project/copy_test.cpp
expect 0 cmake --build build
expect 8 ctest --test-dir build --output-on-failure
has out "0% tests passed, 3 tests failed out of 3"
has out "gld_efficiency is 50 %, expected == 100 %"
has out "gld_efficiency is 50 %, expected >= 99 %"
has out "copy.cu:6: 50 %"
