"""tfr doctor on objects: a request that fails is never taken for something that is not there."""
from harness import case, records


@case
def no_command_of_the_shell_has_an_address(t):
    s = t.store()
    s.put('train', 'm/x.tfrecord', records(3, 100))
    s.put('train', 'm/words', b'words')
    result = t.good('doctor', 's3://train/m/')
    assert b'stranger' in result.out and b'mkdir' not in result.out, result
