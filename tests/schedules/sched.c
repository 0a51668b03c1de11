/* Lets the system calls by which processes see or change files wait for their turn.

   Preloaded into commands and all their children, which share the state in the file that SCHEDULE names. Only
   what lies below the folder of the order counts, and locks. For a participant, time is that of the order:
   clocks, sleeps and the times of files; so is chance. orders.py says what an order is, baton.h how the turn
   goes round. Known and left out: what stdio writes of itself when its buffer is full. */

#define _GNU_SOURCE
#include <dirent.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio_ext.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/select.h>
#include <sys/wait.h>

#include "../preload/real.h"
#include "baton.h"

static const uint64_t SECOND = 1000 * 1000 * 1000;
static const int64_t EPOCH = 2000000000, STARTED = 1000000; /* of the clocks of an order, in seconds */

/* What is seen of a call that waits for its turn. */

static __thread struct record *last;

/* The number of a process in a name is not the order's. */
static void without_number(char *path)
{
    static const char *before[] = {"next-index-", "tmp-", NULL};
    for (const char **each = before; *each; each++) {
        char *number = strstr(path, *each);
        number += number ? strlen(*each) : 0;
        if (number)
            memmove(number, number + strspn(number, "0123456789"), strlen(number + strspn(number, "0123456789")) + 1);
    }
}

static void note(const char *what, const char *name)
{
    char path[PATH_MAX + 1];
    snprintf(path, sizeof path, "%s", name);
    without_number(path);
    last = NULL;
    if (state->records >= RECORDS)
        return;
    last = &state->record[state->records++];
    memset(last, 0, sizeof *last);
    last->serial = me->serial;
    size_t length = strlen(path), from = length < sizeof last->path ? 0 : length - sizeof last->path + 1;
    snprintf(last->what, sizeof last->what, "%s", what);
    snprintf(last->path, sizeof last->path, "%s", path + from);
}

static void told(int failed)
{
    if (mine && last)
        last->result = failed ? errno : 0;
}

/* A path as it is told, from the folder of the order; NULL: it lies elsewhere. */
static const char *within(const char *path)
{
    size_t length = strlen(state->root);
    if (path[0] != '/')
        return path;
    return strncmp(path, state->root, length) ? NULL : path + length;
}

static int on_path(const char *what, const char *path)
{
    const char *name = mine && path ? within(path) : NULL;
    if (!name)
        return 0;
    turn();
    note(what, name);
    return 1;
}

/* The same for an open file; 1: it is one of the order's. */
static int on_file(const char *what, int fd)
{
    char link[64], path[PATH_MAX];
    if (!mine)
        return 0;
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    int before = errno;
    ssize_t length = syscall(SYS_readlink, link, path, sizeof path - 1);
    errno = before;
    path[length > 0 ? length : 0] = 0;
    const char *name = path[0] == '/' ? within(path) : NULL;
    if (!name)
        return 0;
    turn();
    note(what, name);
    return 1;
}

static struct timespec now(void)
{
    return (struct timespec){EPOCH + (int64_t)(state->clock / SECOND), (long)(state->clock % SECOND)};
}

/* A file that has been written has the order's time. */
static void touch(int fd)
{
    struct timespec times[] = {now(), now()};
    int before = errno;
    syscall(SYS_utimensat, fd, NULL, times, 0);
    errno = before;
}

static void touch_path(const char *path)
{
    struct timespec times[] = {now(), now()};
    int before = errno;
    syscall(SYS_utimensat, AT_FDCWD, path, times, AT_SYMLINK_NOFOLLOW);
    errno = before;
}

#include "changing.h"
#include "looking.h"
#include "waiting.h"
#include "clock.h"
#include "processes.h"
