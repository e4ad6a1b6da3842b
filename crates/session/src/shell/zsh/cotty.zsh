# cotty's marks for zsh: prompt, command and exit code, without changing any file of the user.
# Read by our .zshenv before the user's files, so that none of their aliases gets into these functions.

# The nonce comes through a file that is emptied at once: programs can read the shell's environment.
typeset -g __cotty_nonce= __cotty_hook=$COTTY_HOOK
IFS= builtin read -r __cotty_nonce <$__cotty_hook.nonce
: >|$__cotty_hook.nonce
typeset -g __cotty_histfile=${COTTY_HISTFILE-} __cotty_dir=$ZDOTDIR
typeset -gi __cotty_asked=0
typeset -g __cotty_running= __cotty_over=$'%{\e]133;D;%?;'$__cotty_nonce$'\a%}'
# The user's ZDOTDIR: its value, and whether it is `unset`, `plain` or `exported`.
typeset -g __cotty_zdotdir=${COTTY_ZDOTDIR-} __cotty_zdotdir_is=${COTTY_ZDOTDIR+exported}
unset COTTY_HOOK COTTY_HISTFILE COTTY_ZDOTDIR

# Whatever the user sets, our functions run with zsh's default options and without tracing, and a failure in them does not
# end the shell. They are groups without stderr: `set -x` must show the user's commands, not ours.
typeset -g __cotty_plain='builtin emulate -L zsh; builtin setopt local_options extended_glob no_err_exit no_err_return no_xtrace unset'

# ZDOTDIR is the user's while zsh reads their files, and ours when zsh looks for the next file.
__cotty_theirs() {
    unset ZDOTDIR
    case $__cotty_zdotdir_is in
        exported) typeset -gx ZDOTDIR=$__cotty_zdotdir ;;
        plain) typeset -g ZDOTDIR=$__cotty_zdotdir ;;
    esac
    return 0
}

__cotty_ours() {
    __cotty_zdotdir_is=
    if (( ${+ZDOTDIR} )); then
        __cotty_zdotdir=$ZDOTDIR __cotty_zdotdir_is=plain
        if [[ ${(t)ZDOTDIR} == *export* ]]; then __cotty_zdotdir_is=exported; fi
    fi
    typeset -g ZDOTDIR=$__cotty_dir
    return 0
}

# Writes straight to the terminal: a prompt that appears before the shell is ready redirects the output of its start.
__cotty_say() {
    builtin print -rn -- "$1" >/dev/tty
}

__cotty_hooks() {
    typeset -ga precmd_functions preexec_functions
    precmd_functions=(__cotty_before_prompt ${precmd_functions:#__cotty_*} __cotty_end_prompt)
    preexec_functions=(${preexec_functions:#__cotty_*} __cotty_ask)
}

__cotty_before_prompt() {
    {
        builtin local code="$?"
        # After a line that the shell could not parse, `$?` is still the status of the line before it.
        if [[ -z $__cotty_running ]]; then code=1; fi
        __cotty_prompt $'\e]133;D;'"$code;$__cotty_nonce"$'\a'
        return 0
    } 2>/dev/null
}

# Writes the given text and the mark of the prompt's start.
__cotty_prompt() {
    {
        builtin eval "$__cotty_plain"
        __cotty_hooks
        typeset -g __cotty_running=
        if (( ${+PROMPT_EOL_MARK} )); then typeset -g PROMPT_EOL_MARK=${PROMPT_EOL_MARK#$__cotty_over}; fi
        __cotty_say "$1"$'\e]7;file://'"${HOST//[^a-zA-Z0-9.-]/}${PWD//\%/%25}"$'\a\e]133;A;'"$__cotty_nonce"$'\a'
        # zsh turns bracketed paste on only after the prompt, which is too late for input that comes at once.
        __cotty_say ${zle_bracketed_paste[1]-}
        return 0
    } 2>/dev/null
}

# The mark of the prompt's end is in the prompt, which the user's functions may have changed.
__cotty_end_prompt() {
    {
        builtin eval "$__cotty_plain"
        local end=$'%{\e]133;B;'$__cotty_nonce$'\a%}'
        if [[ $PS1 != *$end ]]; then
            # A single percent sign at the end would combine with the first character of our mark.
            if [[ $PS1 == (|*[^%])(%%)#% ]]; then PS1+=%; fi
            PS1+=$end
            # No program inherits the nonce.
            typeset -g +x PS1
        fi
        return 0
    } 2>/dev/null
}

# Repairs the marks if the user emptied the lists of functions, or set the prompt after us. The prompt is on the screen by
# now. zsh has written the end mark of the command through PROMPT_EOL_MARK, unless its options switch that off.
__cotty_line_init() {
    builtin local code="$?" over= again=
    if [[ ${CONTEXT-} == start ]]; then
        if [[ -n $__cotty_running ]]; then
            if [[ ! -o prompt_sp || ! -o prompt_cr ]]; then over=$'\e]133;D;'"$code;$__cotty_nonce"$'\a' again=1; fi
            __cotty_prompt "$over"
        fi
        if [[ $PS1 != *"$__cotty_nonce"* ]]; then __cotty_end_prompt; again=1; fi
        if [[ -n $again ]]; then builtin zle reset-prompt; fi
    fi
    if (( ${+widgets[__cotty_users_line_init]} )); then builtin zle __cotty_users_line_init -- "$@"; fi
    return 0
}

# Asks whether a line may run; a denial interrupts the shell before the line starts. The question goes through the terminal,
# which keeps it in order with the output; the answer comes back through a fifo that the daemon holds open. A line that is
# too long for the terminal is put into a file.
__cotty_ask() {
    {
        builtin local line="${1:-${3-}}"
        builtin eval "$__cotty_plain"
        builtin local id=$$.$((++__cotty_asked)) answer= verdict= fd i char code
        if (( ${#line} > 4000 )); then
            # If the write fails, the file may hold an older line, so the line cannot be judged.
            if builtin print -r -- "1  $line" >|$__cotty_hook.line; then line='\f'; else line='\e'; fi
        else
            line=${line//\\/\\\\}
            line=${line//;/\\x3b}
            if [[ $line == *[[:cntrl:]]* ]]; then
                for i in {1..31} 127; do
                    builtin printf -v code '\\x%02x' $i
                    builtin printf -v char $code
                    line=${line//$char/$code}
                done
            fi
        fi
        typeset -g __cotty_running=1
        builtin exec {fd}<>$__cotty_hook
        __cotty_say $'\e]633;E;'"$line;$__cotty_nonce;$id"$'\a'
        # The answer to an earlier, interrupted line may come first.
        repeat 100; do
            IFS= builtin read -r -t 15 -u $fd answer || break
            if [[ $answer == "$id "* ]]; then verdict=${answer#* }; break; fi
        done
        builtin exec {fd}>&-
        if [[ $verdict == allow ]]; then
            # Before zsh calls any function, it shows PROMPT_EOL_MARK after an unfinished line of output and starts a new
            # line: exactly where the command's output ends.
            if [[ ${PROMPT_EOL_MARK-} != $__cotty_over* ]]; then
                typeset -g PROMPT_EOL_MARK=$__cotty_over${PROMPT_EOL_MARK-%B%S%#%s%b}
            fi
            __cotty_say $'\e]133;C;'"$__cotty_nonce"$'\a'
        else
            __cotty_say "cotty: not run: ${verdict:-no answer from the daemon}"$'\n\e]133;D;130;'"$__cotty_nonce"$'\a'
            # A trap of the user would prevent the interrupt; it is restored when we return.
            builtin trap - INT
            builtin kill -INT $$
        fi
        return 0
    } 2>/dev/null
}

# Runs after all of the user's files.
__cotty_begin() {
    # In an agent's commands `!` does not refer to the history. Set here, because options in `__cotty_set_up` are local.
    if [[ -n $__cotty_histfile ]]; then builtin setopt no_bang_hist; fi
    __cotty_set_up
    return 0
}

__cotty_set_up() {
    {
        builtin eval "$__cotty_plain"
        __cotty_theirs
        # The system's files may have set HISTFILE from our ZDOTDIR.
        if [[ ${HISTFILE-} == $__cotty_dir/* ]]; then typeset -g HISTFILE=${ZDOTDIR:-$HOME}/${HISTFILE:t}; fi
        # An agent's commands stay out of the user's history.
        if [[ -n $__cotty_histfile ]]; then typeset -g HISTFILE=$__cotty_histfile; fi
        __cotty_hooks
        if (( ${+widgets[zle-line-init]} )); then builtin zle -A zle-line-init __cotty_users_line_init; fi
        builtin zle -N zle-line-init __cotty_line_init
        unset __cotty_histfile
        unfunction __cotty_theirs __cotty_ours __cotty_begin __cotty_set_up
        return 0
    } 2>/dev/null
}
