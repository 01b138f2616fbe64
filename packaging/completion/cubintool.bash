# Completion of cubintool for bash; made by tools/make-completions.py.
#
# SPDX-FileCopyrightText: The warpld authors
# SPDX-License-Identifier: Apache-2.0

_cubintool()
{
    local current=${COMP_WORDS[COMP_CWORD]} option=${COMP_WORDS[COMP_CWORD - 1]} prefix=
    # bash splits --option=value into several words, unless COMP_WORDBREAKS has no '='.
    if [[ $current == = ]]; then
        current=
    elif [[ $option == = ]]; then
        option=${COMP_WORDS[COMP_CWORD - 2]}
    elif [[ $current == -*=* ]]; then
        option=${current%%=*} prefix=${current%%=*}= current=${current#*=}
    fi
    COMPREPLY=()
    case $option in
    --arch)
        mapfile -t COMPREPLY < <(compgen -W "sm_50 sm_52 sm_53 sm_60 sm_61 sm_62 sm_70 sm_72 sm_75 sm_80 sm_86 sm_87 sm_88 sm_89 sm_90 sm_90a sm_100 sm_100a sm_100f sm_103 sm_103a sm_103f sm_110 sm_110a sm_110f sm_120 sm_120a sm_120f sm_121 sm_121a sm_121f" -- "$current")
        COMPREPLY=("${COMPREPLY[@]/#/$prefix}")
        return
        ;;
    --member | --image | --sort | --filter | --section | --fail-if | --limit | --by | --root)
        return
        ;;
    --nvdisasm | --report | -o)
        mapfile -t COMPREPLY < <(compgen -f -- "$current")
        COMPREPLY=("${COMPREPLY[@]/#/$prefix}")
        compopt -o filenames 2> /dev/null
        return
        ;;
    esac
    if ((COMP_CWORD == 1)); then
        mapfile -t COMPREPLY < <(compgen -W "list dump diff verify resources uidx explain size symbols disassemble graph" -- "$current")
        return
    fi
    local options=--help
    case ${COMP_WORDS[1]} in
    list) options="--json --csv --arch --member --image --sort --filter --help" ;;
    dump) options="--json --arch --member --image --demangle --no-demangle --section --raw --help" ;;
    diff) options="--json --csv --arch --member --image --demangle --no-demangle --bytes --fail-if --strict --limit --help" ;;
    verify) options="--json --arch --member --image --help" ;;
    resources) options="--json --csv --arch --member --image --sort --filter --demangle --no-demangle --help" ;;
    uidx) options="--json --arch --member --image -o --help" ;;
    explain) options="--json --arch --member --image --demangle --no-demangle --limit --report --help" ;;
    size) options="--json --csv --arch --member --image --sort --filter --demangle --no-demangle --by --report --help" ;;
    symbols) options="--json --csv --arch --member --image --sort --filter --demangle --no-demangle --help" ;;
    disassemble) options="--json --arch --member --image --demangle --no-demangle --nvdisasm --help" ;;
    graph) options="--json --arch --member --image --demangle --no-demangle --by --root --dot --help" ;;
    esac
    if [[ $current == -* ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$options" -- "$current")
    else
        mapfile -t COMPREPLY < <(compgen -f -- "$current")
        compopt -o filenames 2> /dev/null
    fi
}
complete -F _cubintool cubintool
