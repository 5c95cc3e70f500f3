"""The CUDA device against what NVIDIA publishes: the kernels through ptxas, the declarations against cuda.h, and the
runtime in place of the driver.  No GPU is needed."""
import pathlib
import subprocess

TOP = pathlib.Path(__file__).resolve().parent.parent.parent

# The devices that each toolkit compiles for: 12 is the last for Maxwell, Pascal and Volta.
ARCHITECTURES = {
    '12': [50, 52, 60, 61, 70, 75, 80, 86, 87, 89, 90, 100, 103, 120],
    '13': [75, 80, 86, 87, 88, 89, 90, 100, 103, 110, 120, 121],
}


def run(*command, **options):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, **options)
    assert done.returncode == 0, '%s: status %d\n%s%s' % (' '.join(map(str, command)), done.returncode, done.stdout, done.stderr)
    return done.stdout + done.stderr


def ptxas(site, version):
    """The driver's compiler takes the kernels for each device and needs no slow memory for them."""
    program = site / {'12': 'nvidia/cuda_nvcc/bin/ptxas', '13': 'nvidia/cu13/bin/ptxas'}[version]
    program.chmod(0o755)

    def case(folder):
        for number in ARCHITECTURES[version]:
            said = run(program, '-v', '-arch=sm_%d' % number, '-o', folder / 'kernels.cubin', TOP / 'lib/device/kernels.ptx')
            assert said.count('Compiling entry function') == 2, said
            assert said.count('0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads') == 2, said
    return case


def toolkit(site, version):
    return site / {'12': 'nvidia/cuda_runtime', '13': 'nvidia/cu13'}[version]


def declarations(site, version):
    """Our declarations of the driver's calls are those of cuda.h, and our numbers are its numbers."""
    def case(folder):
        run('cc', '-std=gnu17', '-Wall', '-Werror', '-DCUDA_H', '-I', TOP / 'lib', '-I', TOP / 'lib/include',
            '-I', TOP / 'lib/private', '-isystem', toolkit(site, version) / 'include', '-c', '-o', folder / 'declarations.o',
            TOP / 'tests/driver/declarations.c')
    return case


MAIN = '''
#include <stdio.h>
#include "device/cuda_api.h"

int main(void)
{
	const struct tfr_cuda_api *api;
	struct tfr_error err = { 0 };
	bool absent;
	enum tfr_status status = tfr_cuda_get(&api, &absent, &err);

	printf("status %d, absent %d: %s\\n", status, absent, err.message);
}
'''


def runtime(site, version, build):
    """-Dcuda=runtime: what it compiles is accepted by the toolkit's header and library, and says that there is no driver."""
    def case(folder):
        (folder / 'main.c').write_text(MAIN)
        home = toolkit(site, version)
        run('cc', '-std=gnu17', '-D_GNU_SOURCE', '-Wall', '-Werror', '-I', TOP / 'lib', '-I', TOP / 'lib/include', '-I', TOP / 'lib/private',
            '-isystem', home / 'include', '-o', folder / 'main', folder / 'main.c', TOP / 'lib/device/cuda_api.c',
            TOP / 'lib/device/cuda_runtime.c', build / 'lib/libroom_base.a', home / 'lib/libcudart_static.a', '-lpthread', '-ldl', '-lrt')
        said = run(folder / 'main')
        if not pathlib.Path('/proc/driver/nvidia').exists():
            assert said.endswith('absent 1: device cuda: no driver\n'), said
    return case


def cases(python, tfr, skip):
    """(name, function of a folder) of all of them.  `python` is the one that scripts/venv cuda prints, or None."""
    def missing(folder):
        raise skip('no CUDA from PyPI here')

    names = ['cuda-%s %s' % (what, version) for what in ('ptxas', 'declarations', 'runtime') for version in ARCHITECTURES]
    if not python:
        return [(name, missing) for name in names]
    site = pathlib.Path(run(python, '-c', 'import sysconfig; print(sysconfig.get_path("purelib"))').strip())
    build = pathlib.Path(tfr).resolve().parent.parent
    functions = ([ptxas(site, version) for version in ARCHITECTURES] + [declarations(site, version) for version in ARCHITECTURES] +
                 [runtime(site, version, build) for version in ARCHITECTURES])
    return list(zip(names, functions))
