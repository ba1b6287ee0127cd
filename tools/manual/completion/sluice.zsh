#compdef sluice
# Completion of sluice for zsh, made from its tables of options and keys.

# The keys of URLs: key=VALUES.
_sluice_keys_udp='
@shell-keys any_udp
'
_sluice_keys_capture='
@shell-keys any_capture
'
_sluice_keys_sink='
@shell-keys sink
'
_sluice_keys_file='
@shell-keys any_file_sink
'
_sluice_keys_letters='
@shell-keys letters
'
_sluice_listeners='
@listeners
'
_sluice_sinks='
@sinks
'

_sluice_keys() { # KEYS
    local -a keys=(${(f)1}) values
    local key
    compset -P '*[?&]'
    if [[ $PREFIX != *=* ]]; then
        compadd -S = -- ${keys%%=*}
        return
    fi
    key=${PREFIX%%=*}
    compset -P '*='
    values=(${(s:|:)${(M)keys:#$key=*}#*=})
    compadd -S '' -- $values
    [[ $key != schema ]] || _files
}

_sluice_listener() {
    case $PREFIX in
        pcap:*\?*) _sluice_keys $_sluice_keys_capture ;;
        *\?*) _sluice_keys $_sluice_keys_udp ;;
        pcap:*) compset -P pcap: && _files ;;
        *) compadd -S '' -- ${(f)_sluice_listeners} ;;
    esac
}

_sluice_sink() {
    case $PREFIX in
        file:*\?*) _sluice_keys $_sluice_keys_file ;;
        *\?*) _sluice_keys $_sluice_keys_sink ;;
        file:*) compset -P file: && _files ;;
        *) compadd -S '' -- ${(f)_sluice_sinks} ;;
    esac
}

_sluice_letters() {
    case $PREFIX in
        *\?*) _sluice_keys $_sluice_keys_letters ;;
        file:*) compset -P file: && _files ;;
        *) compadd -S '' -- file: ;;
    esac
}

_sluice_given() {
    case $PREFIX in
        unix:*) compset -P unix: && _files ;;
        *)
            compadd -S '' -- unix:
            _pids -m sluice
            ;;
    esac
}

_sluice() {
    if [[ $words[2] == ctl && CURRENT -gt 2 ]]; then
        case $CURRENT in
            3) compadd -- reload ledger stop ;;
            4) _sluice_given ;;
        esac
        return
    fi
    if [[ $words[2] == explain && CURRENT -gt 2 ]]; then
        compadd -- $($words[1] explain --list 2>/dev/null)
        return
    fi
    if [[ $words[2] == keygen && CURRENT -gt 2 ]]; then
        [[ $words[CURRENT-1] == --* ]] || compadd -- --not-before --not-after
        return
    fi
    if [[ $words[2] == schema && CURRENT -gt 2 ]]; then
        case $words[CURRENT-1] in
            --texts) compadd -- drop info ;;
            --message | --value | --labels | --name | --time | --nested) ;;
            *)
                compadd -- --message --value --labels --name --time --nested --texts --all --json
                _files
                ;;
        esac
        return
    fi
    if [[ $words[2] == spill && CURRENT -gt 2 ]]; then
        if (( CURRENT == 3 )); then
            compadd -- list export
        else
            [[ $words[3] != export ]] || compadd -- --format
            _files -/
        fi
        return
    fi
    if [[ $words[2] == test && CURRENT -gt 2 ]]; then
        if [[ $words[CURRENT-1] == --report ]]; then
            compadd -- text junit
        else
            compadd -- --record --report
            _files
        fi
        return
    fi
    local -a options=(
@zsh-options
        '1:subcommand:(ctl explain keygen schema spill test)'
    )
    _arguments $options
}

_sluice "$@"
