# Completion of %PROGRAM% for bash, made from its table of options.

_%PROGRAM%() {
    local options option what current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]}
    # --name, or --name=WHAT COMPLETES ITS VALUE:VALUES.
    options='
@bash-options
'
    # bash takes --name=value apart.
    if [[ $current == = ]]; then
        current=''
    elif [[ $previous == = ]]; then
        previous=${COMP_WORDS[COMP_CWORD-2]}
    fi
    compopt -o filenames 2>/dev/null
    COMPREPLY=()
    for option in $options; do
        [[ $option == "$previous="* ]] || continue
        what=${option#*=}
        case ${what%%:*} in
            file) mapfile -t COMPREPLY < <(compgen -f -- "$current") ;;
            folder) mapfile -t COMPREPLY < <(compgen -d -- "$current") ;;
            none) mapfile -t COMPREPLY < <(IFS='|'; compgen -W "${what#*:}" -- "$current") ;;
        esac
        return
    done
    if [[ $current == -* ]]; then
        mapfile -t COMPREPLY < <(
            for option in $options; do
                compgen -W "${option%%=*}" -- "$current"
            done)
    else
        mapfile -t COMPREPLY < <(compgen -f -- "$current")
    fi
}

complete -F _%PROGRAM% %PROGRAM%
