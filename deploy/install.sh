#!/bin/sh
# deploy/install.sh FOLDER: installs the `connector` command of this clone, as it is published and with the dependencies
# of the lock file, into the folder, and leaves the clone without its own dependencies. Run `npm ci` first, which builds
# the packages.
set -eu
folder=$1
cd "$(dirname "$0")/.."
packed=$(mktemp -d)
trap 'rm -rf "$packed"' EXIT
mkdir -p "$folder/bin"

for package in packages/*; do
  grep -q '"private": true' "$package/package.json" || npm pack --silent --workspace "$package" --pack-destination "$packed"
done

# The dependencies, with links to the packages of the clone.
npm ci --omit=dev --omit=peer --ignore-scripts --workspace packages/cli --no-audit --no-fund
cp -R node_modules "$folder/node_modules"

# The packages take the place of their links.
for tarball in "$packed"/*.tgz; do
  name=$(tar -xzOf "$tarball" package/package.json | node -p 'JSON.parse(require("fs").readFileSync(0, "utf8")).name')
  installed=$folder/node_modules/$name
  [ -L "$installed" ] || continue
  source=$(readlink -f "node_modules/$name")
  rm "$installed"
  mkdir "$installed"
  tar -xzf "$tarball" -C "$installed" --strip-components=1
  [ ! -d "$source/node_modules" ] || cp -R "$source/node_modules" "$installed/node_modules"
done

# What only `connector codegen`, `dev` and `types` need, and a project has for its development: 35 MB. Types and source
# maps: another 30 MB.
rm -rf "$folder/node_modules/dprint-node" "$folder/node_modules/prettier" "$folder/node_modules/.bin"
find "$folder/node_modules" -type f \( -name '*.map' -o -name '*.d.ts' -o -name '*.d.mts' -o -name '*.d.cts' \) -delete

echo '{ "private": true, "type": "module" }' >"$folder/package.json"
printf '#!/bin/sh\nexec node %s/node_modules/@headrace/cli/bin/connector.js "$@"\n' "$folder" >"$folder/bin/connector"
chmod 755 "$folder/bin/connector"
