#include "collector/platform/windows/own_access.h"

#include <sddl.h>
#include <wchar.h>

/* Characters of the longest text of a SID (S-1-, an authority, 15 numbers), including the NUL. */
#define SID_TEXT_SIZE 192

static bool own_sid(wchar_t text[SID_TEXT_SIZE])
{
    HANDLE token;
    union {
        TOKEN_USER user;
        BYTE room[sizeof(TOKEN_USER) + SECURITY_MAX_SID_SIZE];
    } found;
    DWORD size;
    wchar_t *made = NULL;
    if (!OpenProcessToken(GetCurrentProcess(), TOKEN_QUERY, &token))
        return false;
    bool good = GetTokenInformation(token, TokenUser, &found, sizeof found, &size) &&
                ConvertSidToStringSidW(found.user.User.Sid, &made);
    DWORD reason = GetLastError();
    CloseHandle(token);
    if (good && wcslen(made) >= SID_TEXT_SIZE) {
        good = false;
        reason = ERROR_INVALID_SID;
    }
    if (good)
        wcscpy(text, made);
    LocalFree(made);
    SetLastError(reason);
    return good;
}

bool own_access_make(SECURITY_ATTRIBUTES *attributes)
{
    /*
     * Inherits no rights. Grants all rights to the user, the system (SY) and administrators (BA).
     */
    static const wchar_t form[] = L"D:P(A;;GA;;;%ls)(A;;GA;;;SY)(A;;GA;;;BA)";
    wchar_t sid[SID_TEXT_SIZE];
    wchar_t text[SID_TEXT_SIZE + sizeof form / sizeof *form];
    *attributes = (SECURITY_ATTRIBUTES){.nLength = sizeof *attributes};
    if (!own_sid(sid))
        return false;
    swprintf(text, sizeof text / sizeof *text, form, sid);
    return ConvertStringSecurityDescriptorToSecurityDescriptorW(
        text, SDDL_REVISION_1, &attributes->lpSecurityDescriptor, NULL);
}

void own_access_free(SECURITY_ATTRIBUTES *attributes)
{
    LocalFree(attributes->lpSecurityDescriptor);
}
