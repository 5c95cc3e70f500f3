"""The cases of Ray: exchange_ray.py FOLDER PAGE [CASE]...  exchanges.py runs it in FOLDER."""
import collections
import datetime
import logging
import os
import sys

try:
    import numpy
    import pyarrow
    import ray
    import ray.data
except ImportError as error:
    sys.exit('unavailable: %s' % error)

import tfrkit
import tfrkit.ray
from exchange_cases import case, expect, records, run, written

FORMS = {'id': 'int64', 'two': 'float[2]', 'ids': 'int64[]', 'blob': 'bytes'}


def kill_once():
    """In every worker of the session: the first process that comes to a place that a file names ends there, as if killed."""
    import tfrkit
    import tfrkit.ray

    def reach(place):
        try:
            os.unlink(os.path.join(folder, 'kill-' + place))
        except FileNotFoundError:
            return
        os.kill(os.getpid(), 9)

    folder = os.environ['CASES_FOLDER']
    close, payloads_of = tfrkit.Writer.close, tfrkit.ray.payloads_of

    def closed(writer):
        reach('before')
        close(writer)
        reach('after')

    def read(piece):
        yield from payloads_of(piece)
        reach('read')

    tfrkit.Writer.close, tfrkit.ray.payloads_of = closed, read


def rows(dataset):
    """As one table, sorted by id."""
    return pyarrow.concat_tables(ray.get(dataset.to_arrow_refs())).combine_chunks().sort_by('id')


def expected(features):
    return pyarrow.table(tfrkit.parse(tfrkit.Reader('large.tfrecord'), features)).sort_by('id')


def same(found, wanted):
    assert found.select(wanted.column_names).to_pydict() == wanted.to_pydict()


@case
def columns_are_those_of_batches():
    for features in FORMS, {'id': 'int64', 'ids': 'int64[*]'}, 'id:int64':
        same(rows(tfrkit.ray.read('large.tfrecord', features, override_num_blocks=1)), expected(features))
    found = tfrkit.ray.read('large.tfrecord')
    assert found.schema().names == sorted(FORMS), found.schema()
    same(rows(found), expected(FORMS))


@case
def one_large_file_is_read_by_several_tasks():
    least, tfrkit.ray._RANGE = tfrkit.ray._RANGE, 1 << 20
    source = tfrkit.ray._Records('large.tfrecord', FORMS)
    tasks = source.get_read_tasks(4)
    found = [pyarrow.concat_tables(task()) for task in tasks]
    assert len(tasks) == 4 and all(8000 < each.num_rows < 12000 for each in found), [each.num_rows for each in found]
    same(pyarrow.concat_tables(found), expected(FORMS))
    dataset = tfrkit.ray.read('large.tfrecord', features='payload', override_num_blocks=4).materialize()
    assert dataset.num_blocks() == 4 and dataset.count() == 40000
    assert collections.Counter(row['payload'] for row in dataset.iter_rows()) == records('large.tfrecord')
    tfrkit.ray._RANGE = least


@case
def many_files_are_read_by_few_tasks():
    tasks = tfrkit.ray._Records(['data@4.tfrecord', 'images@4.tfrecord', 'captions@3.tfrecord'], 'payload').get_read_tasks(3)
    assert [len(task.metadata.input_files) for task in tasks] == [3, 4, 4]
    assert sum(block.num_rows for task in tasks for block in task()) == 4600


@case
def records_of_any_content():
    payloads = [b'', b'\0\xff', b'x' * 3_000_000] * 20
    with tfrkit.Writer('any@2.tfrecord.gz') as writer:
        for payload in payloads:
            writer.write(payload)
    open('empty.tfrecord', 'w').close()
    dataset = tfrkit.ray.read(['any@2.tfrecord.gz', 'empty.tfrecord'], features='payload')
    assert collections.Counter(row['payload'] for row in dataset.iter_rows()) == collections.Counter(payloads)
    assert tfrkit.ray.read('empty.tfrecord', features='payload').count() == 0


@case
def damage_fails_the_job_and_is_named():
    for features in 'payload', FORMS:
        expect(r"checksum.*damaged\.tfrecord.*record 600\b", tfrkit.ray.read('damaged.tfrecord', features).materialize)
    expect("is of kind bytes.*which is record 0 of '.*data-0000[0-3]-of-00004.tfrecord'",
           tfrkit.ray.read('data@4.tfrecord', {'text': 'int64'}).materialize)
    expect('MISSING|missing|No such file', lambda: tfrkit.ray.read('absent.tfrecord', FORMS))


@case
def examples_come_back():
    dataset = tfrkit.ray.read(['large.tfrecord'], FORMS)
    tfrkit.ray.write(dataset, 'back@3.tfrecord.gz')
    sizes = written('back@3.tfrecord.gz', examples('large.tfrecord'))
    assert max(sizes) - min(sizes) <= 3, sizes


def examples(path):
    """Without the lists that are empty."""
    found = collections.Counter()
    for payload in tfrkit.Reader(path):
        found[tfrkit.encode_example({name: values for name, values in tfrkit.Example(payload).items() if len(values)})] += 1
    return found


@case
def columns_of_other_sources():
    table = [{'n': k, 'name': 'é%d' % k, 'flag': k % 2 == 0, 'x': None if k % 3 else 0.5, 'm': numpy.full((2, 3), k, numpy.float32)}
             for k in range(50)]
    tfrkit.ray.write(ray.data.from_items(table), 'other@2.tfrecord')
    wanted = collections.Counter(tfrkit.encode_example({name: value for name, value in row.items() if value is not None}) for row in table)
    written('other@2.tfrecord', wanted)
    expect("feature 'when'", lambda: tfrkit.ray.write(ray.data.from_items([{'when': datetime.date(2020, 1, 1)}]), 'bad@1.tfrecord'))


@case
def fewer_rows_than_shards():
    rows = tfrkit.ray.read('data@4.tfrecord', features='payload').limit(3)
    tfrkit.ray.write(rows, 'few@7.tfrecord', features='payload')
    found = records('few@7.tfrecord')
    assert found.total() == 3 and sorted(written('few@7.tfrecord', found)) == [0, 0, 0, 0, 1, 1, 1]


@case
def a_file_and_a_target_that_exists():
    data = tfrkit.ray.read('data@4.tfrecord', features='payload')
    tfrkit.ray.write(data, 'one.tfrecord', features='payload')
    assert records('one.tfrecord') == records('data@4.tfrecord')
    expect('will not overwrite', lambda: tfrkit.ray.write(data.limit(1), 'one.tfrecord', features='payload'))
    assert records('one.tfrecord') == records('data@4.tfrecord')
    tfrkit.ray.write(data.limit(1), 'one.tfrecord', features='payload', overwrite=True)
    assert records('one.tfrecord').total() == 1


@case
def a_set_that_exists():
    data = tfrkit.ray.read('data@4.tfrecord', features='payload')
    tfrkit.ray.write(data, 'twice@3.tfrecord', features='payload')
    expect('will not overwrite', lambda: tfrkit.ray.write(data.limit(9), 'twice@3.tfrecord', features='payload'))
    written('twice@3.tfrecord', records('data@4.tfrecord'))
    tfrkit.ray.write(data.limit(9), 'twice@3.tfrecord', features='payload', overwrite=True)
    assert written('twice@3.tfrecord', records('twice@3.tfrecord')) == [3, 3, 3]


@case
def a_job_that_failed_starts_again():
    rows = [{'n': k, 'when': 'now'} for k in range(8)]
    bad = ray.data.from_items(rows[:7] + [{'n': 7, 'when': None}]).map_batches(late, batch_format='pyarrow')
    expect('must be real number', lambda: tfrkit.ray.write(bad, 'again@4.tfrecord'))
    assert [name for name in os.listdir('.') if name.startswith('again-')] and not os.path.exists('again.4-tfrecord.manifest.json')
    tfrkit.ray.write(ray.data.from_items(rows), 'again@4.tfrecord')
    assert written('again@4.tfrecord', collections.Counter(map(tfrkit.encode_example, rows))) == [2] * 4


def late(table):
    """A value that no Example can hold, in place of null."""
    values = [[{'of': 1}] if value is None else None for value in table['when'].to_pylist()]
    return table.set_column(1, 'when', pyarrow.array(values, pyarrow.list_(pyarrow.struct([('of', pyarrow.int64())]))))


@case
def killed_tasks():
    """A task that is killed while it reads, and one before and one after its shard gets its name."""
    for name in 'kill-read', 'kill-before', 'kill-after':
        open(name, 'w').close()
    tfrkit.ray.write(tfrkit.ray.read('data@4.tfrecord', features='payload'), 'killed@6.tfrecord', features='payload')
    assert not [name for name in os.listdir('.') if name.startswith('kill-')], 'no task was killed there'
    assert written('killed@6.tfrecord', records('data@4.tfrecord')) == [500] * 6


def main(folder, page, *names):
    os.environ['CASES_FOLDER'] = folder
    logging.getLogger('ray.data').setLevel(logging.CRITICAL)
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, logging_level='critical', object_store_memory=400 << 20,
             runtime_env={'worker_process_setup_hook': kill_once, 'env_vars': {'CASES_FOLDER': folder}})
    context = ray.data.DataContext.get_current()
    context.enable_progress_bars = False
    context.default_hash_shuffle_parallelism = 4
    run(page, 'Ray', names)


if __name__ == '__main__':
    main(*sys.argv[1:])
