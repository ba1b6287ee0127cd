/* Tests the tables that the bench prints, in the form of the documents. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tests/support/test.h"
#include "tools/bench/table.h"

TEST(a_table_is_markdown_with_aligned_columns)
{
    static const struct table_column columns[] = {{"what", -6, 0}, {"ns", 6, 1}, {"/ x", 4, 2}};
    char text[512] = "";
    FILE *out = tmpfile();
    assert_non_null(out);
    struct table table = table_begin(out, "Costs", columns, 3);
    table_row(&table, (struct table_cell[]){table_word("one"), table_number(1234.56),
                                            table_number((double)NAN)});
    table_row(&table, (struct table_cell[]){table_word("longer than it"), table_number(0),
                                            table_number(0.125)});
    rewind(out);
    text[fread(text, 1, sizeof text - 1, out)] = '\0';
    fclose(out);
    assert_string_equal(text, "\n"
                              "Costs\n"
                              "\n"
                              "| what   |     ns |  / x |\n"
                              "| ------ | -----: | ---: |\n"
                              "| one    | 1234.6 |    - |\n"
                              "| longer than it |    0.0 | 0.12 |\n");
}
