"""What building tfrkit needs, and the packages that have it.

A build by pip ends here with one message, instead of with the first missing header after minutes of others."""
import os
import shlex
import shutil
import subprocess
import sys
import sysconfig
import tempfile

# How it is found: PROGRAM, pkg:MODULE, <HEADER>; the packages of Debian, Fedora and Homebrew.
REQUIRED = [
    ('cc', 'gcc libc6-dev', 'gcc', 'gcc'),
    ('pkg-config', 'pkg-config', 'pkgconf-pkg-config', 'pkgconf'),
    ('<Python.h>', 'python3-dev', 'python3-devel', 'python'),
    ('pkg:zlib', 'zlib1g-dev', 'zlib-devel', 'zlib'),
    ('pkg:libprotobuf-c', 'libprotobuf-c-dev', 'protobuf-c-devel', 'protobuf-c'),
    ('protoc-c', 'protobuf-c-compiler', 'protobuf-c-compiler', 'protobuf-c'),
    ('pkg:libpng', 'libpng-dev', 'libpng-devel', 'libpng'),
    ('pkg:libjpeg', 'libjpeg-dev', 'libjpeg-turbo-devel', 'jpeg-turbo'),
    ('pkg:libxxhash', 'libxxhash-dev', 'xxhash-devel', 'xxhash'),
    ('pkg:libpcre2-8', 'libpcre2-dev', 'pcre2-devel', 'pcre2'),
    ('pkg:json-c', 'libjson-c-dev', 'json-c-devel', 'json-c'),
    ('pkg:expat', 'libexpat1-dev', 'expat-devel', 'expat'),
    ('pkg:libgcrypt', 'libgcrypt20-dev', 'libgcrypt-devel', 'libgcrypt'),
]
# Without these, some inputs are refused; without ISA-L, checksums and GZIP are slower.
OPTIONAL = [
    ('pkg:libisal', 'libisal-dev', 'isa-l-devel', 'isa-l'),
    ('pkg:libarchive', 'libarchive-dev', 'libarchive-devel', 'libarchive'),
    ('pkg:sndfile', 'libsndfile1-dev', 'libsndfile-devel', 'libsndfile'),
    ('pkg:hdf5', 'libhdf5-dev', 'hdf5-devel', 'hdf5'),
    ('<gif_lib.h>', 'libgif-dev', 'giflib-devel', 'giflib'),
    ('pkg:libwebpdemux', 'libwebp-dev', 'libwebp-devel', 'webp'),
    ('pkg:libcurl', 'libcurl4-openssl-dev', 'libcurl-devel', 'curl'),
    ('pkg:yaml-0.1', 'libyaml-dev', 'libyaml-devel', 'libyaml'),
]
INSTALL = [('Debian, Ubuntu', 'apt install'), ('Fedora', 'dnf install'), ('Homebrew', 'brew install')]


def compiler():
    return shlex.split(os.environ.get('CC', 'cc'))


def has_header(name):
    """Whether a file that includes it compiles; gif_lib.h has no pkg-config file everywhere."""
    with tempfile.TemporaryDirectory() as folder:
        source = os.path.join(folder, 'header.c')
        with open(source, 'w') as file:
            file.write('#include <stdio.h>\n#include <%s>\n' % name)
        paths = ['-I' + sysconfig.get_path(name) for name in ('include', 'platinclude')]
        return subprocess.run([*compiler(), *shlex.split(os.environ.get('CFLAGS', '')), *paths, '-c', source, '-o', source + '.o'],
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode == 0


def has_module(name):
    names = ['hdf5-serial', 'hdf5'] if name == 'hdf5' else [name]
    return any(subprocess.run([os.environ.get('PKG_CONFIG', 'pkg-config'), '--exists', name],
                              stderr=subprocess.DEVNULL).returncode == 0 for name in names)


def found(need):
    if need == 'cc':
        return bool(shutil.which(compiler()[0]))
    if need == 'pkg-config':
        return bool(shutil.which(os.environ.get('PKG_CONFIG', need)))
    try:
        if need.startswith('pkg:'):
            return has_module(need[4:])
        return has_header(need[1:-1]) if need.startswith('<') else bool(shutil.which(need))
    except OSError:   # no compiler, no pkg-config
        return False


def commands(rows):
    """The line that installs these rows, for each system."""
    lines = []
    for column, (system, install) in enumerate(INSTALL, 1):
        packages = dict.fromkeys(word for row in rows for word in row[column].split())
        lines.append('  %-16s%s %s' % (system + ':', install, ' '.join(packages)))
    return '\n'.join(lines)


def check():
    """Ends the build if something required is missing; names what is optional and missing."""
    if 't' in sys.abiflags:
        sys.exit('tfrkit does not support free-threaded builds of Python: use a build with the GIL')
    missing = [row for row in REQUIRED if not found(row[0])]
    optional = [row for row in OPTIONAL if not found(row[0])]
    if missing:
        sys.exit('tfrkit cannot be built: %s missing.  Install these packages, then try again:\n%s\n'
                 'hint: most users need no build: on x86-64 Linux with glibc 2.31 or later, pip installs a wheel.'
                 % (', '.join(row[0].replace('pkg:', '') for row in missing) + (' is' if len(missing) == 1 else ' are'),
                    commands(missing + optional)))
    if optional:
        print('tfrkit is built without %s.  To have them, install these packages and build again:\n%s'
              % (', '.join(row[0].strip('<>').replace('pkg:', '') for row in optional), commands(optional)), file=sys.stderr)
