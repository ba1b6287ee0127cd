/* Tests objects that only the program's user, the system and administrators can open. */
#include <windows.h>
/* This header needs the types of windows.h. */
#include <aclapi.h>

#include "collector/platform/windows/child_pipe.h"
#include "collector/platform/windows/own_access.h"
#include "tests/support/test.h"

static void assert_is_allowed(ACL *acl, PSID who)
{
    for (DWORD i = 0; i < acl->AceCount; i++) {
        ACCESS_ALLOWED_ACE *entry;
        assert_true(GetAce(acl, i, (void **)&entry));
        assert_int_equal(entry->Header.AceType, ACCESS_ALLOWED_ACE_TYPE);
        if (EqualSid(&entry->SidStart, who))
            return;
    }
    fail_msg("somebody is missing");
}

static void assert_is_own(HANDLE object)
{
    ACL *acl = NULL;
    PSECURITY_DESCRIPTOR descriptor;
    HANDLE token;
    BYTE user[sizeof(TOKEN_USER) + SECURITY_MAX_SID_SIZE];
    BYTE sid[SECURITY_MAX_SID_SIZE];
    DWORD size = sizeof user;
    assert_int_equal(GetSecurityInfo(object, SE_KERNEL_OBJECT, DACL_SECURITY_INFORMATION, NULL,
                                     NULL, &acl, NULL, &descriptor),
                     ERROR_SUCCESS);
    assert_non_null(acl);
    assert_int_equal(acl->AceCount, 3);
    assert_true(OpenProcessToken(GetCurrentProcess(), TOKEN_QUERY, &token));
    assert_true(GetTokenInformation(token, TokenUser, user, size, &size));
    CloseHandle(token);
    assert_is_allowed(acl, ((TOKEN_USER *)(void *)user)->User.Sid);
    size = sizeof sid;
    assert_true(CreateWellKnownSid(WinLocalSystemSid, NULL, sid, &size));
    assert_is_allowed(acl, sid);
    size = sizeof sid;
    assert_true(CreateWellKnownSid(WinBuiltinAdministratorsSid, NULL, sid, &size));
    assert_is_allowed(acl, sid);
    LocalFree(descriptor);
}

TEST(an_event_is_its_users_own)
{
    SECURITY_ATTRIBUTES access;
    assert_true(own_access_make(&access));
    HANDLE event = CreateEventW(&access, FALSE, FALSE, NULL);
    own_access_free(&access);
    assert_non_null(event);
    assert_is_own(event);
    CloseHandle(event);
}

TEST(a_pipe_is_its_users_own)
{
    HANDLE ours, theirs;
    assert_true(child_pipe_to(&ours, &theirs));
    assert_is_own(ours);
    CloseHandle(ours);
    CloseHandle(theirs);
}
