#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""completions.py NVTXH bash|zsh|fish: prints the shell's completions for nvtxh, made from the option tables that the
program NVTXH prints."""
import subprocess
import sys
import typing

FILES = ('REC', 'OUT', 'FILE', 'PAGE.html', 'DIR', 'PATH')  # values that are names of files


class Option(typing.NamedTuple):
    long: str  # with the dashes
    short: str  # or ''
    argument: str  # or ''
    choices: list
    help: str

    def names(self):
        return [name for name in (self.long, self.short) if name]

    def is_list(self):
        return ',' in self.argument


class Command(typing.NamedTuple):
    name: str
    about: str
    follow: list  # what may follow the options: program, recording, recordings, binaries
    options: list
    examples: list

    def runs_program(self):
        return 'program' in self.follow


def commands_of(nvtxh):
    """Commands by name. '' has the options that stand without a command."""
    commands = {'': Command('', '', [], [], [])}
    for line in subprocess.run([nvtxh, '--completions-data'], text=True, stdout=subprocess.PIPE,
                               check=True).stdout.splitlines():
        kind, name, *fields = line.split('\t')
        if kind == 'command':
            commands[name] = Command(name, fields[0], [], [], [])
        elif kind == 'arguments':
            commands[name].follow.append(fields[0])
        elif kind == 'example':
            commands[name].examples.append(fields[0])
        elif kind == 'option':
            long, short, argument, choices, text = ('' if field == '-' else field for field in fields)
            commands['' if name == '-' else name].options.append(
                Option(long, short, argument, choices.split(',') if choices else [], text))
    return commands


def with_value(command):
    return [name for option in command.options if option.argument for name in option.names()]


# --- bash: completes a word from a list of words, or from files ---

BASH = '''# bash completion for nvtxh, made from its option tables
_nvtxh() {{
    local cur=${{COMP_WORDS[COMP_CWORD]}} prev=${{COMP_WORDS[COMP_CWORD-1]}} command=${{COMP_WORDS[1]}}
    local words= values= list= program= i
    COMPREPLY=()
    if [ "$cur" = = ]; then # bash splits --by=ra into --by, = and ra
        cur=
    elif [ "$prev" = = ]; then
        prev=${{COMP_WORDS[COMP_CWORD-2]}}
    fi
    if [ "$COMP_CWORD" = 1 ]; then
        compopt -o filenames 2>/dev/null
        COMPREPLY=($(compgen -W '{first}' -- "$cur") $(compgen -f -- "$cur"))
        return
    fi
    case ' {first} ' in *" $command "*) ;; *) command=stats ;; esac # nvtxh REC is nvtxh stats REC
    case $command in
{values}
    esac
    case $command in {programs})
        for ((i = 2; i < COMP_CWORD; i++)); do # finds where the program begins
            case " $values " in *" ${{COMP_WORDS[i]}} "*)
                i=$((i + 1))
                [ "${{COMP_WORDS[i]}}" != = ] || i=$((i + 1))
                continue ;;
            esac
            case ${{COMP_WORDS[i]}} in --) program=$((i + 1)); break ;; -*) ;; *) program=$i; break ;; esac
        done
        if [ -z "$program" ] && [ "$i" = "$COMP_CWORD" ]; then
            case $cur in -*) ;; *) program=$i ;; esac
        fi
        if [ -n "$program" ]; then
            if [ "$COMP_CWORD" = "$program" ]; then
                COMPREPLY=($(compgen -c -- "$cur") $(compgen -f -- "$cur"))
            elif declare -F _command_offset >/dev/null; then
                _command_offset "$program"
            else
                COMPREPLY=($(compgen -f -- "$cur"))
            fi
            return
        fi ;;
    esac
    case "$command $prev" in
{choices}
    *)  case $cur in
        -*) case $command in
{options}
            esac ;;
        *)  compopt -o filenames 2>/dev/null
            COMPREPLY=($(compgen -f -- "$cur"))
            return ;;
        esac ;;
    esac
    if [ -n "$list" ]; then # several words, separated by commas
        case $cur in *,*) words=" $words"; words=${{words// / ${{cur%,*}},}} ;; esac
        compopt -o nospace 2>/dev/null
    fi
    COMPREPLY=($(compgen -W "$words" -- "$cur"))
}}
complete -F _nvtxh nvtxh
'''


def bash(commands):
    named = [c for c in commands.values() if c.name]
    choices = []
    for command in named:
        for option in command.options:
            pattern = '|'.join(f'"{command.name} {name}"' for name in option.names())
            if option.choices:
                each = ' list=1' if option.is_list() else ''
                choices.append(f"    {pattern}) words='{' '.join(option.choices)}'{each} ;;")
            elif option.argument and option.argument not in FILES:
                choices.append(f'    {pattern}) return ;;')
            elif option.argument:
                choices.append(f'    {pattern}) compopt -o filenames 2>/dev/null; '
                               f'COMPREPLY=($(compgen -f -- "$cur")); return ;;')
    first = [c.name for c in named] + [name for o in commands[''].options for name in o.names()]
    return BASH.format(
        first=' '.join(first), programs='|'.join(c.name for c in named if c.runs_program()),
        values='\n'.join(f"    {c.name}) values='{' '.join(with_value(c))}' ;;" for c in named),
        choices='\n'.join(choices),
        options='\n'.join(f"            {c.name}) words='{' '.join(o.long for o in c.options)}' ;;" for c in named))


# --- zsh: a table that _arguments reads ---

def zsh_quoted(text):
    return text.replace("'", "'\\''")


def zsh_option(option):
    text = ''.join('\\' + c if c in '[]:\\' else c for c in option.help)
    value = ''
    if option.choices:
        words = ' '.join(option.choices)
        value = f':{option.argument}:_values -s , {option.argument} {words}' if option.is_list() \
            else f':{option.argument}:({words})'
    elif option.argument:
        value = f':{option.argument}:' + ('_files' if option.argument in FILES else ' ')
    names = option.names()
    alone = f'({" ".join(names)})' if len(names) > 1 else ''
    return [f"'{zsh_quoted(alone + name + ('=' if value and name == option.long else '') + f'[{text}]' + value)}'"
            for name in names]


def zsh(commands):
    named = [c for c in commands.values() if c.name]
    lines = ['#compdef nvtxh', '# zsh completion for nvtxh, made from its option tables', '_nvtxh() {',
             '    local curcontext="$curcontext" state line', '    typeset -A opt_args',
             '    _arguments -C -S \\']
    lines += [f'        {spec} \\' for option in commands[''].options for spec in zsh_option(option)]
    lines += ["        '1:command:->command' '*::argument:->argument'", '    case $state in', '    command)',
              '        local -a commands=(']
    lines += [f"            '{c.name}:{zsh_quoted(c.about)}'" for c in named]
    lines += ['        )', '        _describe command commands', '        _files ;;', '    argument)', '        case $line[1] in']
    # nvtxh REC is nvtxh stats REC, which therefore comes last.
    for command in sorted(named, key=lambda command: command.name == 'stats'):
        lines += [f'        {"*" if command.name == "stats" else command.name}) _arguments -S \\']
        lines += [f'            {spec} \\' for option in command.options for spec in zsh_option(option)]
        lines += ["            '(-):program:_command_names -e' '*::argument:_normal' ;;" if command.runs_program() else
                  f"            '*:{command.follow[0] if command.follow else 'file'}:_files' ;;"]
    return '\n'.join([*lines, '        esac ;;', '    esac', '}', '_nvtxh "$@"', ''])


# --- fish: a line for each command and option ---

FISH = '''# fish completion for nvtxh, made from its option tables
# Prints the words of the program that nvtxh is to run, which follow nvtxh's options; status 1 if there are none yet.
function __nvtxh_program
    set -l words (commandline -opc)
    contains -- "$words[2]" {programs}; or return 1
    set -e words[1..2]
    while set -q words[1]
        switch $words[1]
            case --
                set -e words[1]
                string join \\n -- $words
                return 0
            case {values}
                set -e words[1]
            case '-*'
            case '*'
                string join \\n -- $words
                return 0
        end
        set -e words[1]
    end
    return 1
end
function __nvtxh_complete_program
    set -l words (__nvtxh_program | string escape)
    complete -C "$words "(commandline -ct)
end
function __nvtxh_command
    set -l words (commandline -opc)
    contains -- "$words[2]" {commands}; or set words[2] stats # nvtxh REC is nvtxh stats REC
    test "$words[2]" = $argv[1]; and not __nvtxh_program >/dev/null
end
function __nvtxh_first
    test (count (commandline -opc)) = 1
end
complete -c nvtxh -f
complete -c nvtxh -n __nvtxh_program -xa '(__nvtxh_complete_program)'
complete -c nvtxh -n __nvtxh_first -xa '(__fish_complete_path (commandline -ct))'
'''


def fish(commands):
    named = [c for c in commands.values() if c.name]

    def quoted(text):
        return "'" + text.replace('\\', '\\\\').replace("'", "\\'") + "'"

    def option_line(condition, option):
        words = ['complete -c nvtxh -n', quoted(condition), '-l', option.long[2:]]
        words += ['-s', option.short[1:]] if option.short else []
        if option.choices and option.is_list():
            words += ['-xa', quoted(f'(__fish_append , {" ".join(option.choices)})')]
        elif option.choices:
            words += ['-xa', quoted(' '.join(option.choices))]
        elif option.argument:
            words += ['-r', '-F'] if option.argument in FILES else ['-x']
        return ' '.join([*words, '-d', quoted(option.help)])

    programs = [c for c in named if c.runs_program()]
    values = sorted({name for c in programs for name in with_value(c)})
    lines = [FISH.format(programs=' '.join(c.name for c in programs), commands=' '.join(c.name for c in named), values=' '.join(values)).rstrip()]
    lines += [f'complete -c nvtxh -n __nvtxh_first -a {c.name} -d {quoted(c.about)}' for c in named]
    lines += [option_line('__nvtxh_first', option) for option in commands[''].options]
    for command in named:
        condition = f'__nvtxh_command {command.name}'
        files = '__fish_complete_command' if command.runs_program() else '__fish_complete_path (commandline -ct)'
        lines += [f"complete -c nvtxh -n '{condition}' -xa '({files})'"]
        lines += [option_line(condition, option) for option in command.options]
    return '\n'.join([*lines, ''])


def main():
    nvtxh, shell = sys.argv[1:]
    sys.stdout.write({'bash': bash, 'zsh': zsh, 'fish': fish}[shell](commands_of(nvtxh)))


if __name__ == '__main__':
    main()
