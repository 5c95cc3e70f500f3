"""The table of variables in tfr-cluster(7), against made-up environments.  Kubernetes, PBS, SGE and the clouds' batch services
are tested by their variables only."""
from parts import case


def _array(task, first, last, step=1, count=None):
    return {'SLURM_ARRAY_TASK_ID': task, 'SLURM_ARRAY_TASK_MIN': first, 'SLURM_ARRAY_TASK_MAX': last, 'SLURM_ARRAY_TASK_STEP': step,
            'SLURM_ARRAY_TASK_COUNT': (last - first) // step + 1 if count is None else count, 'SLURM_PROCID': 0, 'SLURM_NTASKS': 1}


@case
def each_scheduler(t):
    rows = [({'OMPI_COMM_WORLD_RANK': 2, 'OMPI_COMM_WORLD_SIZE': 9, 'SLURM_PROCID': 0, 'SLURM_NTASKS': 1}, 2, 9, 'auto'),
            ({'PMI_RANK': 8, 'PMI_SIZE': 9}, 8, 9, 'auto'), ({'PARALLEL_SEQ': 1}, 0, 9, 'auto/9'),
            (_array(7, 0, 7), 7, 8, 'auto'), (_array(8, 3, 9), 5, 7, 'auto'), (_array(13, 1, 15, 2), 6, 8, 'auto'),
            ({'SLURM_PROCID': 6, 'SLURM_NTASKS': 7}, 6, 7, 'auto'), ({'JOB_COMPLETION_INDEX': 6}, 6, 7, 'auto/7'),
            ({'AWS_BATCH_JOB_ARRAY_INDEX': 5, 'AWS_BATCH_JOB_ARRAY_SIZE': 6}, 5, 6, 'auto'),
            ({'BATCH_TASK_INDEX': 5, 'BATCH_TASK_COUNT': 6}, 5, 6, 'auto'),
            ({'CLOUD_RUN_TASK_INDEX': 5, 'CLOUD_RUN_TASK_COUNT': 6}, 5, 6, 'auto'), ({'PBS_ARRAY_INDEX': 5}, 5, 6, 'auto/6'),
            ({'SGE_TASK_ID': 12, 'SGE_TASK_FIRST': 2, 'SGE_TASK_LAST': 14, 'SGE_TASK_STEPSIZE': 2}, 5, 7, 'auto'),
            ({'PMI_RANK': 0, 'PMI_SIZE': 1, **_array(6, 0, 7)}, 6, 8, 'auto'),        # srun with PMI in the task of an array
            ({'OMPI_COMM_WORLD_RANK': 0, 'OMPI_COMM_WORLD_SIZE': 1, 'SLURM_PROCID': 7, 'SLURM_NTASKS': 8}, 0, 1, 'auto'),
            ({'SGE_TASK_ID': 'undefined', 'PMI_RANK': 5, 'PMI_SIZE': 6}, 5, 6, 'auto'),
            (_array(5, 5, 5), 5, 64, 'auto/64'), (_array(7, 5, 13, 1, 3), 7, 64, 'auto/64'),   # some tasks of 64 run again
            ({'SGE_TASK_ID': 5, 'SGE_TASK_FIRST': 5, 'SGE_TASK_LAST': 5, 'SGE_TASK_STEPSIZE': 1}, 4, 64, 'auto/64')]
    files = ['x-%05d-of-00005.tfrecord' % i for i in range(5)]
    for env, part, parts, text in rows:
        found = t.good('count', '--per-file', 'x@5.tfrecord', '--part', text, env={k: str(v) for k, v in env.items()})
        if part < 5:
            assert [line.split(b'\t')[0].decode() for line in found.stdout.splitlines()] == files[part::parts], (env, found)
        else:
            assert b'part %d of %d has no files' % (part, parts) in found.stderr, (env, found)


@case
def what_is_refused(t):
    words = ['count', 'x@5.tfrecord', '--part']
    t.fails(2, *words, 'auto', says=['no scheduler', 'tfr-cluster'])
    t.fails(2, *words, 'auto', env={'PARALLEL_SEQ': '1'}, says='auto/N')
    t.fails(2, *words, 'auto/3', env={'PARALLEL_SEQ': '4'}, says='task 4 is not one of the parts')
    t.fails(2, *words, 'auto/x', env={'PARALLEL_SEQ': '4'}, says='I/N')
    t.fails(2, *words, 'auto', env={k: str(v) for k, v in _array(3, 1, 7, 1, 3).items()}, says='constant step')
