# What cmake --install lays out works wherever its folder is moved, and needs neither the source nor the build tree.
# $BUILD is the build folder.
source "$(dirname "$0")/../faces/cli/common.sh"

expect 0 cmake --install "$BUILD" --prefix "$home/first"
mv first "second place"
prefix="$home/second place"
if grep -rlF -e "$SOURCE" -e "$BUILD" "$prefix" >out; then fail "files name the folders that they were built in"; fi
for file in bin/drywarp lib/drywarp/libcudart.so lib/drywarp/libnvrtc.so lib/drywarp/libcublas.so lib/drywarp/libcublasLt.so lib/drywarp/libcurand.so lib/drywarp/libcusparse.so lib/drywarp/libcusolver.so lib/drywarp/libcufft.so lib/drywarp/toolkit/bin/nvcc share/man/man1/drywarp-profile.1 \
  share/bash-completion/completions/drywarp share/drywarp/include/cuda_runtime.h include/drywarp/gtest.h share/doc/drywarp/LICENSE; do
  [[ -s $prefix/$file ]] || fail "$file is missing"
done

# Runs a command where both trees are empty, if this system lets us hide them.
alone() { "$@"; }
if unshare --mount true 2>/dev/null; then
  alone() {
    SOURCE=$SOURCE BUILD=$BUILD unshare --mount bash -c \
      'mount -t tmpfs none "$BUILD" && mount -t tmpfs none "$SOURCE" && [[ ! -e $SOURCE/include ]] && exec "$@"' alone "$@"
  }
fi
export -f alone
export SOURCE BUILD prefix

mkdir empty && cd empty
cp "$prefix/share/drywarp/examples/transpose.cu" .
expect 0 bash -c 'alone "$prefix/bin/drywarp" profile --details transpose.cu'
has out "naive_write"
has out "Sectors per global store request"
expect 0 bash -c 'alone "$prefix/lib/drywarp/toolkit/bin/nvcc" -o transpose transpose.cu && alone ./transpose'
expect 0 bash -c 'alone "$prefix/bin/drywarp" devices h100'

# The profilers under their own names, where they do not hide NVIDIA's.
for name in ncu nvprof; do
  [[ $(readlink "$prefix/lib/drywarp/bin/$name") == ../../../bin/drywarp ]] || fail "$name is no relative link to drywarp"
  [[ ! -e $prefix/bin/$name ]] || fail "bin/$name would hide NVIDIA's"
done
expect 0 bash -c 'PATH="$prefix/lib/drywarp/bin:$PATH"; alone ncu --metrics launch__grid_size -c 1 ./transpose'
has out '==PROF== Profiling "copy" - 0 (1/1): 0%'
expect 0 bash -c 'PATH="$prefix/lib/drywarp/bin:$PATH"; alone nvprof ./transpose'
has err 'GPU activities'

# CMake finds it, with drywarp_add_test() and drywarp::gtest.
cp -r "$prefix/share/drywarp/examples/gates" .
expect 0 cmake -G Ninja -S gates -B gates/build -DCMAKE_PREFIX_PATH="$prefix"
expect 0 cmake --build gates/build
expect 0 ctest --test-dir gates/build
has out "0 tests failed out of 3"
