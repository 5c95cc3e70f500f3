#!/usr/bin/env python3
"""Makes an installed tree run wherever it is put: collect.py TREE [--bill FILE --name NAME --version VERSION]

Copies every shared library that the programs and libraries of TREE need into TREE/lib, except for glibc's own, and
makes each file find them by its own place ($ORIGIN).  --bill writes a bill of materials, SPDX 2.3 as JSON, with the
Debian source package, the version and the checksum of each library, and puts the licences of the packages into
TREE/share/doc/tfr/licenses.

Runs where the libraries are installed, with binutils, and patchelf 0.14 or later (PATCHELF names it).
"""
import argparse
import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time

SYSTEM = re.compile(r'(linux-vdso|ld-linux.*|libc|libm|libdl|librt|libpthread|libresolv|libutil|libanl)\.so')
PATCHELF = os.environ.get('PATCHELF', 'patchelf')
COMMON = pathlib.Path('/usr/share/common-licenses')
ORIGINS = pathlib.Path('/usr/local/share/origins')   # of libraries that bullseye.sh built


def output(*command):
    return subprocess.run([str(word) for word in command], check=True, stdout=subprocess.PIPE, text=True).stdout


def is_elf(path):
    with open(path, 'rb') as file:
        return file.read(4) == b'\x7fELF'


def needed(path):
    """The sonames that an ELF file needs."""
    return re.findall(r'^\s+NEEDED\s+(\S+)$', output('objdump', '-p', path), re.MULTILINE)


def installed():
    """Where the loader of this machine finds each soname."""
    lines = output('/sbin/ldconfig', '-p').splitlines()
    found = {}
    for line in lines[1:]:
        name, _, path = line.strip().partition(' => ')
        found.setdefault(name.split()[0], pathlib.Path(path))
    return found


def take_libraries(tree):
    """Copies what is missing to TREE/lib; returns the original path of each file there."""
    library, found, origins = tree / 'lib', installed(), {}
    library.mkdir(exist_ok=True)
    left = [path for path in sorted(tree.rglob('*')) if path.is_file() and not path.is_symlink() and is_elf(path)]
    own = {path.name for path in library.iterdir()}
    while left:
        for name in needed(left.pop()):
            if SYSTEM.match(name) or name in own:
                continue
            if name not in found:
                sys.exit("collect: '%s' is not installed here" % name)
            own.add(name)
            origins[library / name] = found[name].resolve()
            shutil.copy(found[name].resolve(), library / name)
            left.append(library / name)
    return origins


def point_at_libraries(tree):
    """Each file looks in TREE/lib first; old-fashioned RPATHs would hold for what others load, too."""
    for path in sorted(tree.rglob('*')):
        if path.is_file() and not path.is_symlink() and is_elf(path):
            path.chmod(0o755)
            way = os.path.relpath(tree / 'lib', path.parent)
            if any(not SYSTEM.match(name) for name in needed(path)):
                subprocess.run([PATCHELF, '--set-rpath', '$ORIGIN' if way == '.' else '$ORIGIN/' + way, path], check=True)


def package_of(path):
    """(binary package, its source package, version) of a file of this machine."""
    for known in sorted(ORIGINS.glob('*.so*')):
        if path.name.startswith(known.name):
            return tuple(known.read_text().split())
    # With a merged /usr, dpkg knows some files by their old path.
    for known in path, pathlib.Path('/', *path.parts[2:]):
        ran = subprocess.run(['dpkg', '-S', known], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        if ran.returncode == 0:
            package = ran.stdout.split(':')[0]
            return (package, *output('dpkg-query', '-W', '-f', '${source:Package}\t${source:Version}\n', package)
                    .splitlines()[0].split('\t'))
    sys.exit("collect: '%s' belongs to no package, so its licence is not known" % path)


def take_licences(folder, packages):
    """The copyright file of each package, and the licences that they refer to.  Returns the names that each one uses."""
    folder.mkdir(parents=True)
    names, common = {}, set()
    for package in sorted(packages):
        own = ORIGINS / package
        text = (own if own.exists() else pathlib.Path('/usr/share/doc', package, 'copyright')).read_text(errors='replace')
        (folder / package).write_text(text)
        names[package] = sorted(set(re.findall(r'^License:\s*(\S.*?)\s*$', text, re.MULTILINE)))
        common |= set(re.findall(r'/usr/share/common-licenses/([A-Za-z0-9.+-]*[A-Za-z0-9])', text))
    for name in sorted(common):
        if (COMMON / name).exists():
            (folder / name).write_text((COMMON / name).resolve().read_text())
    return names


def bill(name, version, tree, origins, packages, licences):
    """The bill of materials, SPDX 2.3."""
    entries, relations = [], []

    def add(identifier, **fields):
        entries.append({'SPDXID': identifier, 'downloadLocation': 'NOASSERTION', 'filesAnalyzed': False,
                        'licenseConcluded': 'NOASSERTION', 'copyrightText': 'NOASSERTION', **fields})

    add('SPDXRef-Package', name=name, versionInfo=version, licenseDeclared='BSD-3-Clause')
    for path, origin in sorted(origins.items()):
        package, source, number = packages[origin]
        identifier = 'SPDXRef-' + re.sub(r'[^A-Za-z0-9.-]', '-', path.name)
        add(identifier, name=source, versionInfo=number, packageFileName='lib/' + path.name, licenseDeclared='NOASSERTION',
            licenseComments='In words of its Debian package: %s; see share/doc/tfr/licenses/%s'
                            % (', '.join(licences[package]) or 'one text', package),
            checksums=[{'algorithm': 'SHA256', 'checksumValue': hashlib.sha256(path.read_bytes()).hexdigest()}],
            externalRefs=[{'referenceCategory': 'PACKAGE-MANAGER', 'referenceType': 'purl',
                           'referenceLocator': 'pkg:deb/debian/%s@%s?arch=amd64' % (package, number.replace(':', '%3A'))}])
        relations.append({'spdxElementId': 'SPDXRef-Package', 'relationshipType': 'DYNAMIC_LINK', 'relatedSpdxElement': identifier})
    digest = hashlib.sha256(b''.join(path.read_bytes() for path in sorted(tree.rglob('*')) if path.is_file())).hexdigest()
    return {
        'spdxVersion': 'SPDX-2.3', 'dataLicense': 'CC0-1.0', 'SPDXID': 'SPDXRef-DOCUMENT', 'name': '%s-%s' % (name, version),
        'documentNamespace': 'https://spdx.org/spdxdocs/%s-%s-%s' % (name, version, digest),
        'creationInfo': {'creators': ['Tool: tfr'], 'created': time.strftime(
            '%Y-%m-%dT%H:%M:%SZ', time.gmtime(int(os.environ.get('SOURCE_DATE_EPOCH', time.time()))))},
        'packages': entries,
        'relationships': [{'spdxElementId': 'SPDXRef-DOCUMENT', 'relationshipType': 'DESCRIBES', 'relatedSpdxElement': 'SPDXRef-Package'},
                          *relations]}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('tree', type=pathlib.Path)
    parser.add_argument('--bill', type=pathlib.Path)
    parser.add_argument('--name', default='tfr')
    parser.add_argument('--version', default='')
    options = parser.parse_args()
    origins = take_libraries(options.tree)
    point_at_libraries(options.tree)
    if options.bill:
        packages = {origin: package_of(origin) for origin in origins.values()}
        licences = take_licences(options.tree / 'share/doc/tfr/licenses', {package for package, _, _ in packages.values()})
        text = json.dumps(bill(options.name, options.version, options.tree, origins, packages, licences), indent=1)
        options.bill.write_text(text + '\n')


main()
