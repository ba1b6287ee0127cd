#include "collector/platform/windows/control_kinds.h"

const enum control_event control_kinds[CONTROL_KINDS] = {CONTROL_STOP, CONTROL_REOPEN,
                                                         CONTROL_LEDGER};

size_t control_kind(enum control_event event)
{
    size_t kind = 0;
    while (kind < CONTROL_KINDS && control_kinds[kind] != event)
        kind++;
    return kind;
}

void control_kind_name(size_t kind, unsigned long process, wchar_t name[CONTROL_NAME_SIZE])
{
    static const wchar_t *const words[CONTROL_KINDS] = {L"stop", L"reload", L"ledger"};
    swprintf(name, CONTROL_NAME_SIZE, L"Global\\sluice-%lu-%ls", process, words[kind]);
}
