# Takes the place of the user's .zlogin while ZDOTDIR is ours: see cotty.zsh.
__cotty_theirs
if [[ -r ${ZDOTDIR:-$HOME}/.zlogin ]]; then builtin source "${ZDOTDIR:-$HOME}/.zlogin" || :; fi
__cotty_begin
