# Shared by the scripts here: where things are, progress lines, the user's cache folder. Sourced, not run.
set -euo pipefail
ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$ROOT"
# shellcheck source=versions
. "$ROOT/scripts/versions"
CACHE=${XDG_CACHE_HOME:-$HOME/.cache}/tidepool
TOOLS=$CACHE/tools
export PATH="$TOOLS/bin:$HOME/.cargo/bin:$PATH"
export CARGO_TERM_COLOR=${CARGO_TERM_COLOR:-never}

say() { printf '\033[1m==>\033[0m %s\n' "$*"; }
die() { printf 'error: %s\n' "$*" >&2; exit 1; }
# Seconds since the script started, for progress lines.
took() { printf '    done after %ss\n' "$SECONDS"; }

# Debian packages NAME:COMMAND …: installed only where the command is missing.
debian() {
  local missing=()
  for pair in "$@"; do command -v "${pair#*:}" >/dev/null 2>&1 || missing+=("${pair%%:*}"); done
  [ ${#missing[@]} -eq 0 ] && return 0
  say "Installing Debian packages: ${missing[*]}"
  local sudo=""
  [ "$(id -u)" = 0 ] || sudo=sudo
  command -v apt-get >/dev/null || die "please install: ${missing[*]}"
  $sudo apt-get update -qq
  DEBIAN_FRONTEND=noninteractive $sudo apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
}

# The npm packages that the scripts use (wasm-opt, a static server, the browser driver), installed once per lock file
# into the cache; prints nothing, sets NODE_TOOLS.
node_tools() {
  local key
  key=$(cat "$ROOT/scripts/node/package.json" "$ROOT/scripts/node/package-lock.json" | sha256sum | cut -c1-16)
  NODE_TOOLS=$CACHE/node-$key
  if [ ! -e "$NODE_TOOLS/.done" ]; then
    say "Installing npm tools into $NODE_TOOLS"
    rm -rf "$NODE_TOOLS" && mkdir -p "$NODE_TOOLS"
    cp "$ROOT"/scripts/node/package*.json "$NODE_TOOLS/"
    (cd "$NODE_TOOLS" && npm ci --no-audit --no-fund --loglevel=error) && touch "$NODE_TOOLS/.done"
  fi
  export NODE_TOOLS PATH="$NODE_TOOLS/node_modules/.bin:$PATH"
}

# One digest of everything that a build reads: equal digest, equal dist/.
source_digest() {
  { find src www lessons Cargo.toml Cargo.lock Trunk.toml .cargo rust-toolchain.toml scripts -type f \
      -not -path '*/node_modules/*' -not -path 'www/editor/dist/*' -print0 | LC_ALL=C sort -z | xargs -0 sha256sum; } | sha256sum | cut -c1-32
}
