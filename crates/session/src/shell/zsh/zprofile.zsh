# Takes the place of the user's .zprofile while ZDOTDIR is ours: see cotty.zsh.
__cotty_theirs
if [[ -r ${ZDOTDIR:-$HOME}/.zprofile ]]; then builtin source "${ZDOTDIR:-$HOME}/.zprofile" || :; fi
if [[ -o rcs ]]; then __cotty_ours; else __cotty_begin; fi
