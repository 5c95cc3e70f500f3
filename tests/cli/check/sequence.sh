# SequenceExamples are looked into as well: their lists must parse, their images must decode.
python3 - <<'P'
import os
import records
from records import bytes_list, entry, field
def sequence(frame):
    feature_list = field(1, bytes_list([frame]))
    return field(2, entry(b'image/encoded', feature_list))     # SequenceExample { feature_lists }
jpeg = open('%s/images/jpeg/gray.jpg' % os.environ['DATA'], 'rb').read()
with open('s.tfrecord', 'wb') as f:
    for payload in sequence(jpeg), sequence(jpeg[:-20]), field(2, b'\xff'):
        f.write(records.frame(payload))
P
tfr check s.tfrecord; echo "status $?"
tfr check --example s.tfrecord; echo "status $?"
tfr check -q --decode --json s.tfrecord | grep -E 'reason|images'
