# No name and no text of the data reaches a terminal, a page or code as a control character.
python3 "$TOOLS/controls.py"
