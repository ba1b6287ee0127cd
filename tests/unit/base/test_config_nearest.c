/* Which known name somebody meant by an unknown one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "collector/base/nearest.h"

static const char *const names[] = {"schema",      "receive_buffer", "receivers", "max_datagram",
                                    "max_decoded", "port",           NULL};

static const char *suggested(const char *given)
{
    struct nearest nearest;
    nearest_begin(&nearest, given, strlen(given));
    for (size_t i = 0; names[i] != NULL; i++)
        nearest_offer(&nearest, names[i]);
    return nearest_found(&nearest);
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

static void one_slip_of_each_kind_is_understood(void **state)
{
    (void)state;
    assert_suggests("shema", "schema");
    assert_suggests("scheema", "schema");
    assert_suggests("schemb", "schema");
    assert_suggests("shcema", "schema");
    assert_suggests("recieve_buffer", "receive_buffer");
    assert_suggests("prot", "port");
    assert_suggests("ports", "port");
}

static void case_and_dashes_are_no_slips(void **state)
{
    (void)state;
    struct nearest nearest;
    nearest_begin(&nearest, "Receive-Buffer", strlen("Receive-Buffer"));
    nearest_offer(&nearest, "receive_buffer");
    assert_non_null(nearest.close);
    assert_int_equal(nearest.slips, 0);
}

static void a_longer_name_forgives_more(void **state)
{
    (void)state;
    assert_suggests("recvbuffer", "receive_buffer");
    assert_suggests("max_dtgrm", "max_datagram");
    assert_suggests_nothing("pxxt");
    assert_suggests_nothing("sxyema_");
}

static void the_fewest_slips_win(void **state)
{
    (void)state;
    assert_suggests("receiver", "receivers");
    assert_suggests("max_decode", "max_decoded");
}

static void of_equals_the_first_wins(void **state)
{
    (void)state;
    struct nearest nearest;
    nearest_begin(&nearest, "sxnd", 4);
    nearest_offer(&nearest, "sand");
    nearest_offer(&nearest, "send");
    assert_string_equal(nearest_found(&nearest), "sand");
}

static void a_beginning_that_only_one_name_has_is_enough(void **state)
{
    (void)state;
    assert_suggests("receive_b", "receive_buffer");
    assert_suggests("s", "schema");
    assert_suggests("max_da", "max_datagram");
    assert_suggests_nothing("max_");
    assert_suggests_nothing("rec");
}

static void what_is_far_from_all_suggests_nothing(void **state)
{
    (void)state;
    assert_suggests_nothing("");
    assert_suggests_nothing("x");
    assert_suggests_nothing("colour");
    assert_suggests_nothing("schemaschemaschemaschemaschemaschemaschema");
}

static void only_the_given_length_counts(void **state)
{
    (void)state;
    struct nearest nearest;
    nearest_begin(&nearest, "portal", 4);
    nearest_offer(&nearest, "port");
    assert_string_equal(nearest_found(&nearest), "port");
    assert_int_equal(nearest.slips, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_slip_of_each_kind_is_understood),
        cmocka_unit_test(case_and_dashes_are_no_slips),
        cmocka_unit_test(a_longer_name_forgives_more),
        cmocka_unit_test(the_fewest_slips_win),
        cmocka_unit_test(of_equals_the_first_wins),
        cmocka_unit_test(a_beginning_that_only_one_name_has_is_enough),
        cmocka_unit_test(what_is_far_from_all_suggests_nothing),
        cmocka_unit_test(only_the_given_length_counts),
    };
    return cmocka_run_group_tests_name("config nearest", tests, NULL, NULL);
}
