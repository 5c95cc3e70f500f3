#!/bin/sh
# Builds and installs a tree that can be put anywhere: build.sh SOURCE TREE [MESON-OPTION]...
#
# MESON is the command that runs Meson.  Only what is installed is built, and TARGETS.  Everything optional is built in, and its
# absence is an error.  The compiled-in places do not exist, so that only files of the tree are used.
set -eu
source=$1 tree=$2
shift 2
build=$tree.build
rm -rf "$tree" "$build"
${MESON:-meson} setup "$build" "$source" --buildtype=release --prefix=/nonexistent/tfr --libdir=lib --libexecdir=libexec \
  -Disal=enabled -Darchive=enabled -Daudio=enabled -Dhdf5=enabled -Dgif=enabled -Dwebp=enabled -Dyaml=enabled -Dremote=enabled -Dcuda=driver \
  -Dtests=disabled -Dpkgconfig.relocatable=true "$@"
installed=$(${MESON:-meson} introspect "$build" --targets | python3 -c 'import json, os, sys
for target in json.load(sys.stdin):
    if target["installed"]:
        print(*(os.path.relpath(name, sys.argv[1]) for name in target["filename"]))' "$build")
ninja -C "$build" $installed ${TARGETS-}
DESTDIR=$tree.installed ${MESON:-meson} install -C "$build" --no-rebuild --strip --quiet
mv "$tree.installed/nonexistent/tfr" "$tree"
rm -rf "$tree.installed" "$tree/lib/libtfr.a"
sed -i '/^\(Requires\|Libs\).private:/d' "$tree/lib/pkgconfig/tfr.pc"   # they are for libtfr.a
