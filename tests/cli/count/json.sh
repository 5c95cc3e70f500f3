tfr count --json --sum "$DATA/kinds.tfrecord" | python3 -c '
import json, sys
j = json.load(sys.stdin)
print(j["version"], j["records"])'
