"""The directory after a power cut: what a log of changes (shim.c) leaves on disk at each of its points.

A file has what was synced, and of later writes none, all, the length without the bytes, or a torn part.  An entry of a
folder is certain once the folder was synced after it; each later change of entries may be lost or kept, whatever became
of those before it.  A rename within or between folders is atomic: kept, it has removed the old name and set the new
one.  Syncing a file does not make its name certain.
"""
import os
import pathlib
import struct

HEAD = struct.Struct('=4I5Q')
(CREATED, NAMELESS, WRITTEN, TRUNCATED, ALLOCATED, SYNCED, FOLDER, EVERYTHING, RENAMED, LINKED, UNLINKED, MADE, REMOVED,
 COUNTED) = range(1, 15)
NAMES = ('', 'create', 'create nameless', 'write', 'truncate', 'allocate', 'sync', 'sync folder', 'sync all', 'rename',
         'link', 'unlink', 'mkdir', 'rmdir', 'end')
KEEP_SIZE, PUNCH_HOLE = 1, 2
EXCHANGE = 2
MODES = ('none', 'all', 'zeros', 'torn')


class Change:
    def __init__(self, fields, data, second):
        self.kind, _, _, _, self.a, self.b, self.c, self.d, self.mtime = fields
        self.data, self.second = data, second

    def path(self):
        return os.path.normpath(os.fsdecode(self.data))

    def __str__(self):
        words = [NAMES[self.kind]]
        if self.kind in (CREATED, FOLDER, RENAMED, LINKED, UNLINKED, MADE, REMOVED):
            words.append(os.path.basename(self.path()))
        if self.second:
            words.append(os.path.basename(os.fsdecode(self.second)))
        return ' '.join(words)


def read(path):
    """The changes of a log, and how many the program began."""
    log, at, changes, count = pathlib.Path(path).read_bytes(), 0, [], 0
    while at < len(log):
        fields = HEAD.unpack_from(log, at)
        middle = at + HEAD.size + fields[1]
        end = middle + fields[2]
        change = Change(fields, log[at + HEAD.size:middle], log[middle:end])
        if change.kind == COUNTED:
            count = change.b
        else:
            changes.append(change)
        at = end
    return changes, count


def edit(data, operation, only_size=False):
    """One write, truncation or hole in a bytearray."""
    what, at, payload = operation
    if what == 'write':
        end = at + len(payload)
        if end > len(data):
            data.extend(bytes(end - len(data)))
        data[at:end] = bytes(len(payload)) if only_size else payload
    elif what == 'truncate':
        del data[at:]
        data.extend(bytes(at - len(data)))
    elif at < len(data):   # a hole
        end = min(at + payload, len(data))
        data[at:end] = bytes(end - at)


class File:
    def __init__(self, inode, synced=b'', mtime=0):
        self.inode, self.synced, self.pending = inode, synced, []
        self.mtime = self.synced_mtime = mtime

    def sync(self):
        self.synced, self.pending = self.content('all', None), []
        self.synced_mtime = self.mtime

    def time(self, mode):
        return self.synced_mtime if mode == 'none' else self.mtime

    def content(self, mode, rng):
        if not self.pending or mode == 'none':
            return self.synced
        data = bytearray(self.synced)
        pending = self.pending
        if mode == 'torn':
            pending = pending[:rng.randrange(len(pending) + 1)]
            if pending and pending[-1][0] == 'write':
                what, at, payload = pending[-1]
                pending = pending[:-1] + [(what, at, payload[:rng.randrange(len(payload) + 1)])]
        for operation in pending:
            edit(data, operation, mode == 'zeros')
        return bytes(data)


class Folder:
    def __init__(self):
        self.entries = {}   # as they were before the run
        self.now = {}       # with every change made


class Step:
    """A change of entries that is kept or lost as one."""
    def __init__(self, *entries):
        self.entries, self.certain = entries, False


class Disk:
    def __init__(self, root):
        self.top = os.path.realpath(root)
        self.root, self.inodes, self.steps, self.files = Folder(), {}, [], set()
        self.scan(self.top, self.root)

    def scan(self, path, folder):
        for entry in os.scandir(path):
            if entry.is_dir(follow_symlinks=False):
                node = Folder()
                self.scan(entry.path, node)
            else:
                st = entry.stat(follow_symlinks=False)
                node = self.inodes.get(st.st_ino)
                if not node:
                    node = File(st.st_ino, pathlib.Path(entry.path).read_bytes(), st.st_mtime_ns)
                self.inodes[st.st_ino] = node
            folder.entries[entry.name] = folder.now[entry.name] = node

    def find(self, path):
        """The folder and the name in it; (None, None) outside of the root."""
        if not path.startswith(self.top + '/'):
            return None, None
        folder, parts = self.root, path[len(self.top) + 1:].split('/')
        for part in parts[:-1]:
            folder = folder.now[part]
        return folder, parts[-1]

    def enter(self, *entries):
        entries = [e for e in entries if e[0]]
        for folder, name, node in entries:
            if node is None:
                folder.now.pop(name, None)
            else:
                folder.now[name] = node
        if entries:
            self.steps.append(Step(*entries))

    def apply(self, change):
        kind = change.kind
        if kind in (CREATED, NAMELESS):
            self.inodes[change.a] = File(change.a)
        node = self.inodes.get(change.a)
        if kind in (CREATED, LINKED) and node:
            self.enter((*self.find(change.path()), node))
        elif kind in (WRITTEN, TRUNCATED, ALLOCATED, SYNCED):
            if node:
                self.change_file(node, change)
        elif kind == FOLDER:
            self.sync_folder(change.path())
        elif kind == EVERYTHING:
            for step in self.steps:
                step.certain = True
            for node in self.inodes.values():
                node.sync()
        elif kind == RENAMED:
            self.rename(change)
        elif kind in (UNLINKED, REMOVED):
            self.enter((*self.find(change.path()), None))
        elif kind == MADE:
            self.enter((*self.find(change.path()), Folder()))

    def change_file(self, node, change):
        node.mtime = change.mtime
        if change.kind == WRITTEN:
            node.pending.append(('write', change.b, change.data))
        elif change.kind == TRUNCATED:
            node.pending.append(('truncate', change.b, None))
        elif change.kind == SYNCED:
            node.sync()
        elif change.b & PUNCH_HOLE:
            node.pending.append(('hole', change.c, change.d))
        elif not change.b & KEEP_SIZE:
            node.pending.append(('write', change.c + change.d, b''))
        if node.pending:
            self.files.add(node)

    def rename(self, change):
        old = self.find(change.path())
        new = self.find(os.path.normpath(os.fsdecode(change.second)))
        node = old[0].now.get(old[1]) if old[0] else None
        other = new[0].now.get(new[1]) if new[0] and change.b & EXCHANGE else None
        self.enter((*old, other), (*new, node))

    def sync_folder(self, path):
        if path == self.top:
            folder = self.root
        else:
            parent, name = self.find(path)
            folder = parent.now.get(name) if parent else None
        for step in self.steps:
            if folder and any(entry[0] is folder for entry in step.entries):
                step.certain = True

    def uncertain(self):
        return [step for step in self.steps if not step.certain]

    def tree(self, kept, mode, rng):
        """The paths that are found after the cut: {path: (node, content, time)}, of a folder (node, None, 0)."""
        views, contents, found = {}, {}, {}
        for step in self.steps:
            if step.certain or step in kept:
                for folder, name, node in step.entries:
                    view = views.get(folder)
                    if view is None:
                        view = views[folder] = dict(folder.entries)
                    if node is None:
                        view.pop(name, None)
                    else:
                        view[name] = node

        def walk(folder, prefix):
            for name, node in views.get(folder, folder.entries).items():
                if isinstance(node, Folder):
                    found[prefix + name] = (node, None, 0)
                    walk(node, prefix + name + '/')
                else:
                    if node not in contents:
                        contents[node] = node.content(mode, rng), node.time(mode)
                    found[prefix + name] = (node, *contents[node])
        walk(self.root, '')
        return found


def subsets(steps, rng, most):
    """Which uncertain changes are kept: all subsets of a few; of many the extremes and a sample."""
    n = len(steps)
    if n <= 5:
        return [{s for i, s in enumerate(steps) if bits >> i & 1} for bits in range(1 << n)]
    chosen = [set(), set(steps)]
    chosen += [{s} for s in steps]
    chosen += [set(steps) - {s} for s in steps]
    if len(chosen) > most:
        chosen = chosen[:2] + rng.sample(chosen[2:], most - 2)
    return chosen + [{s for s in steps if rng.random() < 0.5} for _ in range(most // 4)]


def states(disk, changes, rng, share, most=24):
    """Every different tree after a cut at any change, or at a share of them: (number of the change, how, tree)."""
    seen = set()
    for number in range(len(changes) + 1):
        if number:
            disk.apply(changes[number - 1])
        if rng.random() >= share:
            continue
        dirty = any(node.pending for node in disk.files)
        for kept in subsets(disk.uncertain(), rng, most):
            for mode in MODES if dirty else ('all', ):
                tree = disk.tree(kept, mode, rng)
                key = hash(frozenset((path, id(node), content) for path, (node, content, _) in tree.items()))
                if key not in seen:
                    seen.add(key)
                    lost = len(disk.uncertain()) - len(kept)
                    yield number, '%s, %d of %d entries lost' % (mode, lost, len(disk.uncertain())), tree


def final(disk, changes):
    """{path: content} when every change is kept."""
    for change in changes:
        disk.apply(change)
    return {path: content for path, (_, content, _) in disk.tree(set(disk.steps), 'all', None).items()}


def write(tree, root):
    """Puts a tree into an empty folder, with its links and times of modification; returns (inode there, inode that the
    file had) of each."""
    places, inodes = {}, []
    for path in sorted(tree):
        node, content, time = tree[path]
        place = os.path.join(root, path)
        if content is None:
            os.mkdir(place)
        elif node in places:
            os.link(places[node], place)
        else:
            with open(place, 'wb') as out:
                out.write(content)
            os.utime(place, ns=(time, time))
            places[node] = place
            inodes.append((os.stat(place).st_ino, node.inode))
    return inodes
