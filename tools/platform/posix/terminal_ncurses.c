/* Implements tools/top/terminal.h with ncurses. */
#include "tools/top/terminal.h"

#include <curses.h>
#include <poll.h>
#include <stdlib.h>
#include <termcap.h>
#include <unistd.h>

static SCREEN *screen;

bool terminal_is_there(void)
{
    return isatty(STDIN_FILENO) && isatty(STDOUT_FILENO);
}

/*
 * Returns true if ncurses supports the terminal. newterm checks this too, but leaks memory if it
 * fails.
 */
static bool is_known(void)
{
    const char *name = getenv("TERM");
    return name != NULL && tgetent(NULL, name) == 1;
}

int terminal_open(struct error *error)
{
    screen = is_known() ? newterm(NULL, stdout, stdin) : NULL;
    if (screen == NULL) {
        error_set(error, EXIT_CODE_IO, "this terminal is not known (TERM); try --once");
        return -1;
    }
    cbreak();
    noecho();
    keypad(stdscr, TRUE);
    set_escdelay(50); /* milliseconds until an escape byte counts as the escape key */
    curs_set(0);
    return 0;
}

void terminal_close(void)
{
    endwin();
    delscreen(screen);
    screen = NULL;
}

void terminal_size(size_t *rows, size_t *columns)
{
    *rows = LINES > 0 ? (size_t)LINES : 1;
    *columns = COLS > 0 ? (size_t)COLS : 1;
}

static attr_t attributes(enum page_manner manner)
{
    switch (manner) {
    case PAGE_HEADING:
        return A_REVERSE;
    case PAGE_SELECTED:
        return A_REVERSE | A_BOLD;
    case PAGE_TROUBLE:
        return A_BOLD;
    case PAGE_PLAIN:
        break;
    }
    return A_NORMAL;
}

void terminal_show(const struct page *page)
{
    erase();
    for (size_t i = 0; i < page->rows && i < (size_t)LINES; i++) {
        attr_t attribute = attributes(page->lines[i].manner);
        attr_set(attribute, 0, NULL);
        mvaddnstr((int)i, 0, page->lines[i].text, COLS);
        if ((attribute & A_REVERSE) != 0) /* extends the heading to the full width */
            mvchgat((int)i, 0, -1, attribute, 0, NULL);
    }
    attr_set(A_NORMAL, 0, NULL);
    refresh();
}

/* Returns true if the terminal was closed. It then has no keys, and getch would not wait. */
static bool has_gone(void)
{
    struct pollfd keys = {.fd = STDIN_FILENO, .events = POLLIN};
    return poll(&keys, 1, 0) > 0 && (keys.revents & (POLLHUP | POLLERR | POLLNVAL)) != 0;
}

/* The keys and their actions, except the keys that end the program. */
static const struct {
    int pressed;
    enum view_key key;
} view_keys[] = {
    {KEY_UP, VIEW_UP},         {'k', VIEW_UP},
    {KEY_DOWN, VIEW_DOWN},     {'j', VIEW_DOWN},
    {KEY_PPAGE, VIEW_PAGE_UP}, {KEY_NPAGE, VIEW_PAGE_DOWN},
    {' ', VIEW_PAGE_DOWN},     {KEY_HOME, VIEW_HOME},
    {KEY_END, VIEW_END},       {'\t', VIEW_NEXT},
    {KEY_BTAB, VIEW_PREVIOUS}, {KEY_RIGHT, VIEW_NEXT},
    {KEY_LEFT, VIEW_PREVIOUS}, {'s', VIEW_SORT},
    {'r', VIEW_REVERSE},       {'z', VIEW_ZOOM},
    {'\r', VIEW_ZOOM},         {'\n', VIEW_ZOOM},
    {KEY_ENTER, VIEW_ZOOM},    {'?', VIEW_HELP},
    {'h', VIEW_HELP},          {27, VIEW_LEAVE},
};

enum terminal_key terminal_wait(int timeout_ms, enum view_key *key)
{
    if (has_gone())
        return TERMINAL_QUIT;
    timeout(timeout_ms);
    int pressed = getch();
    switch (pressed) {
    case 'q':
    case 'Q':
        return TERMINAL_QUIT;
    case KEY_RESIZE:
        clearok(stdscr, TRUE); /* the terminal's content is unknown after a resize */
        return TERMINAL_RESIZED;
    default:
        break;
    }
    for (size_t i = 0; i < sizeof view_keys / sizeof view_keys[0]; i++)
        if (view_keys[i].pressed == pressed) {
            *key = view_keys[i].key;
            return TERMINAL_VIEW;
        }
    return TERMINAL_NO_KEY;
}
