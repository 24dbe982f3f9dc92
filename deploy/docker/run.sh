#!/bin/sh
# run.sh ARGUMENTS: runs `connector`, and ends with 0 if a restart does not help, as Docker restarts after every failure.
connector "$@" &
run=$!
trap 'kill -TERM "$run"; wait "$run"; exit $?' TERM INT
wait "$run"
code=$?
case $code in
  1 | 2 | 76 | 77)
    echo "connector ended with $code, which a restart does not fix" >&2
    exit 0
    ;;
  *) exit "$code" ;;
esac
