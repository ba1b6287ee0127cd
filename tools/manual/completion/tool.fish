# Completion of %PROGRAM% for fish, made from its table of options.
@fish-options
