version=$(tfr version | head -n 1)
[[ $version =~ ^tfr\ [0-9]+\.[0-9]+\.[0-9]+$ ]] || echo "odd first line: $version"
[ "$(tfr --version | head -n 1)" = "$version" ] || echo 'version and --version differ'
grep -qF "version: '${version#tfr }'" "$TOP/meson.build" || echo 'not the version of meson.build'
# As JSON: the same version and features, and the library of the driver that the loader finds.
driver=$(dirname "$(readlink -f "$(command -v tfr)")")/../tests/driver
tfr version --json > json
python3 - "$version" "$(tfr version | sed -n '2s/built with: //p')" << 'END'
import json, sys
got = json.load(open('json'))
assert 'tfr ' + got['tfr'] == sys.argv[1], got
features = [part if part.startswith('no ') else part.split(' ')[0] for part in sys.argv[2].split(', ')]
assert features == [('' if f['built'] else 'no ') + f['name'] for f in got['features']], got
assert got['cuda']['through'] in ('driver', 'runtime', 'none'), got
END
if [ -f "$driver/libcuda.so.1" ]; then
  LD_LIBRARY_PATH=$driver TFR_FAKE_CUDA=fails=cuInit tfr version --json | grep -c '"library": ".*/libcuda.so.1"'
else
  echo 1
fi
