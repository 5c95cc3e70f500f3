#!/usr/bin/env python3
"""Makes a wheel of an installed tree: make_wheel.py TREE COLLECTED SOURCE OUT VERSION

TREE is what build.sh made, COLLECTED the same after collect.py, for the licences and the bill of materials.  The wheel has
the module, and beside it bin/tfr, lib/libtfr.so.0, the modules in lib/tfr and the programs in libexec, which find each
other as they do in TREE.  Other libraries are not in it yet: auditwheel adds them, under names that no other wheel uses.

backend.py makes the wheel of a source distribution by it, without COLLECTED.
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
# auditwheel expects these on every system, but slim images with an interpreter that has its own copies lack them.
ASSUMED = 'libexpat.so.1', 'libz.so.1'
PATCHELF = os.environ.get('PATCHELF', 'patchelf')

METADATA = """\
Metadata-Version: 2.4
Name: tfrkit
Version: {version}
Summary: Read, write, create, shard and check TFRecord files, with every checksum verified
License-Expression: BSD-3-Clause
License-File: LICENSE
{licenses}Keywords: tfrecord,tensorflow,pytorch,jax,grain,ray,beam,dataset
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
Provides-Extra: ray
Requires-Dist: ray[data]>=2.60; extra == 'ray'
Provides-Extra: beam
Requires-Dist: apache-beam>=2.77; extra == 'beam'
Description-Content-Type: text/markdown

"""

WHEEL = """\
Wheel-Version: 1.0
Generator: tfr
Root-Is-Purelib: false
Tag: {tag}
"""

ENTRY_POINTS = """\
[console_scripts]
tfr = tfrkit.command:main
tfrkit = tfrkit.command:main
"""


def info_name(version):
    return '%s-%s.dist-info' % (NAME, version)


def tag(platform):
    """Of one extension for CPython 3.11 and later; PLATFORM as in sysconfig.get_platform()."""
    return 'cp311-abi3-' + platform.replace('-', '_').replace('.', '_')


def metadata(version, source, licenses=()):
    """LICENSES: those of the libraries inside."""
    names = ''.join('License-File: libraries/%s\n' % name for name in licenses)
    return METADATA.format(version=version, licenses=names) + (source / 'python/README.md').read_text()


def put_files(tree, collected, package):
    """The package as it is installed."""
    source = next(path for path in tree.rglob(NAME) if (path / '__init__.py').exists())
    shutil.copytree(source, package, ignore=shutil.ignore_patterns('__pycache__'))
    for folder in 'bin', 'libexec', 'lib/tfr':
        if (tree / folder).exists():   # a build may have no modules
            shutil.copytree(tree / folder, package / folder)
    (package / 'lib').mkdir(exist_ok=True)
    shutil.copy((tree / 'lib/libtfr.so.0').resolve(), package / 'lib/libtfr.so.0')
    for name in ASSUMED if collected else ():
        shutil.copy(collected / 'lib' / name, package / 'lib' / name)
    # The extension finds libtfr; with ASSUMED inside, so does everything else.
    for path in sorted(package.rglob('*') if collected else package.glob('_core*.so')):
        if path.is_file() and path.read_bytes()[:4] == b'\x7fELF':
            way = os.path.relpath(package / 'lib', path.parent)
            subprocess.run([PATCHELF, '--set-rpath', '$ORIGIN/' + way, path], check=True)


def put_metadata(info, version, source, wheel_tag, collected=None):
    info.mkdir(parents=True)
    (info / 'licenses').mkdir()
    shutil.copy(source / 'LICENSE', info / 'licenses/LICENSE')
    names = []
    if collected:
        licenses = collected / 'share/doc/tfr/licenses'
        names = sorted(path.name for path in licenses.iterdir())
        shutil.copytree(licenses, info / 'licenses/libraries')
        (info / 'sboms').mkdir()
        shutil.copy(collected / 'share/doc/tfr/tfr.spdx.json', info / 'sboms/tfr.spdx.json')
    (info / 'METADATA').write_text(metadata(version, source, names))
    (info / 'WHEEL').write_text(WHEEL.format(tag=wheel_tag))
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


def make(tree, collected, source, out, version, wheel_tag):
    """Returns the name of the wheel."""
    name = '%s-%s-%s.whl' % (NAME, version, wheel_tag)
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        info = folder / info_name(version)
        put_files(tree, collected, folder / NAME)
        put_metadata(info, version, source, wheel_tag, collected)
        out.mkdir(parents=True, exist_ok=True)
        pack(folder, info, out / name)
    return name


def main():
    tree, collected, source, out = map(pathlib.Path, sys.argv[1:5])
    make(tree, collected, source, out, sys.argv[5], tag('linux-x86_64'))


if __name__ == '__main__':
    main()
