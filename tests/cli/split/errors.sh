# What cannot be asked for, and what is not there.
python3 "$TOOLS/labelled.py" in 0 10
python3 -c "
import records as r
open('float', 'wb').write(r.frame(r.example({'f': r.float_list([1.5])})))
open('empty', 'wb').write(r.frame(r.example({'f': r.int64_list([])})))"
mkfifo pipe
try() { tfr split "$@"; echo "status $?"; }
{
  try in
  try in -o a=0.7 -o b=0.7
  try in -o a -o b
  try in -o a=1 -o b
  try in -o a=0 -o b
  try in -o a@2=1.5
  try in -o 'a@*=0.5'
  try in -o a@0=0.5
  try missing -o a=0.5
  try in -o a=0.5 --on-error explode
  try in -o a=0.5 --where 'x =='
  try in -o a=0.5 --memory lots
  try in -o a=0.5 --by label
  try in -o a=0.5 --key
  try float --stratify f -o a=0.5
  try float --stratify g -o a=0.5
  try empty --stratify f -o a=0.5
  try - --stratify label -o a=0.5 < in
  try --stratify label -o a=0.5 < in
  try pipe --stratify label -o a=0.5
  try in -o . -o a=0.5
} 2>&1
ls
