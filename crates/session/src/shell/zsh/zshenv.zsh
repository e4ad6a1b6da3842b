# Stands for the user's .zshenv while ZDOTDIR is ours: see cotty.zsh.
if [[ -n ${COTTY_NONCE-} ]]; then
    builtin source "$ZDOTDIR/cotty.zsh"
    __cotty_theirs
    if [[ -r ${ZDOTDIR:-$HOME}/.zshenv ]]; then builtin source "${ZDOTDIR:-$HOME}/.zshenv" || :; fi
    # Where no further file is to be read, this was the last.
    if [[ -o rcs ]]; then __cotty_ours; else __cotty_begin; fi
fi
