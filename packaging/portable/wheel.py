#!/usr/bin/env python3
"""Makes a wheel of an installed tree: wheel.py TREE COLLECTED README OUT VERSION

TREE is what build.sh made, COLLECTED the same after collect.py, for the licences and the bill of materials.  The wheel has
the module, and beside it bin/tfr, lib/libtfr.so.0, the modules in lib/tfr and the programs in libexec, which find each
other as they do in TREE.  Other libraries are not in it yet: auditwheel adds them, under names that no other wheel uses.
"""
import base64
import hashlib
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time
import zipfile

NAME = 'tfrkit'
TAG = 'cp311-abi3-linux_x86_64'
PATCHELF = os.environ.get('PATCHELF', 'patchelf')

METADATA = """\
Metadata-Version: 2.4
Name: tfrkit
Version: {version}
Summary: Read, write, create, shard and check TFRecord files, with every checksum verified
License-Expression: BSD-3-Clause
License-File: LICENSE
{licenses}Keywords: tfrecord,tensorflow,pytorch,jax,grain,dataset
Classifier: Development Status :: 4 - Beta
Classifier: Environment :: Console
Classifier: Intended Audience :: Science/Research
Classifier: Operating System :: POSIX :: Linux
Classifier: Programming Language :: C
Classifier: Programming Language :: Python :: 3 :: Only
Classifier: Programming Language :: Python :: Implementation :: CPython
Requires-Python: >=3.11
Provides-Extra: arrays
Requires-Dist: numpy>=1.22; extra == 'arrays'
Description-Content-Type: text/markdown

"""

WHEEL = """\
Wheel-Version: 1.0
Generator: tfr
Root-Is-Purelib: false
Tag: %s
""" % TAG

ENTRY_POINTS = """\
[console_scripts]
tfr = tfrkit.command:main
tfrkit = tfrkit.command:main
"""


def put_files(tree, package):
    """The package as it is installed."""
    source = next(path for path in tree.rglob(NAME) if (path / '__init__.py').exists())
    shutil.copytree(source, package)
    for folder in 'bin', 'libexec', 'lib/tfr':
        shutil.copytree(tree / folder, package / folder)
    shutil.copy((tree / 'lib/libtfr.so.0').resolve(), package / 'lib/libtfr.so.0')
    for path in package.glob('_core*.so'):
        subprocess.run([PATCHELF, '--set-rpath', '$ORIGIN/lib', path], check=True)


def put_metadata(collected, readme, info, version):
    info.mkdir()
    licenses = collected / 'share/doc/tfr/licenses'
    shutil.copytree(licenses, info / 'licenses/libraries')
    shutil.copy(readme.parent.parent / 'LICENSE', info / 'licenses/LICENSE')
    (info / 'sboms').mkdir()
    shutil.copy(collected / 'share/doc/tfr/tfr.spdx.json', info / 'sboms/tfr.spdx.json')
    names = ''.join('License-File: libraries/%s\n' % path.name for path in sorted(licenses.iterdir()))
    (info / 'METADATA').write_text(METADATA.format(version=version, licenses=names) + readme.read_text())
    (info / 'WHEEL').write_text(WHEEL)
    (info / 'entry_points.txt').write_text(ENTRY_POINTS)


def pack(folder, info, target):
    """RECORD has the hash of each file; the times are that of the release."""
    when = time.gmtime(int(os.environ['SOURCE_DATE_EPOCH']))[:6]
    lines = []
    with zipfile.ZipFile(target, 'w', zipfile.ZIP_DEFLATED) as wheel:
        def add(name, data, mode):
            entry = zipfile.ZipInfo(name, when)
            entry.external_attr = (0o100000 | mode) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            wheel.writestr(entry, data)

        for path in sorted(folder.rglob('*')):
            if path.is_file():
                name, data = str(path.relative_to(folder)), path.read_bytes()
                digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b'=').decode()
                lines.append('%s,sha256=%s,%d\n' % (name, digest, len(data)))
                add(name, data, 0o755 if os.access(path, os.X_OK) else 0o644)
        lines.append('%s/RECORD,,\n' % info.name)
        add('%s/RECORD' % info.name, ''.join(lines), 0o644)


def main():
    tree, collected, readme, out = map(pathlib.Path, sys.argv[1:5])
    version = sys.argv[5]
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        info = folder / ('%s-%s.dist-info' % (NAME, version))
        put_files(tree, folder / NAME)
        put_metadata(collected, readme, info, version)
        out.mkdir(parents=True, exist_ok=True)
        pack(folder, info, out / ('%s-%s-%s.whl' % (NAME, version, TAG)))


main()
