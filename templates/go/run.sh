# What `connector run` starts. Where the sources are, it builds what has changed; an image holds the built program alone.
set -e
[ ! -e main.go ] || go build -o .build/source .
exec .build/source
