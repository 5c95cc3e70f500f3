"""Faults of servers, for Server.inject(): each function makes one.

A fault sends something other than the right answer, or the right answer in a wrong way."""
import gzip
import time

from .web import Answer


def status(code, error='', message='', headers=None, body=None):
    """An answer with this status and a store's error, or with `body`."""
    def act(x):
        from .store import error_body
        text = error_body(error or 'Fault', message or 'injected', x.request) if body is None else body
        x.send(Answer(code, {'Content-Type': 'application/xml', 'x-amz-request-id': 'REQ-FAULT', **(headers or {})}, text))
    return act


def cut(at, then=None):
    """The connection closes after `at` bytes of the body.  then(): called before that."""
    def act(x):
        answer = x.answer()
        x.head(answer)
        if at:
            x.write(answer.body[:at])
        if then:
            then()
        x.close()
    return act


def reset(at=None):
    """The connection is reset: before the answer, or after `at` bytes of its body."""
    def act(x):
        if at is not None:
            answer = x.answer()
            x.head(answer)
            x.write(answer.body[:at])
            time.sleep(.05)  # a reset discards what the client has not read yet
        x.close(reset=True)
    return act


def stall(at=None):
    """Nothing more comes: before the answer, or after `at` bytes of its body."""
    def act(x):
        if at is not None:
            answer = x.answer()
            x.head(answer)
            x.write(answer.body[:at])
        x.hang()
    return act


def slow(piece, pause):
    """The body in pieces, with a pause after each."""
    def act(x):
        answer = x.answer()
        x.head(answer)
        for first in range(0, len(answer.body), piece):
            x.write(answer.body[first:first + piece])
            if x.server.ending.wait(pause):
                break
    return act


def late(seconds):
    """The right answer, later."""
    def act(x):
        x.server.ending.wait(seconds)
        x.send(x.answer())
    return act


def headers(**changes):
    """The right answer with other headers ('_' for '-'); None removes one."""
    def act(x):
        answer = x.answer()
        for name, value in changes.items():
            name = name.replace('_', '-')
            answer.headers.pop(name, None)
            if value is not None:
                answer.headers[name] = value
        x.send(answer)
    return act


def ignore_range():
    """The whole object with 200."""
    def act(x):
        del x.request.headers['Range']
        x.send(x.answer())
    return act


def another_status(code, at=None):
    """The right answer with another status; with `at`, cut after as many bytes."""
    def act(x):
        answer = x.answer()
        answer.status = code
        x.head(answer)
        x.write(answer.body[:at])
        if at is not None:
            x.close()
    return act


def chunked(at=None, then=None):
    """The right body in chunks, without a length; with `at`, cut there.  then(): called after the cut."""
    def act(x):
        answer = x.answer()
        answer.headers.pop('Content-Length', None)
        answer.headers['Transfer-Encoding'] = 'chunked'
        x.head(answer, '')
        body = bytes(answer.body[:])[:at]
        x.write(b'%x\r\n%s\r\n' % (len(body), body) if body else b'')
        if at is None:
            x.write(b'0\r\n\r\n')
        else:
            if then:
                then()
            x.close()
    return act


def unbounded(at):
    """The first `at` bytes of the body, which nothing but the end of the connection ends."""
    def act(x):
        answer = x.answer()
        answer.headers.pop('Content-Length', None)
        x.head(answer, '')
        x.write(answer.body[:at])
        x.close()
    return act


def length(claimed):
    """Another Content-Length than the body has; '' for none, when the end of the connection ends the body."""
    def act(x):
        answer = x.answer()
        x.head(answer, claimed)
        if x.request.method != 'HEAD':
            x.write(answer.body[:])
        x.close()
    return act


def endless_headers():
    def act(x):
        x.write(b'HTTP/1.1 200 OK\r\n')
        while not x.server.ending.is_set():
            x.write(b'X-More: ' + b'a' * 1000 + b'\r\n')
    return act


def endless_body(status=200, piece=b'a' * 65536, headers=None):
    """A body without an end, in chunks."""
    def act(x):
        x.head(Answer(status, {'Transfer-Encoding': 'chunked', **(headers or {})}), '')
        while x.request.method != 'HEAD' and not x.server.ending.is_set():
            x.write(b'%x\r\n%s\r\n' % (len(piece), piece))
    return act


def gzipped(size=None):
    """The body with Content-Encoding: gzip; with `size`, a bomb of that many zeros."""
    bomb = gzip.compress(bytes(size), 1) if size else None

    def act(x):
        answer = x.answer()
        answer.body = bomb or gzip.compress(bytes(answer.body[:]))
        answer.headers |= {'Content-Encoding': 'gzip', 'Content-Length': len(answer.body)}
        x.send(answer)
    return act


def redirect(to, code=302):
    """To another address; '{}' in it is the target of the request."""
    def act(x):
        x.send(Answer(code, {'Location': to.replace('{}', x.request.target)}))
    return act


def before(action):
    """Calls action() and gives the right answer: what replaces an object between two requests."""
    def act(x):
        action()
        x.send(x.answer())
    return act


def body(text, code=200, **more):
    """Another body: malformed listings, completions with an <Error>."""
    def act(x):
        x.send(Answer(code, {'Content-Type': 'application/xml', **more}, text if isinstance(text, bytes) else text.encode()))
    return act


def restart(seconds):
    """The server restarts before it answers."""
    def act(x):
        x.server.restart(seconds)
        x.close(reset=True)
    return act


def lost():
    """The request is carried out, and the connection breaks before the answer."""
    def act(x):
        x.answer()
        x.close(reset=True)
    return act
