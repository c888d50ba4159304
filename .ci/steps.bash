# Functions of .ci/run and .ci/nightly, which source this file.

step() { printf '\n== %s (%s s)\n' "$1" "$SECONDS"; }

# Installs Debian packages unless the check that follows them says that what they bring is there.
need() {
  local packages=$1
  shift
  "$@" >/dev/null 2>&1 && return
  apt-get update -qq
  # shellcheck disable=SC2086 # one word per package
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $packages
}
