"""Real schedulers start the parts.  Each runs in namespaces of its own, as processes of the test, and ends with it: the first
process of the namespace is killed, and the kernel ends the others.  The recipes of tfr-cluster(7) are run as they are, but for
the number of parts and the paths."""
import os
import re
import shutil
import subprocess

from parts import TOP, Unavailable, case, environment, shards

SLURM = '''
ClusterName=t
SlurmctldHost=slurmhost(127.0.0.1)
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=cred_expire=10
StateSaveLocation=/var/spool/slurmctld
SlurmdSpoolDir=/var/spool/slurmd.%n
SlurmctldPort=26817
SlurmdLogFile=/var/log/slurmd.%n.log
SlurmctldLogFile=/var/log/slurmctld.log
SlurmdPidFile=/run/slurmd.%n.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SchedulerType=sched/backfill
SchedulerParameters=sched_interval=1,sched_min_interval=100000
ReturnToService=2
MpiDefault=none
SlurmdParameters=config_overrides
JobAcctGatherType=jobacct_gather/none
JobRequeue=1
NodeName=n1 NodeHostname=slurmhost NodeAddr=127.0.0.1 Port=26821 CPUs=1 RealMemory=500
NodeName=n2 NodeHostname=slurmhost NodeAddr=127.0.0.1 Port=26822 CPUs=1 RealMemory=500
NodeName=n3 NodeHostname=slurmhost NodeAddr=127.0.0.1 Port=26823 CPUs=1 RealMemory=500
PartitionName=p Nodes=n[1-3] Default=YES State=UP
'''

START_SLURM = '''
hostname slurmhost
for d in /var/spool /var/log /run /etc/slurm /etc/munge; do mkdir -p $d; mount -t tmpfs tmpfs $d || exit 94; done
printf '127.0.0.1 slurmhost localhost\\n' > "$FOLDER/hosts"; mount --bind "$FOLDER/hosts" /etc/hosts
cp "$FOLDER/slurm.conf" /etc/slurm/slurm.conf
mkdir -p /run/munge /var/log/munge /var/spool/slurmctld
dd if=/dev/urandom of=/etc/munge/munge.key bs=128 count=1 2> /dev/null
chmod 400 /etc/munge/munge.key; chmod 755 /run/munge; chmod 700 /etc/munge /var/log/munge
[ -d /var/lib/munge ] && mount -t tmpfs tmpfs /var/lib/munge
chown -R munge: /etc/munge /run/munge /var/log/munge /var/lib/munge
setpriv --reuid=munge --regid=munge --clear-groups munged || exit 90
slurmctld || exit 91
for n in n1 n2 n3; do slurmd -N $n || exit 92; done
for i in $(seq 100); do [ "$(sinfo -h -t idle -o %D 2> /dev/null)" = 3 ] && break; sleep .2; done
[ "$(sinfo -h -t idle -o %D)" = 3 ] || { sinfo; cat /var/log/*.log; exit 93; }
{ set +x; sleep 200; squeue -o '%i %T %r %S'; sinfo; tail -n 12 /var/log/*.log; } &   # what a run that does not end waits for
'''


def _need(*programs):
    missing = [p for p in programs if not shutil.which(p, path='/usr/sbin:/usr/bin:/sbin:/bin')]
    if missing:
        raise Unavailable('not installed: %s' % ', '.join(missing))
    if os.geteuid():
        raise Unavailable('namespaces need root')


def _isolated(t, script, limit=240):
    """Runs a script of bash in namespaces of its own, with the network of loopback alone."""
    path = t.path('script')
    with open(path, 'w') as f:
        f.write('exec > "$FOLDER/log" 2>&1; set -x; ip link set lo up\nip link add v0 type veth peer name v1; ip addr add 10.9.9.9/24 dev v0; ip link set v0 up; ip link set v1 up\n' + script)
    environ = environment({'TFR': t.tfr, 'FOLDER': t.folder, 'DATA': t.inputs, 'PATH': '/usr/sbin:/usr/bin:/sbin:/bin',
                           'HOME': t.folder, 'PARALLEL_HOME': t.folder})
    found = subprocess.run(['timeout', '-s', 'KILL', str(limit), 'unshare', '--uts', '--mount', '--net', '--ipc', '--pid', '--fork',
                            '--mount-proc', '--kill-child', 'bash', path],
                           capture_output=True, cwd=t.inputs, env=environ, stdin=subprocess.DEVNULL)
    text = found.stderr.decode(errors='replace')
    if text.startswith('unshare:'):   # as in a chroot that is no mount, or a container without the right
        raise Unavailable('no namespaces here: %s' % text.strip())
    if os.path.exists(t.path('log')):
        with open(t.path('log'), errors='replace') as f:
            text += f.read()[-6000:]
    if 90 <= found.returncode <= 94:
        raise Unavailable('Slurm does not start here (%d): %s' % (found.returncode, text[-300:]))
    assert found.returncode == 0, 'status %d: %s' % (found.returncode, text)
    return text


def _recipe(title, *replacements):
    """The block after a line of tfr-cluster(7) that begins with `title`, as man shows it."""
    with open(TOP + '/man/tfr-cluster.7.scd') as f:
        text = re.search(r'^%s.*?^```\n(.*?)^```' % re.escape(title), f.read(), re.M | re.S)[1].replace('\\\\', '\\')
    for old, new in replacements:
        assert old in text, (title, old)
        text = text.replace(old, new)
    return text


HERE = (('photos', '$DATA/classes'), ('train@64.tfrecord', '$FOLDER/out/x@5.tfrecord'))


def _sharded(t):
    assert shards(t.path('out')) == t.alone(['shard', 'classes', '-o', 'OUT/x@5.tfrecord'])
    t.good('check', '-q', '--manifest', t.path('out/x@5.tfrecord'))


def _slurm(t, script):
    _need('slurmctld', 'slurmd', 'srun', 'sbatch', 'munged')
    with open(t.path('slurm.conf'), 'w') as f:
        f.write(SLURM)
    t.make('out')
    t.make('bin')
    os.symlink(t.tfr, t.path('bin/tfr'))
    return _isolated(t, START_SLURM + 'export PATH="$FOLDER/bin:$PATH"; cd "$FOLDER"; set -e\n' + script)


@case
def slurm_array_and_finish(t):
    """One task does not run at first, and is then submitted alone."""
    array = _recipe('Slurm, as an array', *HERE, ('--array=0-63 --cpus-per-task=8', '--array=0-7'), ('auto/64', 'auto/8'), ('-j 8', '-j 1'))
    submit = _recipe('The end of the array', *HERE[1:], ('sbatch --depend', 'sbatch --wait --depend'))
    again = _recipe('To run some tasks again', ('5,17', '5'))
    _slurm(t, 'cat > array.sh <<"END"\n%sEND\n' % array + """
sed '2a [ "$SLURM_ARRAY_TASK_ID" = 5 ] && [ ! -e "$FOLDER/again" ] && exit 1' array.sh > once.sh; mv once.sh array.sh
sbatch --wait array.sh || true
if tfr finish out/x@5.tfrecord 2> said; then exit 1; fi
grep -q 'part 5 of 8 has not finished' said; touch again
%s
sleep 1; sacct 2> /dev/null || true
while squeue -h | grep -q .; do sleep .2; done
%s""" % (again, submit))
    _sharded(t)


@case
def slurm_task_that_is_killed_and_requeued(t):
    """Slurm starts the task again after 11 s, when its credential has expired.  `scontrol update StartTime=now` is no way around
    that: a node refuses a task that starts in the second of its kill, and Slurm does not send it again."""
    if not t.shim:
        raise Unavailable('no --shim')
    _slurm(t, """
cat > task <<'END'
#!/bin/bash
if [ "$SLURM_ARRAY_TASK_ID" = 1 ] && [ -z "$SLURM_RESTART_COUNT" ]; then
  LD_PRELOAD=%s CRASH_KILL=3 CRASH_AFTER=1 tfr shard "$DATA/classes" -o out/x@5.tfrecord --part auto/3; echo $? > killed
  scontrol requeue ${SLURM_ARRAY_JOB_ID}_1
  sleep 100
fi
exec tfr shard "$DATA/classes" -o out/x@5.tfrecord --part auto/3
END
id=$(sbatch --parsable --requeue --array=0-2 task)
set +x
while ! ls out/*.part-0000[012]-* 2> /dev/null | wc -l | grep -q 3; do sleep .3; done
set -x
[ "$(cat killed)" = 137 ]
sbatch --wait --dependency=afterok:$id --wrap 'tfr finish out/x@5.tfrecord'
""" % t.shim)
    _sharded(t)


@case
def slurm_check(t):
    """Each task has a status of its own; the reports add up."""
    text = _recipe('Slurm, to verify a set', ('train@64.tfrecord', '$DATA/x@5.tfrecord'), ('-n 64', '-n 3'))
    said = _slurm(t, 'set +e\n%s\n' % text + '[ $? = 1 ] || exit 1; jq . --version > /dev/null 2>&1 || exit 0\n%s' %
                  _recipe('The reports of all parts', ))
    whole = t.run('check', 'x@5.tfrecord').stderr.decode()
    assert re.search('5 files', whole), whole
    found = [f for f in os.listdir(t.folder) if f.startswith('check-')]
    assert len(found) == 3, (found, said)


def _launched(t, command):
    t.make('out')
    t.make('bin')
    os.symlink(t.tfr, t.path('bin/tfr'))
    _isolated(t, 'export PATH="$FOLDER/bin:$PATH"; cd "$FOLDER"; set -e\n' + command)


@case
def mpich(t):
    _need('mpirun.mpich')
    _launched(t, _recipe('MPI. ', *HERE, ('mpirun -n 64', 'mpirun.mpich -n 3')))
    _sharded(t)


@case
def open_mpi(t):
    _need('mpirun.openmpi')
    _launched(t, _recipe('MPI. ', *HERE, ('mpirun -n 64', 'mpirun.openmpi --allow-run-as-root --oversubscribe -n 3')))
    _sharded(t)


@case
def gnu_parallel(t):
    """One part fails at first; --resume-failed runs it again."""
    _need('parallel')
    recipe = _recipe('GNU parallel, with', *HERE, ('seq 0 63', 'seq 0 7'), ('{}/64', '{}/8'), ('joblog log', 'joblog jobs'))   # log is what the script says
    first, again, finish = re.match(r'(.*?)(seq.*?)(tfr finish.*)', recipe[len('seq'):], re.S).groups()
    _launched(t, """
mkdir -p "$HOME/.parallel"; touch "$HOME/.parallel/will-cite"
mv bin/tfr bin/real
printf '#!/bin/bash\\n[[ "$*" == *3/8* && ! -e again ]] && exit 1\\nexec "$FOLDER/bin/real" "$@"\\n' > bin/tfr; chmod +x bin/tfr
if seq %s; then exit 1; fi
if tfr finish "$FOLDER/out/x@5.tfrecord" 2> said; then exit 1; fi
grep -q 'part 3 of 8 has not finished' said; touch again
%s
%s""" % (first.strip(), again, finish))
    _sharded(t)


@case
def ray(t):
    if not t.options.ray:
        raise Unavailable('no Ray from PyPI')
    t.make('out')
    t.make('bin')
    os.symlink(t.tfr, t.path('bin/tfr'))
    with open(t.path('task.py'), 'w') as f:
        f.write(_recipe('Ray, to start', ('N = 64', 'N = 4'), ("'photos'", repr(t.inputs + '/classes')),
                        ("'train@64.tfrecord'", repr(t.path('out/x@5.tfrecord'))),
                        ('ray.init()', 'ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)')))
    _isolated(t, 'export PATH="$FOLDER/bin:$PATH"\n"%s" "$FOLDER/task.py"\n' % t.options.ray)
    _sharded(t)
