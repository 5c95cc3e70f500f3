version=$(tfr version | head -n 1)
[[ $version =~ ^tfr\ [0-9]+\.[0-9]+\.[0-9]+$ ]] || echo "odd first line: $version"
[ "$(tfr --version | head -n 1)" = "$version" ] || echo 'version and --version differ'
grep -qF "version: '${version#tfr }'" "$TOP/meson.build" || echo 'not the version of meson.build'
