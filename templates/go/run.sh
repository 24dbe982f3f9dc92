# `connector run` starts this script. It builds the program if the sources are there; a container image has only the program.
set -e
[ ! -e main.go ] || go build -o .build/source .
exec .build/source
