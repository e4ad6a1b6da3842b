# cotty's marks for zsh: prompt, command and exit code, without touching any file of the user's.
# Read by our .zshenv before anything of the user's, so that none of their aliases gets into these functions.

typeset -g __cotty_nonce=$COTTY_NONCE __cotty_hook=$COTTY_HOOK __cotty_histfile=${COTTY_HISTFILE-} __cotty_dir=$ZDOTDIR
typeset -gi __cotty_asked=0
typeset -g __cotty_running= __cotty_over=$'%{\e]133;D;%?;'$__cotty_nonce$'\a%}'
# The user's ZDOTDIR: its value, and whether it is `unset`, `plain` or `exported`.
typeset -g __cotty_zdotdir=${COTTY_ZDOTDIR-} __cotty_zdotdir_is=${COTTY_ZDOTDIR+exported}
unset COTTY_NONCE COTTY_HOOK COTTY_HISTFILE COTTY_ZDOTDIR

# Whatever the user sets, our functions run with zsh's own options, untraced, and no failure in them ends the shell.
# In groups whose errors go nowhere: `set -x` is to show the user's commands, not ours.
typeset -g __cotty_plain='builtin emulate -L zsh; builtin setopt local_options extended_glob no_err_exit no_err_return no_xtrace unset'

# ZDOTDIR is the user's while their files are read, and ours when zsh looks for the next one.
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

# Straight to the terminal: a prompt that is shown before the shell is ready keeps what its start says elsewhere.
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
        # A line that the shell could not read leaves the status of the one before it.
        if [[ -z $__cotty_running ]]; then code=1; fi
        __cotty_prompt $'\e]133;D;'"$code;$__cotty_nonce"$'\a'
        return 0
    } 2>/dev/null
}

# Says what is given, and that the prompt begins.
__cotty_prompt() {
    {
        builtin eval "$__cotty_plain"
        __cotty_hooks
        typeset -g __cotty_running=
        if (( ${+PROMPT_EOL_MARK} )); then typeset -g PROMPT_EOL_MARK=${PROMPT_EOL_MARK#$__cotty_over}; fi
        __cotty_say "$1"$'\e]7;file://'"${HOST//[^a-zA-Z0-9.-]/}${PWD//\%/%25}"$'\a\e]133;A;'"$__cotty_nonce"$'\a'
        # zsh asks for paste brackets behind the prompt; who types at once would not know.
        __cotty_say ${zle_bracketed_paste[1]-}
        return 0
    } 2>/dev/null
}

# The prompt's end stands in the prompt, which the user's own functions may have set anew.
__cotty_end_prompt() {
    {
        builtin eval "$__cotty_plain"
        local end=$'%{\e]133;B;'$__cotty_nonce$'\a%}'
        if [[ $PS1 != *$end ]]; then
            # A single percent sign at its end would make ours a letter.
            if [[ $PS1 == (|*[^%])(%%)#% ]]; then PS1+=%; fi
            PS1+=$end
        fi
        return 0
    } 2>/dev/null
}

# Where somebody emptied the lists of functions, or set the prompt after us. The prompt stands on the screen by now; zsh
# itself has said that the command is over, unless it is not to go to a new line.
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

# Asks whether a line may run; a no interrupts the shell before it starts. The question goes through the terminal, which
# keeps it in order with the output; the answer comes back through a fifo that the daemon holds open. A line that is too
# long for the terminal is left in a file.
__cotty_ask() {
    {
        builtin local line="${1:-${3-}}"
        builtin eval "$__cotty_plain"
        builtin local id=$$.$((++__cotty_asked)) answer= verdict= fd i char code
        if (( ${#line} > 4000 )); then
            # Where it cannot be written, nobody can judge it: the file may hold an older one.
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
        # Another question's answer, to a line that was interrupted, may come first.
        repeat 100; do
            IFS= builtin read -r -t 15 -u $fd answer || break
            if [[ $answer == "$id "* ]]; then verdict=${answer#* }; break; fi
        done
        builtin exec {fd}>&-
        if [[ $verdict == allow ]]; then
            # Before zsh calls any function it goes to a new line, and for that shows a sign behind what the command left
            # unfinished: where its output ends.
            if [[ ${PROMPT_EOL_MARK-} != $__cotty_over* ]]; then
                typeset -g PROMPT_EOL_MARK=$__cotty_over${PROMPT_EOL_MARK-%B%S%#%s%b}
            fi
            __cotty_say $'\e]133;C;'"$__cotty_nonce"$'\a'
        else
            __cotty_say "cotty: not run: ${verdict:-no answer from the daemon}"$'\n\e]133;D;130;'"$__cotty_nonce"$'\a'
            # The user's own trap would keep the shell from being stopped; it is theirs again when we return.
            builtin trap - INT
            builtin kill -INT $$
        fi
        return 0
    } 2>/dev/null
}

# After all of the user's files.
__cotty_begin() {
    # An agent's commands mean no line of the history by an exclamation mark. Not within the settings that are only ours.
    if [[ -n $__cotty_histfile ]]; then builtin setopt no_bang_hist; fi
    __cotty_set_up
    return 0
}

__cotty_set_up() {
    {
        builtin eval "$__cotty_plain"
        __cotty_theirs
        # The system's files were read with our ZDOTDIR.
        if [[ ${HISTFILE-} == $__cotty_dir/* ]]; then typeset -g HISTFILE=${ZDOTDIR:-$HOME}/${HISTFILE:t}; fi
        # Nor are they kept in it.
        if [[ -n $__cotty_histfile ]]; then typeset -g HISTFILE=$__cotty_histfile; fi
        __cotty_hooks
        if (( ${+widgets[zle-line-init]} )); then builtin zle -A zle-line-init __cotty_users_line_init; fi
        builtin zle -N zle-line-init __cotty_line_init
        unset __cotty_histfile
        unfunction __cotty_theirs __cotty_ours __cotty_begin __cotty_set_up
        return 0
    } 2>/dev/null
}
