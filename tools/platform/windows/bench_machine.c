/* tools/bench/machine.h on Windows: what the registry says. No part that pins anything runs here.
 */
#include "tools/bench/machine.h"

#include <stdio.h>
#include <windows.h>

#include "collector/platform/windows/text.h"

/* A text of HKEY_LOCAL_MACHINE, or what stands in for it. */
static void read_text(const wchar_t *key, const wchar_t *name, char *text, size_t size)
{
    wchar_t wide[128];
    DWORD bytes = sizeof wide;
    if (RegGetValueW(HKEY_LOCAL_MACHINE, key, name, RRF_RT_REG_SZ, NULL, wide, &bytes) !=
            ERROR_SUCCESS ||
        !text_from_wide(wide, text, size))
        snprintf(text, size, "unknown");
}

void machine_look(struct machine *machine)
{
    static const wchar_t version[] = L"SOFTWARE\\Microsoft\\Windows NT\\CurrentVersion";
    char build[64];
    SYSTEM_INFO info;
    GetSystemInfo(&info);
    read_text(L"HARDWARE\\DESCRIPTION\\System\\CentralProcessor\\0", L"ProcessorNameString",
              machine->cpu, sizeof machine->cpu);
    read_text(version, L"CurrentBuildNumber", build, sizeof build);
    snprintf(machine->system, sizeof machine->system, "Windows, build %s", build);
    machine->processors = (unsigned)info.dwNumberOfProcessors;
    machine->sender_cpu = -1;
    machine->receiver_cpu = -1;
    machine->sleep_cost_ns = -1;
}
