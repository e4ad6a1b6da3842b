# cotty's marks for fish: prompt, command and exit code, without changing any file of the user.
# Read by --init-command, after the user's configuration.

# The nonce comes through a file that is emptied at once: programs can read the shell's environment.
set -g __cotty_hook $COTTY_HOOK
read -g __cotty_nonce <$__cotty_hook.nonce
true >$__cotty_hook.nonce
set -g __cotty_asked 0
set -g __cotty_wrapped 0
# An agent's commands stay out of the user's history.
if set -q COTTY_HISTFILE
    set -g __cotty_agent
    set -g fish_history cotty
end
set -e COTTY_HOOK
set -e COTTY_HISTFILE

function __cotty_say
    printf '\e]133;%s;%s\a' $argv[1] $__cotty_nonce >/dev/tty
end

# Asks whether a line may run. The question goes through the terminal, which keeps it in order with the output; the
# answer comes back through a fifo that the daemon holds open. A line that is too long for the terminal is put into a
# file. Prints the reason of a denial.
function __cotty_ask --argument-names line
    set -g __cotty_asked (math $__cotty_asked + 1)
    set -l id $fish_pid.$__cotty_asked
    set -l shown (string escape --style=url -- $line | string replace --all % '\\x')
    if test (string length -- "$shown") -gt 4000
        set shown '\\f'
        # If the write fails, the file may hold an older line, so the line cannot be judged.
        printf '1  %s\n' $line >$__cotty_hook.line
        or set shown '\\e'
    end
    printf '\e]633;E;%s;%s;%s\a' $shown $__cotty_nonce $id >/dev/tty
    set -l answer
    # The answer to an earlier, cancelled line may come first. `read` ends without a line when the daemon dies; the next
    # daemon answers.
    while not string match --quiet -- "$id *" "$answer"
        if not test -p $__cotty_hook
            set answer "$id no answer from the daemon"
            break
        end
        read answer <$__cotty_hook
    end
    set -l verdict (string replace -- "$id " '' "$answer")
    test "$verdict" = allow; and return
    echo $verdict
    return 1
end

# The Enter key. About a line that the user's own key bindings run, we ask when it starts; it cannot be stopped then.
function __cotty_enter
    # Input for a program (`read`) or a choice from a list is not a command.
    if set -q __cotty_running; or commandline --paging-mode
        commandline -f execute
        return
    end
    set -l line (commandline --current-buffer | string collect)
    if not string match --quiet --regex '\S' -- "$line"
        # The next prompt is a new one, not a redraw of this one.
        __cotty_say 'D;0'
        commandline -f execute
        return
    end
    commandline --is-valid
    switch $status
        case 0
            if set -l reason (__cotty_ask $line)
                set -g __cotty_allowed $line
                commandline -f execute
            else
                __cotty_drop 130 "cotty: not run: $reason"
            end
        case 2
            commandline -f execute
        case '*'
            # fish prints the error and leaves the line for the user to correct; an agent types a new line.
            if set -q __cotty_agent
                set -l fish (status fish-path)
                __cotty_drop 127 (printf '%s\n' $line | $fish --no-config --no-execute 2>&1)
            else
                commandline -f execute
            end
    end
end

# Cancels the line: fish starts a new one, where we print the reason.
function __cotty_drop
    set -g __cotty_dropped $argv
    commandline -f cancel-commandline
end

function __cotty_cancel --on-event fish_cancel
    if set -q __cotty_dropped
        printf '%s\n' $__cotty_dropped[2..-1] >/dev/tty
        __cotty_say "D;$__cotty_dropped[1]"
        set -e __cotty_dropped
    else if not set -q __cotty_running
        # Ctrl-C at the prompt: the typed line is gone, and the next prompt is a new one.
        __cotty_say 'D;130'
    end
end

function __cotty_error --on-event fish_posterror
    __cotty_say 'D;127'
    set -q __cotty_agent; and commandline -f cancel-commandline
end

function __cotty_preexec --on-event fish_preexec
    set -g __cotty_running
    if test "$argv[1]" != "$__cotty_allowed"
        set -l reason (__cotty_ask $argv[1])
        or printf 'cotty: refused, but this line was not run by Enter and cannot be stopped: %s\n' $reason >/dev/tty
    end
    set -e __cotty_allowed
    __cotty_say C
end

function __cotty_postexec --on-event fish_postexec
    set -l code $status
    set -e __cotty_running
    __cotty_say "D;$code"
end

# The mark of the prompt's end is in the prompt. A prompt that the user defines later is wrapped again, under another
# name, because it may call the earlier one.
function __cotty_before_prompt --on-event fish_prompt
    if not functions fish_prompt | string match --quiet '*__cotty_prompt_*'
        set __cotty_wrapped (math $__cotty_wrapped + 1)
        functions --copy fish_prompt __cotty_prompt_$__cotty_wrapped
        # Nothing may run before the user's prompt, which may show the last status. fish drops the last line end.
        echo "function fish_prompt
            set -l lines (__cotty_prompt_$__cotty_wrapped)
            set -q lines[1]; or set lines ''
            set lines[-1] \$lines[-1](printf '\e]133;B;%s\a' \$__cotty_nonce)
            printf '%s\n' \$lines
        end" | source
    end
    printf '\e]7;file://%s%s\a' (string replace --all --regex '[^a-zA-Z0-9.-]' '' -- $hostname) \
        (string escape --style=url -- $PWD) >/dev/tty
    __cotty_say A
end

# In every mode of both key sets. A user's own binding of Enter is kept, but not in an agent's shell.
for mode in default insert replace replace_one visual
    for key in \r \n
        if set -q __cotty_agent; or not bind --user -M $mode $key >/dev/null 2>&1
            bind -M $mode $key __cotty_enter
        end
    end
end
