"""The table of variables in tfr-cluster(7), against made-up environments.  Kubernetes, PBS, SGE and the clouds' batch services
are tested by their variables only."""
import os

from jobs import case


def _array(task, first, last, step=1, count=None):
    return {'SLURM_ARRAY_TASK_ID': task, 'SLURM_ARRAY_TASK_MIN': first, 'SLURM_ARRAY_TASK_MAX': last, 'SLURM_ARRAY_TASK_STEP': step,
            'SLURM_ARRAY_TASK_COUNT': (last - first) // step + 1 if count is None else count, 'SLURM_PROCID': 0, 'SLURM_NTASKS': 1}


def _part(t, env, part, auto='auto', name='job'):
    env = {k: str(v) for k, v in env.items()}
    said = t.good('count', 'one.tfrecord', '--part', auto, '--job', t.path(name), env=env).stderr.decode()
    assert 'part %s is recorded' % part in said, said


@case
def each_scheduler(t):
    rows = [({'OMPI_COMM_WORLD_RANK': 2, 'OMPI_COMM_WORLD_SIZE': 5, 'SLURM_PROCID': 0, 'SLURM_NTASKS': 1}, '2 of 5', 'auto'),
            ({'PMI_RANK': 0, 'PMI_SIZE': 3}, '0 of 3', 'auto'), ({'PARALLEL_SEQ': 1}, '0 of 4', 'auto/4'),
            (_array(7, 0, 7), '7 of 8', 'auto'), (_array(4, 3, 9), '1 of 7', 'auto'), (_array(5, 1, 15, 2), '2 of 8', 'auto'),
            ({'SLURM_PROCID': 3, 'SLURM_NTASKS': 4}, '3 of 4', 'auto'), ({'JOB_COMPLETION_INDEX': 6}, '6 of 7', 'auto/7'),
            ({'AWS_BATCH_JOB_ARRAY_INDEX': 1, 'AWS_BATCH_JOB_ARRAY_SIZE': 2}, '1 of 2', 'auto'),
            ({'BATCH_TASK_INDEX': 1, 'BATCH_TASK_COUNT': 2}, '1 of 2', 'auto'),
            ({'CLOUD_RUN_TASK_INDEX': 1, 'CLOUD_RUN_TASK_COUNT': 2}, '1 of 2', 'auto'), ({'PBS_ARRAY_INDEX': 4}, '4 of 5', 'auto/5'),
            ({'SGE_TASK_ID': 4, 'SGE_TASK_FIRST': 2, 'SGE_TASK_LAST': 8, 'SGE_TASK_STEPSIZE': 2}, '1 of 4', 'auto'),
            ({'PMI_RANK': 0, 'PMI_SIZE': 1, **_array(3, 0, 3)}, '3 of 4', 'auto'),        # srun with PMI in the task of an array
            ({'OMPI_COMM_WORLD_RANK': 0, 'OMPI_COMM_WORLD_SIZE': 1, 'SLURM_PROCID': 0, 'SLURM_NTASKS': 8}, '0 of 1', 'auto'),
            ({'SGE_TASK_ID': 'undefined', 'PMI_RANK': 1, 'PMI_SIZE': 2}, '1 of 2', 'auto')]
    for i, (env, part, auto) in enumerate(rows):
        _part(t, env, part, auto, 'job-%d' % i)


@case
def some_tasks_of_a_recorded_job(t):
    _part(t, _array(1, 1, 15, 2), '0 of 8')
    _part(t, _array(5, 5, 5), '2 of 8')                          # sbatch --array=5
    _part(t, _array(7, 5, 13, 1, 3), '3 of 8')                   # --array=5,7,13
    env = {k: str(v) for k, v in _array(6, 6, 6).items()}
    t.fails(2, 'count', 'one.tfrecord', '--part', 'auto', '--job', t.path('job'), env=env, says='no part')
    env = {k: str(v) for k, v in _array(17, 17, 17).items()}
    t.fails(2, 'count', 'one.tfrecord', '--part', 'auto', '--job', t.path('job'), env=env, says='no part')


@case
def what_is_refused(t):
    t.fails(2, 'count', 'one.tfrecord', '--part', 'auto', '--job', t.path('job'), says=['no scheduler', 'tfr-cluster'])
    t.fails(2, 'count', 'one.tfrecord', '--part', 'auto', '--job', t.path('job'), env={'PARALLEL_SEQ': '1'}, says='auto/N')
    t.fails(2, 'count', 'one.tfrecord', '--part', 'auto/3', '--job', t.path('job'), env={'PARALLEL_SEQ': '4'}, says='no part')
    t.fails(2, 'count', 'one.tfrecord', '--part', 'auto/x', '--job', t.path('job'), env={'PARALLEL_SEQ': '4'}, says='number of parts')
    env = {k: str(v) for k, v in _array(3, 1, 7, 1, 3).items()}
    t.fails(2, 'count', 'one.tfrecord', '--part', 'auto', '--job', t.path('job'), env=env, says='constant step')
    assert not os.path.exists(t.path('job/job.json'))
