# Takes the place of the user's .zshrc while ZDOTDIR is ours: see cotty.zsh.
__cotty_theirs
if [[ -r ${ZDOTDIR:-$HOME}/.zshrc ]]; then builtin source "${ZDOTDIR:-$HOME}/.zshrc" || :; fi
# A login shell reads one more file.
if [[ -o login && -o rcs ]]; then __cotty_ours; else __cotty_begin; fi
