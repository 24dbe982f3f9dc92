# Builds protoc-gen-go, the tool in go.mod (slow only the first time), and generates the code of the messages.
set -e
[ -e .build/protoc-gen-go ] ||
  echo 'Building protoc-gen-go. The first time on a machine takes a minute or more; each package is listed when compiled:' >&2
go build -v -o .build/ tool
exec buf generate
