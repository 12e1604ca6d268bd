#!/usr/bin/env bash
# tests/package/debian.sh PACKAGE.deb FOLDER
#
# Makes a fresh Debian 12 in FOLDER with debootstrap, from where this system gets its own packages; installs the package there as a
# user would, and profiles an example as an ordinary user, in an empty folder, without a network. Downloads stay in FOLDER/packages
# for the next time, the system does not. Needs root.
set -euo pipefail
package=$(realpath "$1")
mkdir -p "$2/packages"
folder=$(realpath "$2")
root=$folder/root

fail() {
  echo "package-test: $*" >&2
  exit 1
}
((EUID == 0)) || fail "debootstrap needs root"
rm -rf --one-file-system "$root"
trap 'rm -rf --one-file-system "$root"' EXIT

# This system's archives: "URI SUITE COMPONENT".
mapfile -t archives < <(apt-get indextargets --format '$(REPO_URI) $(RELEASE) $(COMPONENT)' 'Created-By: Packages' |
  grep -E '^[^ ]+ bookworm(-[a-z]+)? main$')
main=$(printf '%s\n' "${archives[@]}" | sed -n 's/ bookworm main$//p' | head -n 1)
[[ -n $main ]] || fail "this system gets no packages of Debian 12 (bookworm)"
began=$SECONDS
debootstrap --variant=minbase --cache-dir="$folder/packages" bookworm "$root" "$main" >"$folder/log" 2>&1 ||
  fail "debootstrap failed: see $folder/log"
printf 'deb %s\n' "${archives[@]}" >"$root/etc/apt/sources.list"
cp /etc/resolv.conf /etc/hosts "$root/etc/"
cp "$package" "$root/root/drywarp.deb"
echo "a fresh Debian 12: $((SECONDS - began)) s"

# inside COMMAND: as root there, with processes of its own; inside_alone: without a network, as an ordinary user.
inside() {
  unshare --mount --pid --fork bash -c 'mount -t proc proc "$1/proc" && exec chroot "$1" bash -c "$2"' inside "$root" "$1"
}
inside_alone() {
  unshare --mount --pid --net --fork bash -c \
    'mount -t proc proc "$1/proc" && exec chroot --userspec=visitor:visitor "$1" env -i HOME=/home/visitor PATH=/usr/bin:/bin bash -c "$2"' \
    inside "$root" "cd && $1"
}

inside 'apt-get update -q && useradd --create-home visitor' >>"$folder/log" 2>&1 || fail "no network? see $folder/log"
# Packages that were downloaded before need not be again.
find "$folder/packages" -maxdepth 1 -name '*.deb' -exec cp -n -t "$root/var/cache/apt/archives" {} +
install=(env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends)
inside "${install[*]} --download-only /root/drywarp.deb" >>"$folder/log" 2>&1 || fail "packages are missing: see $folder/log"
cp -n -t "$folder/packages" "$root"/var/cache/apt/archives/*.deb

began=$SECONDS
inside "${install[*]} /root/drywarp.deb" >>"$folder/log" 2>&1 || fail "it does not install: see $folder/log"
installed=$((SECONDS - began))
began=$SECONDS
inside_alone 'mkdir empty && cd empty && cp /usr/share/drywarp/examples/transpose.cu . && drywarp profile transpose.cu' \
  >"$folder/report" 2>&1 || fail "no report: see $folder/report"
profiled=$((SECONDS - began))
grep -q 'naive_write' "$folder/report" || fail "the report lacks a kernel: see $folder/report"
inside_alone 'cd empty && drywarp nvcc -o transpose transpose.cu && ./transpose >/dev/null && drywarp explain banks --stride 2 >/dev/null' \
  >>"$folder/report" 2>&1 || fail "drywarp nvcc or explain does not work: see $folder/report"
inside_alone '[[ -s /usr/share/man/man1/drywarp-profile.1.gz ]]' || fail "no manual page"
inside 'apt-get remove -q -y drywarp && ! ls -d /usr/lib/drywarp /usr/share/drywarp' >>"$folder/log" 2>&1 ||
  fail "something is left when it is removed"
echo "apt install with what it depends on, downloaded before: $installed s"
echo "drywarp profile transpose.cu, the first time: $profiled s"
((profiled < 60)) || fail "the first report takes a minute or more"
