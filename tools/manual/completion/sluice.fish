# Completion of sluice for fish, made from its tables of options and keys.

# The keys of URLs: key=VALUES.
set -g __sluice_keys_udp (string split -n \n '
@shell-keys any_udp
')
set -g __sluice_keys_capture (string split -n \n '
@shell-keys any_capture
')
set -g __sluice_keys_sink (string split -n \n '
@shell-keys sink
')
set -g __sluice_keys_file (string split -n \n '
@shell-keys any_file_sink
')
set -g __sluice_keys_letters (string split -n \n '
@shell-keys letters
')
set -g __sluice_listeners (string split -n \n '
@listeners
')
set -g __sluice_sinks (string split -n \n '
@sinks
')

# The URL so far, without --option= and an open quote.
function __sluice_url
    commandline -ct | string replace -r '^--[a-z-]+=' '' | string replace -r '^[\'"]' ''
end

# URL: what is before its keys, and & if there are keys. In a pattern of fish 4 the question mark is a
# character as any other, and before it is not.
function __sluice_kind --argument-names url
    set -l kind (string replace -r '[?].*' '&' -- $url)
    echo "$kind"
end

# URL KEYS...: the URL with each of the keys, or of a key's values, at its end.
function __sluice_keys --argument-names url
    set -l before (string match -r '^.*[?&]' -- $url)
    set -l last (string replace -r '^.*[?&]' '' -- $url)
    for key in $argv[2..-1]
        set -l name (string split -m 1 = -- $key)
        if not string match -q '*=*' -- $last
            echo $before$name[1]=
        else if string match -q "$name[1]=*" -- $last
            printf '%s\n' $before$name[1]=(string split -n '|' -- $name[2])
        end
    end
end

# SCHEME: the paths behind it.
function __sluice_files --argument-names scheme
    set -l path (string replace "$scheme:" '' -- (__sluice_url))
    set -l paths (__fish_complete_path $path | string replace -r '\t.*' '')
    test -z "$paths"; or printf '%s\n' $scheme:$paths
end

function __sluice_listener
    set -l url (__sluice_url)
    switch (__sluice_kind $url)
        case 'pcap:*&'
            __sluice_keys $url $__sluice_keys_capture
        case '*&'
            __sluice_keys $url $__sluice_keys_udp
        case 'pcap:*'
            __sluice_files pcap
        case '*'
            printf '%s\n' $__sluice_listeners
    end
end

function __sluice_sink
    set -l url (__sluice_url)
    switch (__sluice_kind $url)
        case 'file:*&'
            __sluice_keys $url $__sluice_keys_file
        case '*&'
            __sluice_keys $url $__sluice_keys_sink
        case 'file:*'
            __sluice_files file
        case '*'
            printf '%s\n' $__sluice_sinks
    end
end

function __sluice_letters
    set -l url (__sluice_url)
    switch (__sluice_kind $url)
        case '*&'
            __sluice_keys $url $__sluice_keys_letters
        case 'file:*'
            __sluice_files file
        case '*'
            echo file:
    end
end

function __sluice_given
    set -l address (__sluice_url)
    switch "$address"
        case 'unix:*'
            __sluice_files unix
        case '*'
            echo unix:
            pgrep -x sluice
    end
end

complete -c sluice -f
@fish-options
complete -c sluice -n __fish_use_subcommand -a ctl -d 'tell a running sluice something'
complete -c sluice -n '__fish_seen_subcommand_from ctl' -a 'reload ledger stop'
complete -c sluice -n __fish_use_subcommand -a explain -d 'say what a word means, and what to do'
complete -c sluice -n '__fish_seen_subcommand_from explain' -a '(sluice explain --list 2>/dev/null)'
complete -c sluice -n __fish_use_subcommand -a keygen -d 'make a key for sealed datagrams'
complete -c sluice -n '__fish_seen_subcommand_from keygen' -x -l not-before -d 'the key is valid from this time on'
complete -c sluice -n '__fish_seen_subcommand_from keygen' -x -l not-after -d 'the key is valid until this time'
complete -c sluice -n __fish_use_subcommand -a schema -d 'show the messages and samples of a schema'
complete -c sluice -n '__fish_seen_subcommand_from schema' -F
complete -c sluice -n '__fish_seen_subcommand_from schema' -x -l message -d 'the message whose samples are shown'
complete -c sluice -n '__fish_seen_subcommand_from schema' -x -l value -d 'fields whose numbers are samples'
complete -c sluice -n '__fish_seen_subcommand_from schema' -x -l labels -d 'fields that are labels'
complete -c sluice -n '__fish_seen_subcommand_from schema' -x -l name -d 'the field that names samples'
complete -c sluice -n '__fish_seen_subcommand_from schema' -x -l time -d 'the field with their time'
complete -c sluice -n '__fish_seen_subcommand_from schema' -x -l nested -d 'bytes fields that contain messages'
complete -c sluice -n '__fish_seen_subcommand_from schema' -x -l texts -a 'drop info'
complete -c sluice -n '__fish_seen_subcommand_from schema' -l all -d 'list all message types'
complete -c sluice -n '__fish_seen_subcommand_from schema' -l json -d 'write JSON'
complete -c sluice -n __fish_use_subcommand -a spill -d 'list or export what lies in a spill'
complete -c sluice -n '__fish_seen_subcommand_from spill' -a 'list export'
complete -c sluice -n '__fish_seen_subcommand_from spill' -x -l format -d 'the format to export'
complete -c sluice -n __fish_use_subcommand -a test -d 'run tests of a configuration'
complete -c sluice -n '__fish_seen_subcommand_from test' -F
complete -c sluice -n '__fish_seen_subcommand_from test' -l record -d 'write what came'
complete -c sluice -n '__fish_seen_subcommand_from test' -x -l report -a 'text junit'
complete -c sluice -n '__fish_seen_subcommand_from reload ledger stop' -a '(__sluice_given)'
