"""tfrkit: read and write TFRecord files, with every checksum verified.

    import tfrkit

    for payload in tfrkit.Reader('train@16.tfrecord'):
        ...

    with tfrkit.Writer('out.tfrecord') as w:
        w.write(b'...')

Objects of this module may be used by one thread at a time; a second thread gets a RuntimeError.
"""
import sys

# The extension relies on the GIL, and a free-threaded interpreter cannot load it.
if 't' in sys.abiflags:
    raise ImportError('tfrkit does not support free-threaded builds of Python: use a build with the GIL')

from . import _core, errors  # noqa: E402
from ._core import remote  # noqa: E402
from .errors import *  # noqa: E402,F403
from .example import Example, encode_example  # noqa: E402
from .reader import Reader  # noqa: E402
from .writer import Writer  # noqa: E402

__all__ = ['Batch', 'Batches', 'Bytes', 'Example', 'Ragged', 'Reader', 'Writer', '__version__', 'batches', 'check', 'encode_example', 'features', 'finish', 'parse', 'remote', 'schema',
           *errors.__all__]
__version__ = _core.version


def __getattr__(name):
    # What few programs need is loaded at first use; importing the module stays fast.
    if name in ('Batch', 'Batches', 'Bytes', 'Ragged', 'batches', 'features', 'parse'):
        from . import columns
        return getattr(columns, name)
    if name in ('check', 'finish', 'schema'):
        from . import tools
        return getattr(tools, name)
    raise AttributeError('module %r has no attribute %r' % (__name__, name))
