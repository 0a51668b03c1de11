/* Counts the calls by which a program changes files, and strikes at the n-th.

   Preloaded into a command and all its children, which share one counter through the file that CRASH_STATE
   names. What is buffered by stdio is counted where it is flushed. Calls on devices, pipes and sockets are
   not counted. The tests compile it; see strike.py. */

#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>
#include <utime.h>
#include <sys/time.h>

#include "../preload/real.h"

enum { COUNT, GROUP, PARENT, ENOSPC_ONCE, EIO_ONCE, DISK_FULL };
enum { ANY, GROWS };

struct state {
    _Atomic unsigned count;
    unsigned at;    /* where to strike */
    unsigned kind;  /* how */
    _Atomic int top; /* the command's process, the first to come; it leads its group */
    _Atomic unsigned struck;
};

static struct state *state;

__attribute__((constructor)) static void attach(void)
{
    const char *path = getenv("CRASH_STATE");
    long fd = path ? syscall(SYS_openat, AT_FDCWD, path, O_RDWR | O_CLOEXEC) : -1;
    if (fd < 0)
        return;
    void *page = mmap(NULL, sizeof *state, PROT_READ | PROT_WRITE, MAP_SHARED, (int)fd, 0);
    syscall(SYS_close, fd);
    if (page == MAP_FAILED)
        return;
    state = page;
    int nobody = 0;
    atomic_compare_exchange_strong(&state->top, &nobody, getpid());
}

static int strike(int grows)
{
    unsigned now = atomic_fetch_add(&state->count, 1) + 1;
    if (now < state->at || (now > state->at && state->kind != DISK_FULL))
        return 0;
    switch (state->kind) {
    case GROUP:
        atomic_store(&state->struck, now);
        kill(-state->top, SIGKILL);
        kill(getpid(), SIGKILL);
        return 0;
    case PARENT:
        atomic_store(&state->struck, now);
        kill(state->top, SIGKILL);
        return 0;
    case EIO_ONCE:
        atomic_store(&state->struck, now);
        errno = EIO;
        return 1;
    case ENOSPC_ONCE:
    case DISK_FULL:
        if (!grows)
            return 0;
        atomic_store(&state->struck, now);
        errno = ENOSPC;
        return 1;
    default:
        return 0;
    }
}

static int ours(const char *path)
{
    int device = !strncmp(path, "/dev/", 5) && strncmp(path, "/dev/shm/", 9);
    return state && state->at && !device && strncmp(path, "/proc/", 6);
}

static int file(int fd)
{
    struct stat status;
    int before = errno;
    int is = state && state->at && fd > 2 && !fstat(fd, &status) && (S_ISREG(status.st_mode) || S_ISDIR(status.st_mode));
    errno = before;
    return is;
}

static int absent(int folder, const char *path)
{
    struct stat status;
    int before = errno;
    int is = fstatat(folder, path, &status, AT_SYMLINK_NOFOLLOW) != 0;
    errno = before;
    return is ? GROWS : ANY;
}

#define WRAP(type, name, parameters, arguments, counted, grows) \
    type name parameters                                        \
    {                                                           \
        REAL(type, name, parameters);                           \
        if ((counted) && strike(grows))                         \
            return -1;                                          \
        return real arguments;                                  \
    }

#define CHANGES(flags) ((flags) & (O_CREAT | O_TRUNC) || ((flags) & O_ACCMODE) != O_RDONLY)

#define WRAP_OPEN(name, parameters, arguments, folder)                                       \
    int name parameters                                                                      \
    {                                                                                        \
        MODE_OF_OPEN(mode)                                                                   \
        REAL(int, name, parameters);                                                         \
        if (CHANGES(flags) && ours(path) && strike(flags & O_CREAT ? absent(folder, path) : ANY)) \
            return -1;                                                                       \
        return real arguments;                                                               \
    }

EVERY_OPEN(WRAP_OPEN)

#define ON_PATH(type, name, parameters, arguments, path, grows) WRAP(type, name, parameters, arguments, ours(path), grows)
#define ON_FILE(type, name, parameters, arguments, fd, grows) WRAP(type, name, parameters, arguments, file(fd), grows)
#define NEW(folder, path) absent(folder, path)
#include "../preload/changes.h"

WRAP(ssize_t, write, (int fd, const void *bytes, size_t size), (fd, bytes, size), file(fd), GROWS)
WRAP(int, fsync, (int fd), (fd), file(fd), ANY)
WRAP(int, fdatasync, (int fd), (fd), file(fd), ANY)
WRAP(int, utime, (const char *path, const struct utimbuf *times), (path, times), ours(path), ANY)
WRAP(int, utimes, (const char *path, const struct timeval times[2]), (path, times), ours(path), ANY)
WRAP(int, futimens, (int fd, const struct timespec times[2]), (fd, times), file(fd), ANY)
WRAP(int, utimensat, (int folder, const char *path, const struct timespec times[2], int how),
     (folder, path, times, how), ours(path), ANY)

#define WRAP_FOPEN(name)                                                                        \
    FILE *name(const char *path, const char *mode)                                              \
    {                                                                                           \
        REAL(FILE *, name, (const char *, const char *));                                       \
        if (strpbrk(mode, "wa+") && ours(path) && strike(absent(AT_FDCWD, path)))               \
            return NULL;                                                                        \
        return real(path, mode);                                                                \
    }

WRAP_FOPEN(fopen)
WRAP_FOPEN(fopen64)

static int pending(FILE *stream)
{
    return stream && __fwritable(stream) && __fpending(stream) && file(fileno(stream));
}

int fflush(FILE *stream)
{
    REAL(int, fflush, (FILE *));
    if (pending(stream) && strike(GROWS))
        return EOF;
    return real(stream);
}

int fclose(FILE *stream)
{
    REAL(int, fclose, (FILE *));
    if (!pending(stream) || !strike(GROWS))
        return real(stream);
    int why = errno;
    __fpurge(stream);
    real(stream);
    errno = why;
    return EOF;
}
