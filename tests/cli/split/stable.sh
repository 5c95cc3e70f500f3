# Added data moves nothing; the files it lies in, its order and what is before it do not matter.
python3 "$TOOLS/labelled.py" old 0 2000; python3 "$TOOLS/labelled.py" new 2000 5000
python3 "$TOOLS/labelled.py" newer 5000 5500
for by in '' '--key key' '--key id' '--seed 3'; do
  rm -rf once again; mkdir once again
  tfr split -q $by old -o once/a@2=0.6 -o once/b=0.3
  tfr cat -q newer old new -z gzip -o all@4
  tfr split -q $by 'all-*' -o again/a@3=0.6 -o again/b=0.3
  rm all*
  python3 - "$by" <<'P'
import glob, labelled, sys
def of(folder): return [set(labelled.ids(*glob.glob(folder + '/%s-*-of-*' % s) or [folder + '/' + s])) for s in 'ab']
once, again = of('once'), of('again')
old = set(range(2000))
assert once == [s & old for s in again], 'moved'
assert all(len(s) > 400 for s in once)
print('stable by', sys.argv[1] or 'content')
P
done
