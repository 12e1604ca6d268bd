#!/usr/bin/env bash
# . tests/package/fresh_debian.sh FOLDER
#
# Makes a fresh Debian 12 in FOLDER/root with debootstrap, from where this system gets its own packages, for a script that tries
# something there. Downloads stay in FOLDER/packages for the next time, the system does not. Needs root.
mkdir -p "$1/packages"
folder=$(realpath "$1")
root=$folder/root

fail() {
  echo "${0##*/}: $*" >&2
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
# install PACKAGE...: downloads them with what they depend on, and then installs them; the seconds that this took are in $installed.
install() {
  local began apt=(env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends)
  inside "${apt[*]} --download-only $*" >>"$folder/log" 2>&1 || fail "packages are missing: see $folder/log"
  cp -n -t "$folder/packages" "$root"/var/cache/apt/archives/*.deb
  began=$SECONDS
  inside "${apt[*]} $*" >>"$folder/log" 2>&1 || fail "$* cannot be installed: see $folder/log"
  installed=$((SECONDS - began))
}
