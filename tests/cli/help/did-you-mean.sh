# A word that is nearly one of ours is told which; one that is like nothing is not.
for c in coutn shwo chekc shard-to-disk shuffle frobnicate; do tfr $c < /dev/null 2>&1 | head -3; done
for o in --per-fiel --per --sums --nonsense --wher=x --JSON; do tfr count $o < /dev/null 2>&1; done
