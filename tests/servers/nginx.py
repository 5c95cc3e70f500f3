"""nginx: a web server as others use it, with ranges, TLS by a CA of the test, HTTP/2 and basic authentication."""
import base64
import hashlib
import os
import subprocess

from .process import Program, find, free_port

CONFIGURATION = '''
daemon off; master_process on; worker_processes %(workers)d; pid %(folder)s/pid; error_log %(folder)s/error.log; %(user)s
events { worker_connections 512; }
http {
  log_format each '$request_method $request_uri $status $http_range $server_protocol $body_bytes_sent';
  access_log %(folder)s/access.log each;
  client_body_temp_path %(folder)s/temp; proxy_temp_path %(folder)s/temp; fastcgi_temp_path %(folder)s/temp;
  uwsgi_temp_path %(folder)s/temp; scgi_temp_path %(folder)s/temp;
  sendfile on; tcp_nopush on; tcp_nodelay on; keepalive_requests 100000; client_max_body_size 0;
  server {
    listen %(address)s:%(port)d backlog=512;
    listen %(address)s:%(tls_port)d ssl http2;
    ssl_certificate %(folder)s/server.pem; ssl_certificate_key %(folder)s/server.key;
    root %(root)s;
    location / { }
    location /private/ { auth_basic "tests"; auth_basic_user_file %(folder)s/users; alias %(root)s/; }
  }
}
'''


def certificates(folder):
    """A CA in ca.pem, and a certificate of it for 127.0.0.1 and localhost in server.pem."""
    openssl = find('openssl')

    def run(*arguments):
        subprocess.run([openssl, *arguments], cwd=folder, check=True, capture_output=True)
    with open(folder + '/names', 'w') as out:
        out.write('subjectAltName=IP:127.0.0.1,DNS:localhost\n')
    run('req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-keyout', 'ca.key', '-out', 'ca.pem', '-days', '2', '-subj', '/CN=CA of the tests')
    run('req', '-newkey', 'rsa:2048', '-nodes', '-keyout', 'server.key', '-out', 'request.pem', '-subj', '/CN=localhost')
    run('x509', '-req', '-in', 'request.pem', '-CA', 'ca.pem', '-CAkey', 'ca.key', '-CAcreateserial', '-out', 'server.pem',
        '-days', '2', '-extfile', 'names')


class Nginx:
    """Serves the files of `root`; `prefix` is a command that starts it elsewhere, such as in another network namespace."""

    def __init__(self, folder, root, prefix=(), address='127.0.0.1', workers=1, name='nginx'):
        self.folder, self.root = '%s/%s' % (folder, name), root
        program = find('nginx')
        os.makedirs(self.folder + '/temp')
        certificates(self.folder)
        with open(self.folder + '/users', 'w') as out:
            out.write('alice:{SHA}%s\n' % base64.b64encode(hashlib.sha1(b'open sesame').digest()).decode())
        self.port, self.tls_port, self.ca = free_port(), free_port(), self.folder + '/ca.pem'
        self.url, self.tls_url = 'http://%s:%d' % (address, self.port), 'https://%s:%d' % (address, self.tls_port)
        with open(self.folder + '/conf', 'w') as out:
            out.write(CONFIGURATION % dict(
                folder=self.folder, root=root, address=address, port=self.port, tls_port=self.tls_port, workers=workers,
                user='user root;' if os.geteuid() == 0 else ''))
        self.program = Program([*prefix, program, '-p', self.folder, '-c', self.folder + '/conf', '-e', self.folder + '/error.log'],
                               self.folder + '/log')
        if not prefix:
            self.program.wait_for_port(self.port)

    def lines(self):
        """Its log: method, target, status, range, protocol and bytes of each request."""
        with open(self.folder + '/access.log') as log:
            return log.read().splitlines()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.program.end()
