"""One trial: a folder in which a command runs, and what its files may be meanwhile and afterwards.

Every visible file under its own name is the old one or the new one, in full; a manifest has the shards that it names;
nothing that is not the command's own changes.  Names that begin with a dot are the command's own.
"""
import collections
import json
import os
import pathlib
import re
import shutil
import subprocess

TIMEOUT = 60
MEASURED = {'feed.html': b'</html>\n'}   # figures that differ from run to run: how the file ends
LISTED = '.tmp', '.old', '.lock'   # what doctor reports
REFUSED = re.compile(r'will not overwrite|exists:|another run is writing|other runs keep writing|other classes are in'
                     r'|the run to be resumed had|the completed run had|cannot move the old folder aside')

Entry = collections.namedtuple('Entry', 'content mtime')   # content: None of a folder
Run = collections.namedtuple('Run', 'status errors output')


class Fault(Exception):
    pass


def is_manifest(path):
    return path.endswith('.manifest.json')


def comparable(path, content):
    """A manifest without the times of its shards, which differ from run to run, and without the -f of its command: a
    run with --resume leaves a set that is complete as it is."""
    if path in MEASURED:
        return b'complete' if content.endswith(MEASURED[path]) else content
    if not is_manifest(path):
        return content
    try:
        manifest = json.loads(content)
        for shard in manifest['shards']:
            del shard['mtime']
        manifest['command'] = manifest['command'].removesuffix(' -f')
        return json.dumps(manifest, sort_keys=True).encode()
    except (ValueError, KeyError, TypeError):
        return content


def look(root):
    """{path: Entry} of everything below a folder."""
    found = {}
    for folder, folders, files in os.walk(root):
        inside = os.path.relpath(folder, root)
        inside = '' if inside == '.' else inside + '/'
        for name in folders:
            found[inside + name] = Entry(None, 0)
        for name in files:
            path = os.path.join(folder, name)
            found[inside + name] = Entry(pathlib.Path(path).read_bytes(), os.stat(path).st_mtime_ns)
    return found


def look_at_inputs(root):
    """Which files these are, and when they were last changed in any way."""
    found = {}
    for folder, _, files in os.walk(root):
        for name in files:
            st = os.stat(os.path.join(folder, name))
            found[os.path.join(folder, name)] = st.st_ino, st.st_size, st.st_mtime_ns, st.st_ctime_ns, st.st_nlink
    return found


def of_tree(tree):
    """What look() would say of a tree of replay.py."""
    return {path: Entry(content, time) for path, (_, content, time) in tree.items()}


def is_hidden(path):
    return any(part.startswith('.') for part in path.split('/'))


def contents(found):
    return {path: comparable(path, entry.content) if entry.content is not None else None
            for path, entry in found.items()}


def visible(found):
    return {path: content for path, content in contents(found).items() if not is_hidden(path)}


def hidden(found):
    return sorted(path for path in found if is_hidden(path))


def differences(found, wanted):
    """The first paths in which two contents() differ."""
    lines = ['missing: ' + p for p in sorted(wanted.keys() - found.keys())]
    lines += ['left over: ' + p for p in sorted(found.keys() - wanted.keys())]
    lines += ['different: ' + p for p in sorted(found.keys() & wanted.keys()) if found[p] != wanted[p]]
    return ', '.join(lines[:6])


class Trial:
    """A case in one of its variants: without or with -f over the outputs of another run."""

    def __init__(self, bench, case, force):
        self.bench, self.case, self.force = bench, case, force
        self.name = case.name + (' -f' if force else '')
        self.words = case.words + (['-f'] if force else [])
        self.folder = bench.work / self.name.replace(' ', '')
        self.folder.mkdir()
        self.template, self.place, self.faults = self.folder / 'template', self.folder / 'trial', 0
        self.template.mkdir()
        for words in case.before + ([case.other] if force else []):
            self.must_run(self.template, words)
        self.old = contents(look(self.template))
        self.new = self.complete(self.words)
        self.rival = case.other + (['-f'] if force else [])
        self.other = self.complete(self.rival)
        again = self.complete(self.words)
        if again != self.new:
            raise Fault('%s: two runs differ: %s' % (self.name, differences(again, self.new)))

    # --- folders and runs ---

    def new_folder(self, empty=False):
        """Always the same path: names of temporaries depend on it."""
        shutil.rmtree(self.place, ignore_errors=True)
        if empty:
            self.place.mkdir()
        else:
            shutil.copytree(self.template, self.place)
        return self.place

    def keep(self):
        """Sets the folder of a trial that failed aside."""
        self.faults += 1
        return self.place.rename(self.folder / ('fault-%d' % self.faults))

    def environment(self, shim):
        env = {'PATH': os.environ['PATH'], 'LC_ALL': 'C.UTF-8', 'TMPDIR': str(self.bench.work / 'tmp')}
        if shim:
            env |= {'LD_PRELOAD': str(self.bench.shim)} | {k: str(v) for k, v in shim.items()}
            env.setdefault('CRASH_DELAY', str(self.case.delay))
        return env

    def start(self, folder, words, shim=None):
        return subprocess.Popen([self.bench.tfr] + words, cwd=folder, env=self.environment(shim), text=True,
                                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def finish(self, process):
        try:
            output, errors = process.communicate(timeout=TIMEOUT)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            raise Fault('does not end') from None
        return Run(process.returncode, errors.strip(), output)

    def run(self, folder, words, shim=None):
        return self.finish(self.start(folder, words, shim))

    def expect(self, run, words):
        if run.status != self.case.status:
            raise Fault('%s: tfr %s: status %d: %s' % (self.name, ' '.join(words), run.status, run.errors[:300]))

    def must_run(self, folder, words):
        if words[0] == 'mkdir':
            (folder / words[1]).mkdir()
        else:
            self.expect(self.run(folder, words), words)

    def complete(self, words):
        """What an uninterrupted run leaves."""
        folder = self.new_folder()
        self.must_run(folder, words)
        return contents(look(folder))

    # --- what is required ---

    def check_inputs(self):
        if look_at_inputs(self.bench.inputs) != self.bench.untouched:
            raise Fault('an input was changed')

    def check_commands(self, folder, found):
        """What tfr itself says of each set that has a manifest, and of what is left behind."""
        left = [path for path in hidden(found) if path.endswith(LISTED) and found[path].content is not None]
        if left:
            listed = self.run(folder, ['doctor', '-q'] + sorted({os.path.dirname(path) or '.' for path in left})).output
            for path in left:
                if os.path.basename(path) not in listed:
                    raise Fault('doctor does not list ' + re.sub('[0-9a-f]{16}', 'RANDOM', path))
        for path in filter(is_manifest, visible(found)):
            if '.file' in path:   # check knows manifests of sets
                continue
            inside = path.rpartition('/')[0]
            names = [os.path.join(inside, shard['name']) for shard in json.loads(found[path].content)['shards']]
            run = self.run(folder, ['check', '-q', '--manifest'] + names)
            if run.status:
                raise Fault('check --manifest of %s: status %d: %s' % (path, run.status, run.errors[:300]))

    def check_version(self, found, seen, path):
        """The set of a manifest: its members are those of the same run, and have its times."""
        for version in (self.new, self.old):
            if version.get(path) == seen[path]:
                break
        else:
            raise Fault('%s is the manifest of no run' % path)
        folder = path.rpartition('/')[0]
        folder += '/' if folder else ''
        manifest = json.loads(found[path].content)
        members = [folder + shard['name'] for shard in manifest['shards']]
        labels = path[:-len('manifest.json')] + 'labels.txt'
        for member in members + ([labels] if labels in version or labels in seen else []):
            if seen.get(member) != version.get(member):
                raise Fault("%s does not fit %s" % (member, path))
        for shard in manifest['shards']:
            mtime = found[folder + shard['name']].mtime
            if shard['mtime'] != '%d.%09d' % divmod(mtime, 10**9):
                raise Fault('%s has the time %d, not %s of %s' % (shard['name'], mtime, shard['mtime'], path))

    def check(self, found):
        """What must hold in every state of the folder; Fault says what does not."""
        seen = visible(found)
        for path, content in seen.items():
            old, new = self.old.get(path, Fault), self.new.get(path, Fault)
            if old is Fault and new is Fault:
                raise Fault('%s is a file of no run' % path)
            if content not in (old, new):
                raise Fault('%s is neither the old file nor the new one' % path)
        for path in self.old.keys() & self.new.keys():
            if path not in seen and not self.case.withdrawn(path):
                raise Fault('%s is gone' % path)
        for path in filter(is_manifest, seen):
            self.check_version(found, seen, path)
        return seen

    def run_refused(self, folder):
        """A second run that fails puts back what it finds: the old outputs, or the new ones.  It may leave temporaries,
        which the next run that succeeds removes, and an empty folder of --tfds, which a later run fills.  Where outputs may
        be absent while they change, it may leave all files as it finds them: export does not move NAME.old back."""
        if not self.case.expects:
            return
        found = visible(look(folder))
        run = self.run(folder, self.words + ['--expect', '999999'])
        if run.status not in (1, 2):
            raise Fault('the run with --expect 999999 ends with status %d: %s' % (run.status, run.errors[:300]))
        after = {path: content for path, content in contents(look(folder)).items()
                 if content is not None and not (is_hidden(path) and path.endswith('.tmp'))}
        states = [self.old, self.new] + [found] * any(map(self.case.absent.search, self.old))
        allowed = [{path: content for path, content in state.items() if content is not None} for state in states]
        if after not in allowed:
            raise Fault('after a second run that fails: ' + differences(after, allowed[0]))

    def run_again(self, folder, seen, shim=None):
        """A plain second run succeeds and leaves what an uninterrupted one leaves; it may be refused where every
        output is there."""
        run = self.run(folder, self.words, shim)
        after = contents(look(folder))
        refused = run.status == 2 and REFUSED.search(run.errors)
        if refused and seen != self.new:
            raise Fault('the second run is refused although outputs are missing (%s): %s' % (
                differences(seen, self.new), run.errors.splitlines()[0]))
        if run.status != self.case.status and not refused:
            raise Fault('the second run ends with status %d: %s' % (run.status, run.errors[:300]))
        if after != self.new:
            raise Fault('after the second run: %s' % differences(after, self.new))
