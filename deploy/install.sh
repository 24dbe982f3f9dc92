#!/bin/sh
# deploy/install.sh FOLDER: installs the `connector` command of this clone into the folder, as it is published and with
# the dependencies of the lock file. Run `npm ci` first, which builds the packages.
set -eu
folder=$1
cd "$(dirname "$0")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

mkdir "$work/packed" "$work/clone"
for package in packages/*; do
  grep -q '"private": true' "$package/package.json" ||
    npm pack --silent --workspace "$package" --pack-destination "$work/packed"
done

# The dependencies, with links to the packages of the clone.
tar -cf - package.json package-lock.json packages/*/package.json examples/*/package.json | tar -xf - -C "$work/clone"
(cd "$work/clone" && npm ci --omit=dev --omit=peer --ignore-scripts --workspace packages/cli --no-audit --no-fund)
mkdir -p "$folder/bin"
cp -R "$work/clone/node_modules" "$folder/node_modules"

# The packages take the place of their links.
for tarball in "$work"/packed/*.tgz; do
  name=$(tar -xzOf "$tarball" package/package.json | node -p 'JSON.parse(require("fs").readFileSync(0, "utf8")).name')
  installed=$folder/node_modules/$name
  [ -L "$installed" ] || continue
  source=$(readlink -f "$work/clone/node_modules/$name")
  rm "$installed"
  mkdir "$installed"
  tar -xzf "$tarball" -C "$installed" --strip-components=1
  [ ! -d "$source/node_modules" ] || cp -R "$source/node_modules" "$installed/node_modules"
done

# What only code generators need, and a project has for its development: 35 MB. Types and source maps: another 30 MB.
rm -rf "$folder/node_modules/dprint-node" "$folder/node_modules/prettier" "$folder/node_modules/.bin"
find "$folder/node_modules" -type f \( -name '*.map' -o -name '*.d.ts' -o -name '*.d.mts' -o -name '*.d.cts' \) -delete

echo '{ "private": true, "type": "module" }' >"$folder/package.json"
cat >"$folder/bin/connector" <<END
#!/bin/sh
case \$1 in
  codegen | dev | new | types)
    echo "error: \"connector \$1\" needs a project: this installation is without code generators." >&2
    exit 1
    ;;
esac
exec node $folder/node_modules/@headrace/cli/bin/connector.js "\$@"
END
chmod 755 "$folder/bin/connector"
