# An error that ends a command is a case of JUnit and an annotation for GitHub, in each command with --format.
cat > read.py <<'P'
import xml.etree.ElementTree as tree
suite, = tree.parse('out').getroot()
print(suite.get('name'), suite.get('tests'), suite.get('failures'), suite.get('errors'),
      [(c.get('name'), [(e.tag, e.get('type'), e.get('message')) for e in c]) for c in suite])
P
: > empty.tfrecord
ln -s /proc/self/mem unreadable.tfrecord   # its first byte is no memory: EIO
failures() {   # COMMAND [ARGUMENT]...
  local format
  for format in junit github; do
    tfr "$1" --format $format "${@:2}" > out 2> err; echo "$1 $format: status $?, $(grep -c '^tfr' err) message"
    if [ $format = junit ]; then python3 read.py; else cat out; fi
  done
}
for command in check schema doctor 'diff empty.tfrecord'; do failures $command missing.tfrecord; done
for command in schema 'diff empty.tfrecord'; do failures $command unreadable.tfrecord; done
failures schema empty.tfrecord
