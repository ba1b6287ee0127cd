#include <string.h>

#include "collector/base/suggestion.h"
#include "tests/support/test.h"

static const char *const names[] = {"schema",      "receive_buffer", "receivers", "max_datagram",
                                    "max_decoded", "port",           NULL};

static const char *suggested(const char *given)
{
    struct suggestion suggestion;
    suggestion_begin(&suggestion, given, strlen(given));
    for (size_t i = 0; names[i] != NULL; i++)
        suggestion_offer(&suggestion, names[i]);
    return suggestion_found(&suggestion);
}

static void assert_suggests(const char *given, const char *name)
{
    const char *found = suggested(given);
    if (found == NULL || strcmp(found, name) != 0)
        fail_msg("'%s' suggests '%s', not '%s'", given, found != NULL ? found : "nothing", name);
}

static void assert_suggests_nothing(const char *given)
{
    const char *found = suggested(given);
    if (found != NULL)
        fail_msg("'%s' suggests '%s'", given, found);
}

TEST(one_slip_of_each_kind_is_understood)
{
    assert_suggests("shema", "schema");
    assert_suggests("scheema", "schema");
    assert_suggests("schemb", "schema");
    assert_suggests("shcema", "schema");
    assert_suggests("recieve_buffer", "receive_buffer");
    assert_suggests("prot", "port");
    assert_suggests("ports", "port");
}

TEST(case_and_dashes_are_ignored)
{
    struct suggestion suggestion;
    suggestion_begin(&suggestion, "Receive-Buffer", strlen("Receive-Buffer"));
    suggestion_offer(&suggestion, "receive_buffer");
    assert_non_null(suggestion.close);
    assert_int_equal(suggestion.edits, 0);
}

TEST(a_longer_name_forgives_more)
{
    assert_suggests("recvbuffer", "receive_buffer");
    assert_suggests("max_dtgrm", "max_datagram");
    assert_suggests_nothing("pxxt");
    assert_suggests_nothing("sxyema_");
}

TEST(the_fewest_slips_win)
{
    assert_suggests("receiver", "receivers");
    assert_suggests("max_decode", "max_decoded");
}

TEST(the_first_of_equals_wins)
{
    struct suggestion suggestion;
    suggestion_begin(&suggestion, "sxnd", 4);
    suggestion_offer(&suggestion, "sand");
    suggestion_offer(&suggestion, "send");
    assert_string_equal(suggestion_found(&suggestion), "sand");
}

TEST(a_beginning_that_only_one_name_has_is_enough)
{
    assert_suggests("receive_b", "receive_buffer");
    assert_suggests("s", "schema");
    assert_suggests("max_da", "max_datagram");
    assert_suggests_nothing("max_");
    assert_suggests_nothing("rec");
}

TEST(a_distant_text_suggests_no_name)
{
    assert_suggests_nothing("");
    assert_suggests_nothing("x");
    assert_suggests_nothing("colour");
    assert_suggests_nothing("schemaschemaschemaschemaschemaschemaschema");
}

TEST(only_the_given_length_counts)
{
    struct suggestion suggestion;
    suggestion_begin(&suggestion, "portal", 4);
    suggestion_offer(&suggestion, "port");
    assert_string_equal(suggestion_found(&suggestion), "port");
    assert_int_equal(suggestion.edits, 0);
}
