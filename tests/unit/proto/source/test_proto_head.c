#include <string.h>

#include "proto/source/proto_head.h"
#include "tests/support/test.h"

static void assert_head(const char *text, const char *imports, const char *edition, size_t line)
{
    struct growing_arena memory = {0};
    struct proto_head head;
    char names[200] = "";
    assert_true(proto_head_read(text, strlen(text), &memory, &head));
    for (const struct proto_import *at = head.imports; at != NULL; at = at->next) {
        strcat(names, names[0] == '\0' ? "" : " ");
        strcat(names, at->name);
    }
    assert_string_equal(names, imports);
    assert_string_equal(head.edition, edition);
    assert_int_equal(head.edition_line, line);
    growing_arena_free(&memory);
}

TEST(all_kinds_of_imports_are_found_in_their_order)
{
    assert_head("syntax = \"proto3\";\nimport \"b.proto\";\nimport public 'a/c.proto';\n"
                "import weak \"d.proto\";import option \"e.proto\";",
                "b.proto a/c.proto d.proto e.proto", "", 0);
}

TEST(imports_in_comments_texts_and_messages_are_not_imports)
{
    assert_head("// import \"a.proto\";\n/* import \"b.proto\"; */\n"
                "option x = \"import 'c.proto'; \\\" {\";\n"
                "message M { optional string import = 1; }\nimport \"d.proto\";",
                "d.proto", "", 0);
    assert_head("message import { int32 edition = 1; }", "", "", 0);
}

TEST(an_edition_has_its_line)
{
    assert_head("\xef\xbb\xbf// first\n/*\n*/ edition = \"2024\";\nimport \"a.proto\";", "a.proto",
                "2024", 3);
    assert_head("edition = 2023;", "", "", 0);
}

TEST(a_text_that_ends_anywhere_is_read_to_its_end)
{
    static const char text[] = "edition = \"2023\"; import \"a\\\"; /* } */ message M { // x\n }}";
    for (size_t size = 0; size < sizeof text; size++) {
        struct growing_arena memory = {0};
        struct proto_head head;
        assert_true(proto_head_read(text, size, &memory, &head));
        growing_arena_free(&memory);
    }
}
