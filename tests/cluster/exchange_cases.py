"""What the cases of exchange_ray.py and exchange_beam.py share: inputs, recipes and what they have to write."""
import collections
import hashlib
import json
import os
import random
import re
import subprocess
import sys
import traceback
import zlib

import tfrkit

import exchanges

CASES = []
KEPT = []   # of keep(), which workers in this process call
CLASSES = [0, 0, 0, 1, 1, 2]


def case(function):
    CASES.append(function)
    return function


def keep(payload):
    KEPT.append(payload)


def tfr(*arguments, status=0):
    ran = subprocess.run(['tfr', *map(str, arguments)], capture_output=True, text=True, stdin=subprocess.DEVNULL)
    assert ran.returncode == status, '%s: status %d: %s%s' % (arguments, ran.returncode, ran.stdout, ran.stderr)
    return ran.stdout


def records(*inputs):
    """The payloads, in any order."""
    return collections.Counter(payload for each in inputs for payload in tfrkit.Reader(each))


def written(target, wanted):
    """A set that is complete, verified by tfr, and has these payloads."""
    found = records(target)
    assert found == wanted, '%d records, %d were expected' % (found.total(), wanted.total())
    tfr('check', '-q', '--manifest', target)
    name, shards, extension = re.fullmatch(r'(.*)@(\d+)(.*)', target).groups()
    files = ['%s-%05d-of-%05d%s' % (name, k, int(shards), extension) for k in range(int(shards))]
    there = [each for each in os.listdir('.') if each.startswith(name + '-')]
    assert sorted(there) == files, 'beside the shards: %s' % sorted(set(there) ^ set(files))
    manifest = [each for each in os.listdir('.') if each.startswith(name + '.') and each.endswith('manifest.json')]
    with open(manifest[0]) as f:
        stated = json.load(f)
    count, total = tfr('count', '--sum', target).split()
    assert (str(stated['records']), stated['sum']) == (count, total), (stated, count, total)
    return [len(tfrkit.Reader(each)) for each in files]


def digests(target):
    return [hashlib.sha256(open(each, 'rb').read()).hexdigest() for each in tfrkit.Reader(target).files]


def make_inputs():
    draw = random.Random(2)
    with tfrkit.Writer('data@4.tfrecord') as writer:
        for k in range(3000):
            writer.write(tfrkit.encode_example({'label': draw.choice(CLASSES), 'text': 't%d' % draw.randrange(900)}))
    with tfrkit.Writer('images@4.tfrecord') as writer:
        for k in range(700):
            writer.write(tfrkit.encode_example({'id': 2 * k, 'image': b'i%d' % k * 20}))
    with tfrkit.Writer('captions@3.tfrecord') as writer:
        for k in range(900):
            writer.write(tfrkit.encode_example({'id': 3 * k % 1500, 'caption': b'c%d' % k}))
    with tfrkit.Writer('large.tfrecord') as writer:
        for k in range(40000):
            writer.write(tfrkit.encode_example({'id': k, 'two': [k, 0.5], 'ids': list(range(k % 4)) or numpy_empty(), 'blob': b'x' * (k % 900)}))
    tfr('index', '-q', 'large.tfrecord')
    with open('large.tfrecord', 'rb') as f:
        data = bytearray(f.read())
    at = sum(len(payload) + 16 for payload in tfrkit.Reader('large.tfrecord')[:600])
    data[at + 12] ^= 1
    with open('damaged.tfrecord', 'wb') as f:
        f.write(data)


def numpy_empty():
    import numpy
    return numpy.empty(0, numpy.int64)


def label_of(payload):
    return tfrkit.Example(payload).tolist('label')[0]


def balanced():
    """As the page describes it."""
    data = records('data@4.tfrecord')
    counts = collections.Counter(map(label_of, data.elements()))
    most = max(counts.values())
    wanted = collections.Counter({payload: n * int(most / counts[label_of(payload)] + zlib.crc32(payload) / 2**32)
                                  for payload, n in data.items()})
    sizes = collections.Counter(map(label_of, wanted.elements()))
    assert len(sizes) == 3 and all(abs(size / most - 1) < 0.1 for size in sizes.values()), sizes
    return wanted


def pairs():
    wanted, images = collections.Counter(), {}
    for payload in tfrkit.Reader('images@4.tfrecord'):
        images[tfrkit.Example(payload).tolist('id')[0]] = tfrkit.Example(payload).tolist('image')
    for payload in tfrkit.Reader('captions@3.tfrecord'):
        example = tfrkit.Example(payload)
        if image := images.get(number := example.tolist('id')[0]):
            wanted[tfrkit.encode_example({'id': number, 'image': image, 'caption': example.tolist('caption')})] += 1
    assert wanted
    return wanted


# In the order of the page: what each recipe writes, and what has to be in it.
RECIPES = {'shuffled': lambda: records('data@4.tfrecord'), 'unique': lambda: collections.Counter(set(records('data@4.tfrecord'))),
           'balanced': balanced, 'pairs': pairs}


def recipe(page, engine, name):
    """Runs it on the inputs here, with 5 shards, and looks at what it wrote."""
    programs = exchanges.recipes(page, engine)
    assert len(programs) == len(RECIPES), '%d recipes on the page' % len(programs)
    program = programs[list(RECIPES).index(name)]
    assert '/shared/%s@64.tfrecord' % name in program
    program = program.replace('/shared/', os.getcwd() + '/').replace('@64', '@5').replace('num_partitions=64', 'num_partitions=5')
    program = re.sub(r'(data|images|captions)@\d+', lambda m: {'data': 'data@4', 'images': 'images@4', 'captions': 'captions@3'}[m[1]], program)
    exec(compile(program, 'recipe', 'exec'), {'__name__': '__main__'})
    return written(name + '@5.tfrecord', RECIPES[name]())


def run(page, engine, names):
    make_inputs()
    for name in RECIPES:
        def one(name=name):
            recipe(page, engine, name)
        one.__name__ = 'recipe_' + name
        case(one)
    for each in CASES:
        if names and each.__name__ not in names:
            continue
        try:
            each()
            print('passed: %s' % each.__name__, flush=True)
        except Exception:
            print('failed: %s\n%s' % (each.__name__, traceback.format_exc(limit=-3)), flush=True)
    print('finished', flush=True)


def expect(text, work):
    """The text of the exception that `work` raises, which the expression matches."""
    try:
        work()
    except Exception as error:
        assert re.search(text, str(error), re.S), 'no %r in %s' % (text, error)
        return error
    raise AssertionError('no exception with %r' % text)
