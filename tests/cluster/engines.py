"""Real schedulers start the parts.  Each runs in namespaces of its own, as processes of the test, and ends with it: the first
process of the namespace is killed, and the kernel ends the others."""
import os
import re
import shutil
import subprocess

from jobs import Unavailable, case, environment

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
'''


def _need(*programs):
    missing = [p for p in programs if not shutil.which(p, path='/usr/sbin:/usr/bin:/sbin:/bin')]
    if missing:
        raise Unavailable('not installed: %s' % ', '.join(missing))
    if os.geteuid():
        raise Unavailable('namespaces need root')


def _isolated(t, script, limit=90):
    """Runs a script of bash in namespaces of its own, with the network of loopback alone."""
    path = t.path('script')
    with open(path, 'w') as f:
        f.write('exec > "$FOLDER/log" 2>&1; set -x; ip link set lo up\nip link add v0 type veth peer name v1; ip addr add 10.9.9.9/24 dev v0; ip link set v0 up; ip link set v1 up\n' + script)
    environ = environment({'TFR': t.tfr, 'FOLDER': t.folder, 'DATA': t.inputs.folder, 'PATH': '/usr/sbin:/usr/bin:/sbin:/bin',
                           'HOME': t.folder, 'PARALLEL_HOME': t.folder})
    found = subprocess.run(['unshare', '--uts', '--mount', '--net', '--ipc', '--pid', '--fork', '--mount-proc', '--kill-child', 'bash', path],
                           capture_output=True, cwd=t.inputs.folder, env=environ, stdin=subprocess.DEVNULL, timeout=limit)
    text = found.stderr.decode(errors='replace')
    if text.startswith('unshare:'):   # as in a chroot that is no mount, or a container without the right
        raise Unavailable('no namespaces here: %s' % text.strip())
    if os.path.exists(t.path('log')):
        with open(t.path('log'), errors='replace') as f:
            text += f.read()[-3000:]
    if 90 <= found.returncode <= 94:
        raise Unavailable('Slurm does not start here (%d): %s' % (found.returncode, text[-300:]))
    assert found.returncode == 0, 'status %d: %s' % (found.returncode, text)
    return text


def _slurm(t, arguments, script):
    """The words of the command are in "$@" of the script; the job directory is $JOB."""
    _need('slurmctld', 'slurmd', 'srun', 'sbatch', 'munged')
    with open(t.path('slurm.conf'), 'w') as f:
        f.write(SLURM)

    def do(words, plain):
        quoted = ' '.join("'%s'" % w for w in words)
        _isolated(t, START_SLURM + 'cd "$DATA"; JOB=$FOLDER/job; export JOB; set -e\nset -- %s\n' % quoted + script)
    t.compared(arguments, t.path('job'), do)


CAT = ['cat', 'five@5.tfrecord', 'three@3.tfrecord.gz', '-o', 'OUT/x@4.tfrecord']
SHUFFLE = ['shuffle', 'five@5.tfrecord', 'three@3.tfrecord.gz', '-o', 'OUT/x@4.tfrecord', '--seed', '5']


@case
def slurm_job(t):
    _slurm(t, CAT, 'srun -n 3 "$TFR" "$@" --part auto --job "$JOB" --wait\n')


@case
def slurm_shuffle_that_waits(t):
    _slurm(t, SHUFFLE, 'srun -n 3 "$TFR" "$@" --part auto --job "$JOB" --wait\n')


@case
def slurm_array_and_dependent_finish(t):
    """Task 5 does not run at first, and is then submitted alone."""
    _slurm(t, CAT, '''
cat > "$FOLDER/task" <<'END'
#!/bin/bash
[ "$SLURM_ARRAY_TASK_ID" = 5 ] && [ ! -e "$FOLDER/again" ] && exit 1
exec "$TFR" "$@" --part auto --job "$JOB"
END
sbatch --wait --array=0-7 -o "$FOLDER/out-%a" "$FOLDER/task" "$@" || true
if "$TFR" finish "$JOB" 2> "$FOLDER/said"; then exit 1; fi
grep -q 'part 5/8' "$FOLDER/said" && [ "$(grep -c 'part ./8' "$FOLDER/said")" = 1 ]
touch "$FOLDER/again"
id=$(sbatch --parsable --array=5 -o "$FOLDER/out-%a" "$FOLDER/task" "$@")
sbatch --wait --dependency=afterok:$id -o "$FOLDER/finish" --wrap '"$TFR" finish "$JOB"'
''')


@case
def slurm_task_that_is_killed_and_requeued(t):
    _slurm(t, ['cat', *['five@5.tfrecord'] * 100, '-o', 'OUT/x@4.tfrecord'], '''
cat > "$FOLDER/task" <<'END'
#!/bin/bash
if [ "$SLURM_ARRAY_TASK_ID" = 1 ] && [ -z "$SLURM_RESTART_COUNT" ]; then
  "$TFR" "$@" --part auto --job "$JOB" & pid=$!
  until [ -e "$JOB/job.json" ]; do :; done
  kill -9 $pid; wait $pid; echo "killed: $?" > "$FOLDER/killed"
  scontrol requeue ${SLURM_ARRAY_JOB_ID}_1
  sleep 100
fi
exec "$TFR" "$@" --part auto --job "$JOB"
END
id=$(sbatch --parsable --requeue --array=0-2 -o "$FOLDER/out-%a" "$FOLDER/task" "$@")
for i in $(seq 300); do
  scontrol update JobId=${id}_1 StartTime=now 2> /dev/null || true
  ls "$JOB"/part-0000[012].part 2> /dev/null | wc -l | grep -q 3 && break
  sleep .3
done
[ -s "$FOLDER/killed" ]
sbatch --wait --dependency=afterok:$id -o "$FOLDER/finish" --wrap '"$TFR" finish "$JOB"'
''')


@case
def slurm_phases_as_arrays(t):
    _slurm(t, SHUFFLE, '''
cat > "$FOLDER/task" <<'END'
#!/bin/bash
phase=$1; shift
exec "$TFR" "$@" --part auto --job "$JOB" --phase $phase
END
a=$(sbatch --parsable --array=1-9:2 -o "$FOLDER/s-%a" "$FOLDER/task" scatter "$@")
b=$(sbatch --parsable --array=1-9:2 --dependency=afterok:$a -o "$FOLDER/g-%a" "$FOLDER/task" gather "$@")
sbatch --wait --dependency=afterok:$b -o "$FOLDER/finish" --wrap '"$TFR" finish "$JOB"'
''')


def _launched(t, arguments, command):
    def do(words, plain):
        quoted = ' '.join("'%s'" % w for w in words)
        _isolated(t, 'cd "$DATA"; JOB=$FOLDER/job; export JOB; set -e\nset -- %s\n%s' % (quoted, command))
    t.compared(arguments, t.path('job'), do)


@case
def mpich(t):
    _need('mpirun.mpich')
    _launched(t, SHUFFLE, 'mpirun.mpich -n 3 "$TFR" "$@" --part auto --job "$JOB" --wait\n')


@case
def open_mpi(t):
    _need('mpirun.openmpi')
    _launched(t, SHUFFLE, 'mpirun.openmpi --allow-run-as-root --oversubscribe -n 3 "$TFR" "$@" --part auto --job "$JOB" --wait\n')


@case
def mpirun_of_two_kinds_of_one_job(t):
    """Ranks that all say 0 of 1 do the same work, and one of them is recorded."""
    _launched(t, CAT, 'for i in 1 2 3; do PMI_RANK=0 PMI_SIZE=1 "$TFR" "$@" --part auto --job "$JOB" & done; wait\n"$TFR" finish "$JOB"\n')


@case
def gnu_parallel(t):
    """One part fails at first; --resume-failed runs it again."""
    _need('parallel')
    _launched(t, CAT, '''
cat > "$FOLDER/task" <<'END'
#!/bin/bash
i=$1; shift
[ "$i" = 3 ] && [ ! -e "$FOLDER/again" ] && exit 1
exec "$TFR" "$@" --part auto/8 --job "$JOB"
END
chmod +x "$FOLDER/task"
mkdir -p "$HOME/.parallel"; touch "$HOME/.parallel/will-cite"
seq 8 | parallel --joblog "$FOLDER/joblog" -j 2 "$FOLDER/task" {} "$@" && exit 1
if "$TFR" finish "$JOB" 2> "$FOLDER/said"; then exit 1; fi
grep -q 'part 2/8' "$FOLDER/said"
touch "$FOLDER/again"
seq 8 | parallel --joblog "$FOLDER/joblog" --resume-failed -j 2 "$FOLDER/task" {} "$@"
"$TFR" finish "$JOB"
''')


def _recipe(engine, **values):
    """The program in tfr-cluster(7), with other values of its variables."""
    with open(os.path.join(os.path.dirname(__file__), '../../man/tfr-cluster.7.scd')) as f:
        text = re.search(r'^%s\..*?^```\n(.*?)^```' % engine, f.read(), re.M | re.S)[1]
    for name, value in values.items():
        text, changes = re.subn(r'^%s = .*\n(?: .*\n)*' % name, lambda _: '%s = %r\n' % (name, value), text, flags=re.M)
        assert changes == 1, name
    return text.replace('ray.init()', 'ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)')


@case
def ray(t):
    if not t.ray:
        raise Unavailable('no Ray from PyPI')
    def do(words, plain):
        with open(t.path('task.py'), 'w') as f:
            f.write(_recipe('Ray', N=4, TFR=[t.tfr], ARGUMENTS=words, JOB=t.path('job')))
        _isolated(t, '"%s" "$FOLDER/task.py"\n' % t.ray)
    inputs = [os.path.join(t.inputs.folder, name) for name in CAT[1:3]]   # Ray's workers have folders of their own
    t.compared(['cat', *inputs, *CAT[3:]], t.path('job'), do)
