# The script is well formed, loads, and knows the words of an option.
command -v zsh > /dev/null || { echo "no zsh here"; exit 77; }
tfr completion zsh > _tfr && zsh -n _tfr || exit
cat > ask.zsh << 'END'
compdef() { print -r -- "compdef $*"; }
_arguments() { print -rl -- ${(M)@:#--compression*}; }
source ./_tfr
words=(tfr cat --compression g) CURRENT=4; _tfr
END
zsh -f ask.zsh
