# Completion of sluice for bash, made from its tables of options and keys.

# --name, or --name=WHAT COMPLETES ITS VALUE:VALUES.
_sluice_options='
@bash-options
'

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

# Finds the word before the cursor and the one before it, without their quotes: bash itself takes
# words apart at ":" and "=". What bash will not replace of it is its head: up to an open quote, else
# up to the last of those characters.
_sluice_find_words() {
    local line=${COMP_LINE:0:COMP_POINT} quote='' char i breaks=''
    words=('')
    for ((i = 0; i < ${#line}; i++)); do
        char=${line:i:1}
        if [[ $char == "$quote" ]]; then
            quote=''
        elif [[ -n $quote ]]; then
            words[-1]+=$char
        elif [[ $char == [\'\"] ]]; then
            quote=$char
            head=${words[-1]}
        elif [[ $char == [[:space:]] ]]; then
            words+=('')
        else
            words[-1]+=$char
        fi
    done
    [[ -z $quote ]] || return
    [[ $COMP_WORDBREAKS != *:* ]] || breaks+=:
    [[ $COMP_WORDBREAKS != *=* ]] || breaks+==
    [[ -z $breaks ]] || head=${words[-1]%"${words[-1]##*[$breaks]}"}
}

# Offers those of the words that go on from what is there.
_sluice_offer() {
    local word
    for word; do
        [[ $word != "${words[-1]}"* ]] || COMPREPLY+=("${word#"$head"}")
    done
}

_sluice_offer_files() { # WHAT IS BEFORE THE PATH, PATH, compgen's OPTION
    local path
    while IFS= read -r path; do
        [[ ! -d $path ]] || path+=/
        _sluice_offer "$1$path"
    done < <(compgen "$3" -- "$2")
}

_sluice_offer_values() { # WHAT IS BEFORE THE VALUE, VALUES
    local -a values
    IFS='|' read -ra values <<<"$2"
    _sluice_offer "${values[@]/#/$1}"
}

# A key, or the value of one; a key that is the only one left comes with its values.
_sluice_offer_keys() { # WHAT IS BEFORE THE KEY, THE KEY SO FAR, KEYS
    local key found=0
    for key in $3; do
        if [[ $2 == *=* ]]; then
            [[ $key != "${2%%=*}="* ]] || _sluice_offer_values "$1${2%%=*}=" "${key#*=}"
        elif [[ $key == "$2"* ]]; then
            _sluice_offer "$1${key%%=*}="
            found=$((found + 1))
        fi
    done
    ((found == 1)) || return
    for key in $3; do
        [[ $key != "$2"* ]] || _sluice_offer_values "$1${key%%=*}=" "${key#*=}"
    done
}

_sluice_offer_url() { # KIND, WHAT IS BEFORE THE URL, URL
    local keys schemes before
    case $1:$3 in
        listener:pcap:*) keys=$_sluice_keys_capture ;;
        listener:*) keys=$_sluice_keys_udp ;;
        sink:file:*) keys=$_sluice_keys_file ;;
        sink:*) keys=$_sluice_keys_sink ;;
        letters:*) keys=$_sluice_keys_letters ;;
    esac
    case $1 in
        listener) schemes=$_sluice_listeners ;;
        sink) schemes=$_sluice_sinks ;;
        letters) schemes=file: ;;
    esac
    case $3 in
        *\?*)
            before=${3%"${3##*[?&]}"}
            _sluice_offer_keys "$2$before" "${3#"$before"}" "$keys"
            ;;
        pcap:* | file:*) _sluice_offer_files "$2${3%%:*}:" "${3#*:}" -f ;;
        *)
            local -a each=($schemes)
            _sluice_offer "${each[@]/#/$2}"
            ;;
    esac
}

_sluice_offer_option_value() { # OPTION, WHAT IS BEFORE THE VALUE, VALUE
    local option what
    for option in $_sluice_options; do
        [[ $option == "$1="* ]] || continue
        what=${option#*=}
        case ${what%%:*} in
            listener | sink | letters) _sluice_offer_url "${what%%:*}" "$2" "$3" ;;
            file) _sluice_offer_files "$2" "$3" -f ;;
            folder) _sluice_offer_files "$2" "$3" -d ;;
            none) _sluice_offer_values "$2" "${what#*:}" ;;
        esac
        return 0
    done
    return 1
}

_sluice() {
    local -a words
    local head='' current option
    COMPREPLY=()
    _sluice_find_words
    current=${words[-1]}
    if [[ ${words[1]} == ctl && ${#words[@]} -gt 2 ]]; then
        case ${#words[@]} in
            3) _sluice_offer reload ledger stop ;;
            4)
                case $current in
                    unix:*) _sluice_offer_files unix: "${current#unix:}" -f ;;
                    *) _sluice_offer unix: $(pgrep -x sluice) ;;
                esac
                ;;
        esac
    elif [[ ${words[1]} == explain && ${#words[@]} -gt 2 ]]; then
        _sluice_offer $("${words[0]}" explain --list 2>/dev/null)
    elif [[ ${words[1]} == keygen && ${#words[@]} -gt 2 ]]; then
        [[ ${words[-2]} == --* ]] || _sluice_offer --not-before --not-after
    elif [[ ${words[1]} == schema && ${#words[@]} -gt 2 ]]; then
        case ${words[-2]} in
            --texts) _sluice_offer drop info ;;
            --message | --value | --labels | --name | --time | --nested) ;;
            *)
                _sluice_offer --message --value --labels --name --time --nested --texts --all --json
                _sluice_offer_files '' "$current" -f
                ;;
        esac
    elif [[ ${words[1]} == spill && ${#words[@]} -eq 3 ]]; then
        _sluice_offer list export
    elif [[ ${words[1]} == spill && ${#words[@]} -gt 3 ]]; then
        [[ ${words[2]} != export || ${#words[@]} -ne 4 ]] || _sluice_offer --format
        _sluice_offer_files '' "$current" -d
    elif [[ ${words[1]} == test && ${#words[@]} -gt 2 ]]; then
        case ${words[-2]} in
            --report) _sluice_offer text junit ;;
            *)
                _sluice_offer --record --report
                _sluice_offer_files '' "$current" -f
                ;;
        esac
    elif [[ $current == --*=* ]]; then
        _sluice_offer_option_value "${current%%=*}" "${current%%=*}=" "${current#*=}"
    elif ! _sluice_offer_option_value "${words[-2]}" '' "$current"; then
        for option in $_sluice_options; do
            _sluice_offer "${option%%=*}"
        done
        [[ ${#words[@]} -ne 2 ]] || _sluice_offer ctl explain keygen schema spill test
    fi
    [[ ${COMPREPLY[0]} != *[=:/] ]] || compopt -o nospace 2>/dev/null
}

complete -F _sluice sluice
