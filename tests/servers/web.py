"""An HTTP/1.1 server on threads whose answers can be damaged in every way that a test needs.

A subclass implements answer(request).  inject() puts a fault in the place of answers, or on top of them; the fault
counts how often it happened, so that a test can prove that it did."""
import http.client
import http.server
import select
import socket
import socketserver
import struct
import threading
import time
import urllib.parse


class Answer:
    def __init__(self, status=200, headers=None, body=b''):
        self.status, self.headers, self.body = status, dict(headers or {}), body


class Request:
    """What arrived.  `path` and `query` are as on the wire; `answered` is the status that was sent, None before."""

    def __init__(self, method, target, headers, body, connection):
        self.method, self.target, self.headers, self.body, self.connection = method, target, headers, body, connection
        self.path, _, self.query = target.partition('?')
        self.parameters = dict(urllib.parse.parse_qsl(self.query, keep_blank_values=True))
        self.time, self.answered, self.sent = time.monotonic(), None, 0

    def range(self):
        """(first, last) of its Range, or None."""
        text = self.headers.get('Range', '')
        if not text.startswith('bytes='):
            return None
        first, _, last = text[6:].partition('-')
        return int(first), int(last) if last else None

    def __repr__(self):
        return '%s %s %s -> %s' % (self.method, self.target, self.headers.get('Range', ''), self.answered)


class Fault:
    def __init__(self, act, when, times, skip):
        self.act, self.when, self.times, self.skip, self.count = act, when, times, skip, 0


class Exchange:
    """One request and the connection that its answer goes to."""

    def __init__(self, server, handler, request):
        self.server, self.handler, self.request = server, handler, request

    def answer(self):
        return self.server.answer(self.request)

    def write(self, data):
        for first in range(0, len(data), 1 << 20):
            piece = data[first:first + (1 << 20)]
            self.handler.connection.sendall(piece)
            self.request.sent += len(piece)

    def head(self, answer, length=None):
        """The status line and the headers; `length` overrides Content-Length, and '' leaves it out."""
        lines = ['HTTP/1.1 %d %s' % (answer.status, http.client.responses.get(answer.status, 'Unknown'))]
        headers = {'Date': self.handler.date_time_string(), 'Content-Length': len(answer.body), **answer.headers}
        if length is not None:
            headers['Content-Length'] = length
        lines += ['%s: %s' % (k, v) for k, v in headers.items() if v != '']
        self.request.answered = answer.status
        self.handler.connection.sendall(('\r\n'.join(lines) + '\r\n\r\n').encode('latin-1'))

    def send(self, answer):
        self.head(answer)
        if self.request.method != 'HEAD':
            self.write(answer.body)

    def close(self, reset=False):
        self.handler.close_connection = True
        if reset:
            self.handler.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack('ii', 1, 0))
            self.handler.connection.close()

    def hang(self):
        """Waits until the client goes or the server ends."""
        while not self.server.ending.is_set():
            if select.select([self.handler.connection], [], [], .1)[0] and not self.handler.connection.recv(1 << 16):
                break
        self.close()


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = 'HTTP/1.1'
    disable_nagle_algorithm = True

    def log_message(self, *_):
        pass

    def handle_one_request(self):
        try:
            super().handle_one_request()
        except (ConnectionError, OSError, ValueError):
            self.close_connection = True

    def content(self):
        if self.headers.get('Transfer-Encoding', '') != 'chunked':
            return self.rfile.read(int(self.headers.get('Content-Length', 0)))
        body = b''
        while size := int(self.rfile.readline(), 16):
            body += self.rfile.read(size)
            self.rfile.readline()
        self.rfile.readline()
        return body

    def serve(self):
        request = Request(self.command, self.path, self.headers, b'', self.client_address[1])
        wanted = int(self.headers.get('Content-Length', 0))
        self.server.web.began(request)
        request.body = self.content()
        if len(request.body) < wanted:
            self.close_connection = True  # the client went away
            return
        exchange = Exchange(self.server.web, self, request)
        with self.server.web.working():
            self.server.web.serve(exchange)
        if self.headers.get('Connection', '').lower() == 'close':
            self.close_connection = True

    do_GET = do_HEAD = do_PUT = do_POST = do_DELETE = do_CONNECT = serve


class Listener(socketserver.ThreadingMixIn, socketserver.TCPServer):
    daemon_threads, allow_reuse_address, request_queue_size, block_on_close = True, True, 256, False

    def handle_error(self, *_):
        pass


class Server:
    """A server is a context: it listens inside `with`."""

    def __init__(self, address='127.0.0.1', tls=None):
        self.requests, self.faults, self.lock = [], [], threading.Lock()
        self.ending, self.busy, self.most_busy, self.down = threading.Event(), 0, 0, False
        self.listener = Listener((address, 0), Handler)
        self.listener.web = self
        if tls:
            self.listener.socket = tls.wrap_socket(self.listener.socket, server_side=True)
        self.port = self.listener.server_address[1]
        self.url = '%s://%s:%d' % ('https' if tls else 'http', address, self.port)

    def __enter__(self):
        threading.Thread(target=self.listener.serve_forever, kwargs={'poll_interval': .05}, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.ending.set()
        self.listener.shutdown()
        self.listener.server_close()

    def restart(self, seconds):
        """A restart of the server: connections are reset, and nothing listens for so long."""
        listener = self.listener
        self.down = True
        listener.shutdown()
        listener.server_close()

        def up():
            self.listener = Listener(listener.server_address, Handler)
            self.listener.web, self.down = self, False
            self.listener.serve_forever(poll_interval=.05)
        timer = threading.Timer(seconds, up)
        timer.daemon = True
        timer.start()

    def working(self):
        server = self

        class Count:
            def __enter__(self):
                with server.lock:
                    server.busy += 1
                    server.most_busy = max(server.busy, server.most_busy)

            def __exit__(self, *_):
                with server.lock:
                    server.busy -= 1
        return Count()

    def began(self, request):
        with self.lock:
            self.requests.append(request)

    def inject(self, act, when=lambda r: True, times=1, skip=0):
        """The next `times` requests that match, after `skip` others, get this fault; None: all of them.

        `act(exchange)` sends what it likes; faults.py has those that tests need."""
        fault = Fault(act, when, times, skip)
        with self.lock:
            self.faults.append(fault)
        return fault

    def pick(self, request):
        with self.lock:
            for fault in self.faults:
                if fault.when(request) and (fault.times is None or fault.count < fault.times):
                    if fault.skip:
                        fault.skip -= 1
                        continue
                    fault.count += 1
                    return fault
        return None

    def serve(self, exchange):
        fault = self.pick(exchange.request)
        if self.down:
            exchange.close(reset=True)
        elif fault:
            fault.act(exchange)
        else:
            exchange.send(self.answer(exchange.request))

    def answer(self, request):
        raise NotImplementedError

    def seen(self, method=None, path=None):
        """The requests so far, of one method or path."""
        with self.lock:
            return [r for r in self.requests if method in (None, r.method) and path in (None, r.path)]
