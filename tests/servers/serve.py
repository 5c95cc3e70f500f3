"""A store as a process of its own, for measurements: serve.py [--address A] [--images FOLDER] [--file FILE] [--google] [--discard]

Bucket `bench` has the images of FOLDER as objects `photos/...`, and FILE; without signatures.  With --discard, what is written is
verified and dropped.  Prints its URL and ends with its standard input."""
import argparse
import os
import pathlib
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.dont_write_bytecode = True

from servers.store import Store  # noqa: E402


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--address', default='127.0.0.1')
    parser.add_argument('--images', type=pathlib.Path)
    parser.add_argument('--file', type=pathlib.Path)
    parser.add_argument('--google', action='store_true')
    parser.add_argument('--discard', action='store_true')
    options = parser.parse_args()
    sys.setswitchinterval(.0005)
    with Store(address=options.address, google=options.google, keep=not options.discard) as store:
        for path in sorted(options.images.rglob('*.jpg')) if options.images else ():
            store.put('bench', 'photos/%s' % path.relative_to(options.images), path.read_bytes())
        if options.file:
            store.put('bench', options.file.name, options.file.read_bytes())
        print(store.url, flush=True)
        sys.stdin.read()


if __name__ == '__main__':
    main()
