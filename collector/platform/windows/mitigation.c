/*
 * The numbers and flags are those of <winnt.h> of the Windows SDK 10.0.22621
 * (PROCESS_MITIGATION_POLICY), because older headers lack some. They never change.
 */
#include "collector/platform/windows/mitigation.h"

#include <stdio.h>
#include <string.h>
#include <windows.h>

struct policy {
    int number;
    uint32_t flags;
    const char *name;
    bool against_children;
};

/*
 * Two other policies are omitted: strict handle checks, which would end the process because of a
 * library's mistake, and signatures of images, because the program itself has none.
 */
static const struct policy policies[] = {
    {2, 1, "no generated code", false},     /* ProcessDynamicCodePolicy */
    {6, 1, "no extension points", false},   /* ProcessExtensionPointDisablePolicy */
    {10, 1 | 2, "no remote images", false}, /* ProcessImageLoadPolicy: nor ones of low integrity */
    {9, 1, "no fonts of others", false},    /* ProcessFontDisablePolicy */
    {13, 1, "no child processes", true},    /* ProcessChildProcessPolicy */
};

/* --- the system's functions ------------------------------------------------------------------- */

typedef BOOL WINAPI set_function(int policy, void *flags, SIZE_T size);
typedef BOOL WINAPI get_function(HANDLE process, int policy, void *flags, SIZE_T size);

static set_function *system_set;
static get_function *system_get;

static bool policy_set(int policy, uint32_t flags)
{
    return system_set(policy, &flags, sizeof flags) != 0;
}

static uint32_t policy_get(int policy)
{
    uint32_t flags = 0;
    return system_get(GetCurrentProcess(), policy, &flags, sizeof flags) != 0 ? flags : 0;
}

const struct mitigation_functions *mitigation_system(void)
{
    static const struct mitigation_functions functions = {policy_set, policy_get};
    HMODULE library = GetModuleHandleW(L"kernel32.dll");
    if (library == NULL)
        return NULL;
    FARPROC found = GetProcAddress(library, "SetProcessMitigationPolicy");
    memcpy(&system_set, &found, sizeof system_set);
    found = GetProcAddress(library, "GetProcessMitigationPolicy");
    memcpy(&system_get, &found, sizeof system_get);
    return system_set != NULL && system_get != NULL ? &functions : NULL;
}

/* --- applying all policies -------------------------------------------------------------------- */

static bool policy_apply(const struct mitigation_functions *functions, const struct policy *policy)
{
    return functions->set(policy->number, policy->flags) &&
           (functions->get(policy->number) & policy->flags) == policy->flags;
}

size_t mitigation_apply(const struct mitigation_functions *functions, bool children, char *text,
                        size_t size)
{
    size_t count = 0;
    size_t used = 0;
    text[0] = '\0';
    for (size_t i = 0; i < sizeof policies / sizeof policies[0]; i++) {
        if ((children && policies[i].against_children) || !policy_apply(functions, &policies[i]))
            continue;
        count++;
        if (used < size)
            used += (size_t)snprintf(text + used, size - used, "%s%s", used != 0 ? ", " : "",
                                     policies[i].name);
    }
    return count;
}
