#!/bin/sh
# Completes the Debian 11 root that portable releases are built in: what they need and Debian 11 lacks.
#
# - The headers of Python 3.11, from Debian 12, in /python.  The extension uses the limited API, so they serve every later
#   version.
# - libarchive from Debian 12's source, in /usr/local, with Debian 12's security patches and without libxml2: that one brings
#   30 MB of ICU, for xar archives only, which tfr does not read.
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

mkdir /tmp/python /python
cd /tmp/python
chown _apt .
apt-get -qq download libpython3.11-dev/bookworm
dpkg -x libpython3.11-dev_*.deb .
mv usr/include/* /python/

mkdir /tmp/libarchive
cd /tmp/libarchive
chown _apt .
apt-get -qq source libarchive > /dev/null
version=$(sed -n 's/^Version: //p' ./*.dsc)
cd libarchive-*/
autoreconf --force --install > /dev/null 2>&1   # Debian's patches change configure.ac
CFLAGS='-O2 -fstack-protector-strong -D_FORTIFY_SOURCE=2' LDFLAGS='-Wl,-z,relro,-z,now' ./configure --quiet --prefix=/usr/local \
  --disable-static --without-xml2 --without-expat --without-nettle --without-openssl --without-lzo2 --disable-acl \
  --disable-xattr --disable-bsdtar --disable-bsdcpio --disable-bsdcat
make --silent -j"$(nproc)"
make --silent install-strip
ldconfig
# What collect.py records of a library that no package of this root owns.
mkdir -p /usr/local/share/origins
cp debian/copyright /usr/local/share/origins/libarchive
printf 'libarchive\tlibarchive\t%s\n' "$version" > /usr/local/share/origins/libarchive.so.13
rm -rf /tmp/python /tmp/libarchive
