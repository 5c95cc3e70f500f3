#!/usr/bin/env python3
"""fix.py NAME [--OPTION=VALUE]... PATH...: what tfr doctor finds by that name, pasted and found no more.

Runs tfr doctor, prints the finding, gives its command to a shell as it stands, and runs tfr doctor again: on what the
command has written, where that is another set, else on PATH.  The last line is "gone", or what is wrong.  A command
that only prints more is run too, and must not fail for its own sake.

No command may destroy data: one that replaces a set must leave its content sum, one that writes another set must give
it the sum of all records that can be read, and no file may be lost or changed beside those; one that prints changes
nothing.
"""
import hashlib
import json
import os
import shlex
import subprocess
import sys


def doctor(options, paths):
    done = subprocess.run(['tfr', 'doctor', '--json', *options, '--', *paths], capture_output=True, text=True)
    if not done.stdout:
        sys.exit('no report: ' + done.stderr)
    return json.loads(done.stdout)['findings'], done.returncode


def written(command):
    """What the command writes, without fractions; nothing where it replaces its input."""
    if "$'" in command:   # which shlex does not know
        return []
    words = shlex.split(command)
    if words[0] != 'tfr' or '-f' in words:
        return []
    return [words[i + 1].split('=')[0] for i, word in enumerate(words) if word == '-o']


def content(name, *options):
    """The number of records and the content sum of all that can be read; None: the set is damaged."""
    if options:
        cat = subprocess.run(['tfr', 'cat', '-q', '--allow-missing', *options, '--', name], capture_output=True)
        done = subprocess.run(['tfr', 'count', '-q', '--sum', '-'], input=cat.stdout, capture_output=True)
    else:
        done = subprocess.run(['tfr', 'count', '-q', '--sum', '--allow-missing', '--', name], capture_output=True)
    return done.stdout if done.returncode == 0 else None


def files():
    """Every regular file below here, with its bytes' digest."""
    found = {}
    for folder, _, names in os.walk('.'):
        for name in names:
            path = os.path.join(folder, name)
            if os.path.isfile(path) and not os.path.islink(path):
                found[os.path.relpath(path)] = hashlib.md5(open(path, 'rb').read()).hexdigest()
    return found


def lost(before, command, subject):
    """Files whose bytes are nowhere any more, but for those that the command is to replace."""
    after = files()
    replaced = ('.idx', '.gzi', '.manifest.json')
    stem = os.path.relpath(subject.split('@')[0]) if '-f' in command.split() else None
    return [path for path, digest in sorted(before.items()) if digest not in after.values()
            and not path.endswith(replaced) and not (stem and path.startswith(stem) and not path.endswith('.txt'))]


def judge_content(f, before, had, readable):
    """Says what of the records is not as it was."""
    command = f['command']
    for path in lost(before, command, f['subject']):
        print('lost: ' + path)
    if not command.startswith('tfr ') or ' -o ' not in command or "$'" in command:
        return
    if '-f' in shlex.split(command):
        if content(f['subject']) != had:
            print('other records in ' + f['subject'])
        return
    for name in written(command):
        if ' dedup ' not in command and content(name) != readable:
            print('other records in ' + name)


def main():
    name, *rest = sys.argv[1:]
    options = [word for word in rest if word.startswith('--')]
    paths = [word for word in rest if not word.startswith('--')]
    found, status = doctor(options, paths)
    of_name = [f for f in found if f['name'] == name]
    if not of_name:
        sys.exit('%s: not found, but %s' % (name, ' '.join(f['name'] for f in found)))
    for f in of_name:
        print('%s: %s: %s: %s' % (f['level'], f['name'], f['subject'], f['text']))
    serious = any(f['level'] != 'note' for f in found)
    if status not in ((1, 3) if serious else (0,)):
        print('status %d' % status)
    f = of_name[0]
    if 'command' not in f:
        print('no command')
        return
    print('$ ' + f['command'])
    before, had = files(), content(f['subject'])
    readable = content(f['subject'], '--on-error', 'skip')
    done = subprocess.run(['bash', '-c', f['command']], capture_output=True, text=True)
    if not f['fixes']:
        if files() != before:
            print('it has changed files')
        print('tells' if done.returncode in (0, 1) and (done.stdout or done.stderr) else done.stderr)
        return
    if done.returncode not in (0, 1) or (done.returncode and ' repair' not in f['command']):
        sys.exit('status %d: %s' % (done.returncode, done.stderr))
    judge_content(f, before, had, readable)
    after, _ = doctor(options, written(f['command']) or paths)
    again = [g for g in after if g['name'] == name]
    print('gone' if len(again) < len(of_name) else 'still: ' + again[0]['text'])


if __name__ == '__main__':
    main()
