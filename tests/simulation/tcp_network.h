/*
 * Simulates TCP connections: the actions of clients, and the state of each connection on the
 * program's side. platform_tcp.c implements the program's own calls.
 */
#ifndef SLUICE_TESTS_SIMULATION_TCP_NETWORK_H
#define SLUICE_TESTS_SIMULATION_TCP_NETWORK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/base/address.h"
#include "collector/platform/wakeup.h"
#include "tests/simulation/frames.h"

/* The number of calls in a thousand that fail, for each kind of failure. */
struct tcp_faults {
    /* A receive or send returns would-block (ENOBUFS) although it would not block. */
    unsigned later;
    unsigned few;     /* a receive or send transfers fewer bytes than possible */
    unsigned accept;  /* an accept fails because descriptors are short (EMFILE) */
    unsigned watch;   /* the notifier has no memory for a connection */
    bool late_hangup; /* a hang-up is reported only after all data was read */
};
extern struct tcp_faults tcp_faults;

/*
 * Returns true if the program may close connections to the port: a stop or a reload was requested,
 * or the listener was removed.
 */
extern bool (*tcp_may_close)(uint16_t port);

#define TCP_WAITING_MOST 64
#define TCP_PORTS_MOST   4
#define TCP_BUFFER_MOST  16384
#define TCP_MARKS_MOST   1000
#define TCP_ANSWERS_MOST ((size_t)20 * TCP_MARKS_MOST)

/* The most connections in one life of the program, including those that were not accepted. */
#define TCP_CONNECTIONS_MOST 256

/* The state of the program's watch of a socket. */
struct tcp_watch {
    struct stream_notifier *by; /* NULL if the socket is not watched */
    void *token;
    unsigned armed; /* bits of enum notifier_interest; 0 if not armed */
    unsigned level; /* conditions that hold now */
};

/* A frame in the stream. It ends `end` bytes after the beginning of the stream. */
struct tcp_mark {
    uint64_t end;
    enum frame_kind kind;
    uint32_t number; /* number of the record, if it is one */
};

struct tcp_connection {
    struct tcp_port *port; /* the port it connected to */
    unsigned generation;   /* the port's generation at that time */
    struct address peer;
    struct tcp_watch watch;

    /* From the client to the program. */
    uint8_t bytes[TCP_BUFFER_MOST];
    size_t capacity, first, used;
    uint64_t read;
    struct tcp_mark marks[TCP_MARKS_MOST];
    size_t mark_count, marks_read;
    bool ended; /* the client sends no more data */
    bool reset;

    /* If each frame is answered: all answers so far, and the number of frames with an answer. */
    bool is_answered;
    enum framing_kind framing;
    uint8_t all_answers[TCP_ANSWERS_MOST];
    size_t all_used, all_seen;
    size_t marks_answered;

    /* From the program to the client. */
    bool reads_at_once; /* the client reads answers immediately */
    uint8_t answers[256];
    size_t answers_used;
    bool finished;      /* the program sends no more data */
    bool stops_reading; /* the client reads no more data */

    /* The actions of the program, and the events it was told of. */
    bool accepted, closed;
    bool was_watched, watch_failed;
    bool told_end, told_reset;     /* a receive reported the end or a reset */
    bool told_closed, told_broken; /* a send reported the end, or a reset */
    /* The program read a frame after which it must close the connection (frame_is_last). */
    bool was_ended;
    bool closed_in_doubt; /* closed while a stop or a reload was pending */
    int64_t unread_ns;    /* time since which unread data has been waiting */
    bool starved;         /* data had been unread for too long at the close */
    int64_t active_ns;    /* time of the last read, or of the connection */
    int64_t silent_ns;    /* time without a read before the close */
};

/*
 * Called for records whose frames are answered. tcp_waits_for_answer is called after
 * network_received, tcp_was_answered when the answer comes.
 */
extern void (*tcp_waits_for_answer)(uint32_t number);
extern void (*tcp_was_answered)(uint32_t number);

/* A port that the program may listen on. */
struct tcp_port {
    uint16_t number;
    bool listens;
    struct tcp_watch watch;
    unsigned generation; /* number of times that the program has begun to listen */
    struct tcp_connection *waiting[TCP_WAITING_MOST];
    size_t waiting_count;

    unsigned open, most_open;       /* accepted connections that are not closed yet; the maximum */
    unsigned watched, most_watched; /* those of them that the program watches; the maximum */
    uint64_t accept_failures;       /* accepts that failed because descriptors were short */
};

size_t tcp_connection_count(void);
struct tcp_connection *tcp_connection_at(size_t index);
struct tcp_port *tcp_port(uint16_t number);
struct tcp_port *tcp_port_at(size_t index); /* `index` is less than TCP_PORTS_MOST */

/* Find the sockets that belong to the program's handles. */
bool tcp_is_listener(wait_handle handle);
struct tcp_port *tcp_port_of(wait_handle handle);
struct tcp_connection *tcp_connection_of(wait_handle handle);

/*
 * Update the watch of a socket. tcp_note_level is called when the socket's conditions have changed,
 * tcp_forget_watch when the socket is closed.
 */
void tcp_note_level(struct tcp_watch *watch, unsigned level);
void tcp_forget_watch(struct tcp_watch *watch);

/* Called when the state of a socket has changed. */
void tcp_note_connection(struct tcp_connection *connection);
void tcp_note_port(struct tcp_port *port);

/* --- clients ---------------------------------------------------------------------------------- */

/* Returns NULL if the port is closed, or its backlog is full. */
struct tcp_connection *tcp_connect(uint16_t port, const struct address *from, size_t buffer);

/* Marks the stream up to `end`, which will be sent next, as a frame of this kind. */
void tcp_mark(struct tcp_connection *connection, uint64_t end, enum frame_kind kind,
              uint32_t number);

/* Sends the bytes that fit in the receiver's buffer. Returns their number. */
size_t tcp_send(struct tcp_connection *connection, const uint8_t *bytes, size_t size);

/*
 * Conditions for world_wait. `connection` is a struct tcp_connection.
 *
 * - tcp_takes_some: the connection accepts data, or was closed.
 * - tcp_is_closed: the program has closed the connection.
 * - tcp_has_answers: the program has sent data, or will not send more.
 */
bool tcp_takes_some(const void *connection);
bool tcp_is_closed(const void *connection);
bool tcp_has_answers(const void *connection);

size_t tcp_read_answers(struct tcp_connection *connection, uint8_t *bytes, size_t size);

/* Ends the client's data. If `stops_reading` is set, the client does not read any more either. */
void tcp_finish(struct tcp_connection *connection, bool stops_reading);

/* Resets the connection. If `loses` is set, data that the program has not read is lost. */
void tcp_break(struct tcp_connection *connection, bool loses);

#endif
