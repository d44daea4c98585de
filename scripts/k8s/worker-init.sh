#!/usr/bin/env bash
# The first process of a worker: runs sshd (its arguments are sshd's), and lets no run be lost when
# the worker is drained. A bare sshd ends at a TERM and takes the ranks with it, without a signal.
# This one sends USR1 to the worker's ranks first, which makes the whole job write a checkpoint and
# end with 75, waits until Open MPI's daemon has gone, and then ends sshd. The pod's
# terminationGracePeriodSeconds must leave time for a checkpoint.
set -u

# The processes of these names (as in /proc/PID/comm) in this container.
named() {
    local folder comm name
    for folder in /proc/[0-9]*; do
        read -r comm 2>/dev/null <"$folder/comm" || continue
        for name in "$@"; do
            [ "$comm" != "$name" ] || echo "${folder#/proc/}"
        done
    done
}

drain() {
    trap '' TERM INT
    # A rank that is just starting may miss one: again until the daemon has gone.
    while [ -n "$(named orted prted)" ]; do
        # shellcheck disable=SC2046 # several numbers are several words
        kill -USR1 $(named wavetrain) 2>/dev/null
        for _ in 1 2 3 4 5 6 7 8 9 10; do
            sleep 0.2
            [ -n "$(named orted prted)" ] || break
        done
    done
    kill -TERM "$sshd"
}

/usr/sbin/sshd -De "$@" &
sshd=$!
trap drain TERM INT
while :; do
    wait "$sshd"
    code=$?
    kill -0 "$sshd" 2>/dev/null || break
done
exit "$code"
