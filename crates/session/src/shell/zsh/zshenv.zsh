# Takes the place of the user's .zshenv while ZDOTDIR is ours: see cotty.zsh.
if [[ -n ${COTTY_HOOK-} ]]; then
    builtin source "$ZDOTDIR/cotty.zsh"
    __cotty_theirs
    if [[ -r ${ZDOTDIR:-$HOME}/.zshenv ]]; then builtin source "${ZDOTDIR:-$HOME}/.zshenv" || :; fi
    # Without the `rcs` option zsh reads no further file.
    if [[ -o rcs ]]; then __cotty_ours; else __cotty_begin; fi
fi
