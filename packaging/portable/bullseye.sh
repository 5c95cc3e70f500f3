#!/bin/sh
# Completes the Debian 11 root that portable releases are built in: what they need and Debian 11 lacks.
#
# - The headers of Python 3.11, from Debian 12, in /python.  The extension uses the limited API, so they serve every later
#   version.
# - libarchive from Debian 12's source, in /usr/local, with Debian 12's security patches and without libxml2: that one brings
#   30 MB of ICU, for xar archives only, which tfr does not read.
# - libcurl from Debian 12's source, in /usr/local, with HTTP alone: Debian's brings LDAP, Kerberos, SSH and RTMP.  With it
#   OpenSSL 3 from Debian 12's source, because Debian 11's OpenSSL 1.1.1 gets no fixes any more.
set -eu
export DEBIAN_FRONTEND=noninteractive
cat > /etc/apt/sources.list.d/bookworm.list << END
deb http://deb.debian.org/debian bookworm main
deb-src http://deb.debian.org/debian bookworm main
deb http://deb.debian.org/debian-security bookworm-security main
deb-src http://deb.debian.org/debian-security bookworm-security main
END
printf 'Package: *\nPin: release n=bookworm*\nPin-Priority: 1\n' > /etc/apt/preferences.d/bookworm
apt-get -qq update

# source_of PACKAGE: of Debian 12, with its security updates; a mirror may not have the latest of them.
source_of() {
  apt-get -qq source "$1" > /dev/null && return
  echo "bullseye.sh: the latest source of $1 cannot be had; taking that of the last point release" >&2
  rm -rf ./"$1"_* ./"$1"-*
  apt-get -qq source "$1/bookworm" > /dev/null
}

mkdir /tmp/python /python
cd /tmp/python
chown _apt .
apt-get -qq download libpython3.11-dev/bookworm
dpkg -x libpython3.11-dev_*.deb .
mv usr/include/* /python/

mkdir /tmp/libarchive
cd /tmp/libarchive
chown _apt .
source_of libarchive
version=$(sed -n 's/^Version: //p' ./*.dsc)
cd libarchive-*/
autoreconf --force --install > /dev/null 2>&1   # Debian's patches change configure.ac
CFLAGS='-O2 -fstack-protector-strong -D_FORTIFY_SOURCE=2' LDFLAGS='-Wl,-z,relro,-z,now' ./configure --quiet --prefix=/usr/local \
  --disable-static --without-xml2 --without-expat --without-nettle --without-openssl --without-lzo2 --disable-acl \
  --disable-xattr --disable-bsdtar --disable-bsdcpio --disable-bsdcat
make --silent -j"$(nproc)"
make --silent install-strip
ldconfig

# The modules of OpenSSL are left out: its old ciphers and its engines are not used.
mkdir /tmp/curl
cd /tmp/curl
chown _apt .
source_of openssl
openssl=$(sed -n 's/^Version: //p' ./openssl_*.dsc)
cd openssl-*/
./Configure linux-x86_64 --prefix=/usr/local --libdir=lib --openssldir=/etc/ssl shared no-tests no-legacy no-engine no-ssl3 \
  no-comp no-dtls no-srp no-idea no-mdc2 no-rc5 no-weak-ssl-ciphers -fstack-protector-strong -D_FORTIFY_SOURCE=2 \
  -Wl,-z,relro,-z,now > /dev/null
make -s -j"$(nproc)" build_libs > /dev/null
make -s install_dev > /dev/null
rm -f /usr/local/lib/libssl.a /usr/local/lib/libcrypto.a
cd ..
source_of curl
curl=$(sed -n 's/^Version: //p' ./curl_*.dsc)
cd curl-*/
# The last two patches make it the flavours for GnuTLS and NSS.
patch --quiet --reverse --strip=1 < debian/patches/99_nss.patch
patch --quiet --reverse --strip=1 < debian/patches/90_gnutls.patch
autoreconf --force --install > /dev/null 2>&1
CFLAGS='-O2 -fstack-protector-strong -D_FORTIFY_SOURCE=2' LDFLAGS='-Wl,-z,relro,-z,now' \
  PKG_CONFIG_PATH=/usr/local/lib/pkgconfig ./configure --quiet --prefix=/usr/local --disable-static --enable-http \
  --with-openssl=/usr/local --with-ca-bundle=/etc/ssl/certs/ca-certificates.crt --without-ca-path --enable-threaded-resolver \
  --disable-ftp --disable-file --disable-ldap --disable-ldaps --disable-rtsp --disable-dict --disable-telnet --disable-tftp \
  --disable-pop3 --disable-imap --disable-smb --disable-smtp --disable-gopher --disable-mqtt --disable-manual --disable-ntlm \
  --disable-tls-srp --disable-alt-svc --disable-hsts --disable-cookies --disable-doh --without-libpsl --without-librtmp \
  --without-libssh2 --without-libssh --without-nghttp2 --without-brotli --without-zstd --without-zlib --without-libidn2 \
  --without-gssapi
make --silent -j"$(nproc)" -C lib > /dev/null
make --silent -C lib install-strip > /dev/null
make --silent -C include install > /dev/null
install -D -m 644 libcurl.pc /usr/local/lib/pkgconfig/libcurl.pc
ldconfig
# What collect.py records of a library that no package of this root owns.
mkdir -p /usr/local/share/origins
printf 'libarchive\tlibarchive\t%s\n' "$version" > /usr/local/share/origins/libarchive.so.13
cp /tmp/libarchive/libarchive-*/debian/copyright /usr/local/share/origins/libarchive
cp debian/copyright /usr/local/share/origins/curl
cp ../openssl-*/debian/copyright /usr/local/share/origins/openssl
printf 'curl\tcurl\t%s\n' "$curl" > /usr/local/share/origins/libcurl.so.4
printf 'openssl\topenssl\t%s\n' "$openssl" > /usr/local/share/origins/libssl.so.3
cp /usr/local/share/origins/libssl.so.3 /usr/local/share/origins/libcrypto.so.3
rm -rf /tmp/python /tmp/libarchive /tmp/curl
