#compdef %PROGRAM%
# Completion of %PROGRAM% for zsh, made from its table of options.

local -a options=(
@zsh-options
    '*:file:_files'
)
_arguments $options
