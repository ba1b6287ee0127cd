/* Tests the rules of collector/capture/capture_file.h: breaking one aborts the program. */
#include "collector/capture/capture_file.h"
#include "tests/support/capture/capture_builder.h"
#include "tests/support/platform/posix/aborting.h"
#include "tests/support/test.h"

static struct capture_builder file;

static void read_past_the_end(void)
{
    static struct capture_frame frame;
    struct capture_file *opened;
    struct error error;
    if (capture_file_open(capture_builder_save(&file), &opened, &error) != 0)
        return;
    while (capture_file_next(opened, &frame, &error) == CAPTURE_FILE_FRAME)
        continue;
    capture_file_next(opened, &frame, &error);
}

TEST(a_capture_is_read_until_its_end)
{
    static struct packet packet;
    packet_simple(&packet, 1, 100, 5555);
    capture_builder_pcap(&file, false, PCAP_MICROSECONDS, 1);
    assert_aborts(read_past_the_end);
    capture_builder_clear(&file);
}
