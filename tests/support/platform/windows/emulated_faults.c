#include "tests/support/platform/windows/emulated_faults.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/platform/windows/socket_lookup_emulated.h"

SRWLOCK emulation_lock = SRWLOCK_INIT;
struct emulation_faults emulation_faults;

static struct {
    bool wanted;
    DWORD returned;
    DWORD result;
} failure;

static size_t malformed;

static bool environment_has(const char *name)
{
    const char *faults = getenv("EMULATION");
    return faults != NULL && strstr(faults, name) != NULL;
}

void emulation_faults_read(void)
{
    if (environment_has("refuses-streams"))
        emulation_faults.refused |= EMULATION_REFUSES_STREAMS;
    if (environment_has("refuses-datagrams"))
        emulation_faults.refused |= EMULATION_REFUSES_DATAGRAMS;
    if (environment_has("holds-removals"))
        emulation_faults.hold_removals = true;
    if (environment_has("fails-removals"))
        emulation_faults.failing_removals = SIZE_MAX;
    emulation_faults.fails_armings = environment_has("fails-armings");
}

bool emulation_faults_fail_arming(void)
{
    return emulation_faults.fails_armings && ++emulation_faults.armings % 20 == 0;
}

DWORD emulation_faults_next(DWORD *result)
{
    bool fails = failure.wanted;
    failure.wanted = false;
    *result = fails ? failure.result : ERROR_SUCCESS;
    return fails ? failure.returned : ERROR_SUCCESS;
}

bool emulation_faults_refuse(SOCKET socket)
{
    int kind = 0;
    int size = sizeof kind;
    unsigned refused = emulation_faults.refused;
    if (refused == 0 || getsockopt(socket, SOL_SOCKET, SO_TYPE, (char *)&kind, &size) != 0)
        return false;
    return (refused &
            (kind == SOCK_STREAM ? EMULATION_REFUSES_STREAMS : EMULATION_REFUSES_DATAGRAMS)) != 0;
}

void emulation_faults_check(const struct socket_registration *row)
{
    const uint8_t pairs[] = {SOCKET_TRIGGER_EDGE | SOCKET_TRIGGER_LEVEL,
                             SOCKET_TRIGGER_ONESHOT | SOCKET_TRIGGER_PERSISTENT};
    bool sound = (row->operation & (row->operation - 1)) == 0;
    for (size_t i = 0; i < 2 && row->operation == SOCKET_OPERATION_ENABLE; i++) {
        unsigned chosen = row->trigger & pairs[i];
        sound = sound && chosen != 0 && (chosen & (chosen - 1)) == 0;
    }
    malformed += !sound;
}

size_t emulation_malformed(void)
{
    AcquireSRWLockExclusive(&emulation_lock);
    size_t count = malformed;
    ReleaseSRWLockExclusive(&emulation_lock);
    return count;
}

void emulation_fail_next(DWORD returned, DWORD result)
{
    AcquireSRWLockExclusive(&emulation_lock);
    failure.wanted = true;
    failure.returned = returned;
    failure.result = result;
    ReleaseSRWLockExclusive(&emulation_lock);
}

void emulation_hold_removals(bool hold)
{
    AcquireSRWLockExclusive(&emulation_lock);
    emulation_faults.hold_removals = hold;
    if (!hold)
        emulation_look();
    ReleaseSRWLockExclusive(&emulation_lock);
}

void emulation_fail_removals(size_t count)
{
    AcquireSRWLockExclusive(&emulation_lock);
    emulation_faults.failing_removals = count;
    ReleaseSRWLockExclusive(&emulation_lock);
}

void emulation_refuse(unsigned kinds)
{
    AcquireSRWLockExclusive(&emulation_lock);
    emulation_faults.refused = kinds;
    ReleaseSRWLockExclusive(&emulation_lock);
}
