# Stands for the user's .zshrc while ZDOTDIR is ours: see cotty.zsh.
__cotty_theirs
if [[ -r ${ZDOTDIR:-$HOME}/.zshrc ]]; then builtin source "${ZDOTDIR:-$HOME}/.zshrc" || :; fi
# A login shell has one more.
if [[ -o login && -o rcs ]]; then __cotty_ours; else __cotty_begin; fi
