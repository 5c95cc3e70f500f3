# On a terminal, tfr help opens the page that lies beside the program, in a build and installed; without a page it says so.
mkdir -p build/cmd build/man root/bin root/share/man/man1 bare/bin tools
cp "$(readlink -f "$(command -v tfr)")" build/cmd/tfr; cp build/cmd/tfr root/bin/tfr; cp build/cmd/tfr bare/bin/tfr
touch build/man/tfr-count.1 root/share/man/man1/tfr-count.1
cat > tools/man << 'END'
#!/bin/sh
[ "$1" = -w ] && exit 1
echo "man ${1##*/work/}"
END
chmod +x tools/man
terminal() { PATH=$PWD/tools:$PATH python3 -c 'import pty, sys; sys.exit(pty.spawn(sys.argv[1:]) >> 8)' "$@" | tr -d '\r'; }
terminal build/cmd/tfr help count
terminal root/bin/tfr help count
terminal bare/bin/tfr help count | head -n 2
build/cmd/tfr help count | head -n 1
for c in -V --version version 'count -V'; do tfr $c | sed 's/[0-9.]*$//' | head -n 1; done
for c in -h -V help 'help count' 'count -h' 'count -V'; do tfr $c > /dev/full 2> /dev/null; echo "$c: status $?"; done
