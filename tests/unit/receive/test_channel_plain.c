#include "collector/platform/tcp.h"
#include "collector/receive/stream_channel.h"
#include "tests/support/platform/patience.h"
#include "tests/support/platform/tcp_client.h"
#include "tests/support/test.h"

static wait_handle listening, client;
static struct stream_channel channel;

static int set_up(void **state)
{
    (void)state;
    struct error error;
    struct address any, address, peer;
    assert_true(address_parse_host("127.0.0.1", 9, &any));
    listening = tcp_listener_open(&any, false, &address, &error);
    assert_true(listening != NO_HANDLE);
    client = tcp_client_connect(&address);
    channel = (struct stream_channel){.ops = &channel_plain};
    int64_t until = patience_until();
    while (tcp_connection_accept(listening, DESCRIPTOR_OF_SENDER, &channel.socket, &peer, &error) !=
           ACCEPT_OK)
        assert_true(patience(until));
    assert_true(channel.ops->begin(&channel, NULL, NULL));
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    channel.ops->close(&channel);
    tcp_connection_close(channel.socket);
    tcp_connection_close(client);
    tcp_listener_close(listening);
    return 0;
}

static enum tcp_result client_receives(char *byte)
{
    enum tcp_result result;
    size_t done;
    int64_t until = patience_until();
    while ((result = tcp_connection_receive(client, byte, 1, &done)) == TCP_WOULD_BLOCK)
        assert_true(patience(until));
    return result;
}

static enum channel_result receives(char *byte)
{
    enum channel_result result;
    size_t done;
    int64_t until = patience_until();
    while ((result = channel.ops->receive(&channel, byte, 1, &done)) == CHANNEL_WANTS_IN)
        assert_true(patience(until));
    return result;
}

TEST_WITH(the_peer_sees_the_end_after_all_data_and_may_continue_to_send, set_up, tear_down)
{
    (void)state;
    char byte = 0;
    size_t done;
    assert_int_equal(channel.ops->send(&channel, "a", 1, &done), CHANNEL_OK);
    channel.ops->finish(&channel);
    assert_int_equal(client_receives(&byte), TCP_OK);
    assert_int_equal(byte, 'a');
    assert_int_equal(client_receives(&byte), TCP_END);

    assert_int_equal(tcp_connection_send(client, "b", 1, &done), TCP_OK);
    assert_int_equal(receives(&byte), CHANNEL_OK);
    assert_int_equal(byte, 'b');
    tcp_connection_finish(client);
    assert_int_equal(receives(&byte), CHANNEL_END);
}

TEST_WITH(a_reset_breaks_it, set_up, tear_down)
{
    (void)state;
    char byte;
    tcp_client_reset(client);
    assert_int_equal(receives(&byte), CHANNEL_BROKEN);
    client = NO_HANDLE;
}
