# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
#
# A drive, a real gpsd and a locationd, for the scripts beside this one: LOCATIOND_SOCKET is where it serves, "pids" what ends with the
# script, and "directory" goes with it.
directory=$(mktemp -d "${TMPDIR:-/tmp}/locationd-demo.XXXXXX")
pids=()

shared_segments() { ipcs -m | awk '/^0x4e5450|^0x4c4f/ { print $1 }' | sort; }
segments=$(shared_segments)

cleanup() {
    trap - EXIT INT TERM
    for pid in "${pids[@]}"; do kill "$pid" 2>/dev/null; done
    for pid in "${pids[@]}"; do wait "$pid" 2>/dev/null; done
    # gpsd leaves the segments that it shares with its clients and, as root, with time daemons.
    for key in $(comm -13 <(echo "$segments") <(shared_segments)); do ipcrm -M "$key" 2>/dev/null; done
    rm -rf "$directory"
}
trap cleanup EXIT
trap 'exit 0' INT TERM

fail() {
    echo "$(basename "$0"): $1" >&2
    [ -f "$2" ] && sed 's/^/  /' "$2" >&2
    exit 1
}

# Waits up to ten seconds for a command to succeed.
wait_for() {
    local tries=0
    until "$@" >/dev/null 2>&1; do
        tries=$((tries + 1))
        [ "$tries" -gt 100 ] && return 1
        sleep 0.1
    done
}

listens() { (exec 3<>"/dev/tcp/127.0.0.1/$1"); }

if [ -z "${GPSD:-}" ]; then
    "$BIN/locationd-track" drive --serve --port 0 >"$directory/track" 2>&1 &
    pids+=($!)
    wait_for grep -q listening "$directory/track" || fail "cannot feed a drive" "$directory/track"
    feed=$(sed -n 's/^listening on //p' "$directory/track")
    for _ in 1 2 3 4 5 6 7 8; do
        port=$((20000 + RANDOM % 20000))
        listens "$port" 2>/dev/null && continue
        GPSD_SHM_KEY=$(printf '0x4c4f%04x' "$port") gpsd -N -b -S "$port" "tcp://$feed" >"$directory/gpsd" 2>&1 &
        gpsd=$!
        pids+=("$gpsd")
        wait_for listens "$port" && kill -0 "$gpsd" 2>/dev/null && break
    done
    GPSD=127.0.0.1:$port
    listens "$port" 2>/dev/null || fail "cannot start gpsd" "$directory/gpsd"
    echo "A drive of $feed feeds gpsd at $GPSD."
fi

export LOCATIOND_SOCKET=$directory/locationd.sock
mkdir "$directory/state" "$directory/run"
"$BIN/locationd" --socket "$LOCATIOND_SOCKET" --gpsd "$GPSD" --state-directory "$directory/state" \
    --runtime-directory "$directory/run" >"$directory/log" 2>&1 &
pids+=($!)
wait_for test -S "$LOCATIOND_SOCKET" || fail "cannot start locationd" "$directory/log"
