# Completion of warpld for bash; made by tools/make-completions.py.
#
# SPDX-FileCopyrightText: The warpld authors
# SPDX-License-Identifier: Apache-2.0

_warpld()
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
    --arch | -arch)
        mapfile -t COMPREPLY < <(compgen -W "sm_50 sm_52 sm_53 sm_60 sm_61 sm_62 sm_70 sm_72 sm_75 sm_80 sm_86 sm_87 sm_88 sm_89 sm_90 sm_90a sm_100 sm_100a sm_100f sm_103 sm_103a sm_103f sm_110 sm_110a sm_110f sm_120 sm_120a sm_120f sm_121 sm_121a sm_121f" -- "$current")
        COMPREPLY=("${COMPREPLY[@]/#/$prefix}")
        return
        ;;
    --output-file | -o | --options-file | -optf | --diagnostics-file | --uidx-file | -uidx | --nv-host | -nv-host | --nvjitlink-path | --ptxas-path | -ptxas-path | --ptx-compiler | --dot-file | -dot | --map | --report | --time | -time | --dependency-file | --register-link-binaries | --host-ccbin | -host-ccbin)
        mapfile -t COMPREPLY < <(compgen -f -- "$current")
        COMPREPLY=("${COMPREPLY[@]/#/$prefix}")
        compopt -o filenames 2> /dev/null
        return
        ;;
    --library | -l | --kernels-used | -kernels-used | --explain | --error-limit | --tool-name | -tool-name | --cuda-api-version | -cuda-api-version | --variables-used | -variables-used | --gencode | -gencode | --gpu-code | -code | --Xnvvm | -Xnvvm | --split-compile-extended | -split-compile-extended | --ptxas-timeout | --cache-size | --cache-url | --Xptxas | -Xptxas | --maxrregcount | -maxrregcount | --split-compile | -split-compile | --why | --trace-symbol | --limit | --trace | -trace | --threads | -threads | --host-linker-options | -Xlinker)
        return
        ;;
    --library-path | -L | --nvvmpath | -nvvmpath | --cache-dir | --save-inputs | -save-inputs)
        mapfile -t COMPREPLY < <(compgen -d -- "$current")
        COMPREPLY=("${COMPREPLY[@]/#/$prefix}")
        compopt -o filenames 2> /dev/null
        return
        ;;
    --color)
        mapfile -t COMPREPLY < <(compgen -W "auto always never" -- "$current")
        COMPREPLY=("${COMPREPLY[@]/#/$prefix}")
        return
        ;;
    --diagnostics-format)
        mapfile -t COMPREPLY < <(compgen -W "text json sarif" -- "$current")
        COMPREPLY=("${COMPREPLY[@]/#/$prefix}")
        return
        ;;
    --as)
        mapfile -t COMPREPLY < <(compgen -W "warpld nvlink" -- "$current")
        COMPREPLY=("${COMPREPLY[@]/#/$prefix}")
        return
        ;;
    --cpu-arch | -cpu-arch)
        mapfile -t COMPREPLY < <(compgen -W "X86 PPC64LE ARMv7 X86_64 AARCH64 unknown" -- "$current")
        COMPREPLY=("${COMPREPLY[@]/#/$prefix}")
        return
        ;;
    --output-abi | -output-abi)
        mapfile -t COMPREPLY < <(compgen -W "7 8" -- "$current")
        COMPREPLY=("${COMPREPLY[@]/#/$prefix}")
        return
        ;;
    --verbose-tkinfo | -verbose-tkinfo | --disable-smem-reservation | -disable-smem-reservation | --enable-extended-smem | -enable-extended-smem | --device-stack-protector | -device-stack-protector)
        mapfile -t COMPREPLY < <(compgen -W "true false" -- "$current")
        COMPREPLY=("${COMPREPLY[@]/#/$prefix}")
        return
        ;;
    --compress-mode | -compress-mode)
        mapfile -t COMPREPLY < <(compgen -W "default size speed balance none" -- "$current")
        COMPREPLY=("${COMPREPLY[@]/#/$prefix}")
        return
        ;;
    --gen-host-linker-script | -ghls)
        mapfile -t COMPREPLY < <(compgen -W "lcs-abs lcs-aug" -- "$current")
        COMPREPLY=("${COMPREPLY[@]/#/$prefix}")
        return
        ;;
    esac
    local options="--arch -arch --output-file -o --library -l --library-path -L --debug -g --verbose -v --relocatable-link -r --kernels-used -kernels-used --warning-as-error -Werror --options-file -optf --help -h --version -V --explain --disable-warnings -w --disable-infos -disable-infos --no-notes -no-notes --extra-warnings -extrawarn --suppress-arch-warning -suppress-arch-warning --suppress-stack-size-warning -suppress-stack-size-warning --no-demangle --error-limit --color --diagnostics-format --diagnostics-file --report-arch -report-arch --tool-name -tool-name --as --cpu-arch -cpu-arch --allow-empty -allow-empty --allow-newer-toolkit -allow-newer-toolkit --allow-undefined-globals -allow-undefined-globals --keep-system-libraries -keep-system-libraries --uidx-file -uidx --nv-host -nv-host --cuda-api-version -cuda-api-version --use-host-info -use-host-info --ignore-host-info -ignore-host-info --variables-used -variables-used --merge-constants -merge-constants --remove-unused-constants -remove-unused-constants --suppress-debug-info -suppress-debug-info --output-abi -output-abi --fsync --preserve-relocs -preserve-relocs --force-rela -force-rela --verbose-tkinfo -verbose-tkinfo --reserve-null-pointer -reserve-null-pointer --dont-reserve-null-pointer -dont-reserve-null-pointer --disable-smem-reservation -disable-smem-reservation --enable-extended-smem -enable-extended-smem --device-link --gencode -gencode --gpu-code -code --fatbin -fatbin --cubin -cubin --compress-mode -compress-mode --link-time-opt -lto --dlto -dlto --nvvmpath -nvvmpath --nvjitlink-path --Xnvvm -Xnvvm --Ofast-compile -Ofc --split-compile-extended -split-compile-extended --emit-ptx -emit-ptx --force-partial-lto -force-partial-lto --force-whole-lto -force-whole-lto --ptxas-path -ptxas-path --ptx-compiler --ptxas-timeout --cache-dir --cache-size --cache-url --no-cache --Xptxas -Xptxas --maxrregcount -maxrregcount --split-compile -split-compile --device-stack-protector -device-stack-protector --dump-callgraph -dump-callgraph --dump-callgraph-no-demangle -dump-callgraph-no-demangle --dot-file -dot --map --report --print-removed --why --trace-symbol --cref --limit --trace -trace --stats -stats --time -time --save-inputs -save-inputs --dependency-file --threads -threads --register-link-binaries --gen-host-linker-script -ghls --shared -shared --host-ccbin -host-ccbin --host-linker-options -Xlinker"
    if [[ $current == -* ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$options" -- "$current")
    else
        mapfile -t COMPREPLY < <(compgen -f -- "$current")
        compopt -o filenames 2> /dev/null
    fi
}
complete -F _warpld warpld
