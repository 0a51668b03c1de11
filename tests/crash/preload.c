/* Counts the calls by which a program changes files, and strikes at the n-th.

   Preloaded into a command and all its children, which share one counter through the file that CRASH_STATE
   names. What is buffered by stdio is counted where it is flushed. Calls on devices, pipes and sockets are
   not counted. The tests compile it; see strike.py. */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>
#include <utime.h>
#include <sys/time.h>

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

static void find(void *slot, const char *name)
{
    void *function = dlsym(RTLD_NEXT, name);
    memcpy(slot, &function, sizeof function);
}

#define WRAP(type, name, parameters, arguments, counted, grows) \
    type name parameters                                        \
    {                                                           \
        static type(*real) parameters;                          \
        if (!real)                                              \
            find(&real, #name);                                 \
        if ((counted) && strike(grows))                         \
            return -1;                                          \
        return real arguments;                                  \
    }

#define CHANGES(flags) ((flags) & (O_CREAT | O_TRUNC) || ((flags) & O_ACCMODE) != O_RDONLY)

#define WRAP_OPEN(name, parameters, arguments, folder)                                       \
    int name parameters                                                                      \
    {                                                                                        \
        static int(*real) parameters;                                                        \
        mode_t mode = 0;                                                                     \
        if (flags & (O_CREAT | O_TMPFILE)) {                                                 \
            va_list rest;                                                                    \
            va_start(rest, flags);                                                           \
            mode = va_arg(rest, mode_t);                                                     \
            va_end(rest);                                                                    \
        }                                                                                    \
        if (!real)                                                                           \
            find(&real, #name);                                                              \
        if (CHANGES(flags) && ours(path) && strike(flags & O_CREAT ? absent(folder, path) : ANY)) \
            return -1;                                                                       \
        return real arguments;                                                               \
    }

WRAP_OPEN(open, (const char *path, int flags, ...), (path, flags, mode), AT_FDCWD)
WRAP_OPEN(open64, (const char *path, int flags, ...), (path, flags, mode), AT_FDCWD)
WRAP_OPEN(openat, (int folder, const char *path, int flags, ...), (folder, path, flags, mode), folder)
WRAP_OPEN(openat64, (int folder, const char *path, int flags, ...), (folder, path, flags, mode), folder)
WRAP(int, creat, (const char *path, mode_t mode), (path, mode), ours(path), absent(AT_FDCWD, path))
WRAP(int, creat64, (const char *path, mode_t mode), (path, mode), ours(path), absent(AT_FDCWD, path))
WRAP(int, mkstemp, (char *path), (path), ours(path), GROWS)
WRAP(int, mkstemp64, (char *path), (path), ours(path), GROWS)
WRAP(int, mkostemp, (char *path, int flags), (path, flags), ours(path), GROWS)
WRAP(int, mkostemp64, (char *path, int flags), (path, flags), ours(path), GROWS)
WRAP(int, mkstemps, (char *path, int suffix), (path, suffix), ours(path), GROWS)
WRAP(int, mkstemps64, (char *path, int suffix), (path, suffix), ours(path), GROWS)

WRAP(ssize_t, write, (int fd, const void *bytes, size_t size), (fd, bytes, size), file(fd), GROWS)
WRAP(ssize_t, pwrite, (int fd, const void *bytes, size_t size, off_t at), (fd, bytes, size, at), file(fd), GROWS)
WRAP(ssize_t, pwrite64, (int fd, const void *bytes, size_t size, off64_t at), (fd, bytes, size, at), file(fd), GROWS)
WRAP(ssize_t, writev, (int fd, const struct iovec *parts, int count), (fd, parts, count), file(fd), GROWS)
WRAP(int, ftruncate, (int fd, off_t size), (fd, size), file(fd), ANY)
WRAP(int, ftruncate64, (int fd, off64_t size), (fd, size), file(fd), ANY)
WRAP(int, truncate, (const char *path, off_t size), (path, size), ours(path), ANY)
WRAP(int, truncate64, (const char *path, off64_t size), (path, size), ours(path), ANY)
WRAP(int, fsync, (int fd), (fd), file(fd), ANY)
WRAP(int, fdatasync, (int fd), (fd), file(fd), ANY)

WRAP(int, rename, (const char *old, const char *path), (old, path), ours(path), ANY)
WRAP(int, renameat, (int from, const char *old, int to, const char *path), (from, old, to, path), ours(path), ANY)
WRAP(int, renameat2, (int from, const char *old, int to, const char *path, unsigned how),
     (from, old, to, path, how), ours(path), ANY)
WRAP(int, link, (const char *old, const char *path), (old, path), ours(path), GROWS)
WRAP(int, linkat, (int from, const char *old, int to, const char *path, int how), (from, old, to, path, how),
     ours(path), GROWS)
WRAP(int, symlink, (const char *target, const char *path), (target, path), ours(path), GROWS)
WRAP(int, symlinkat, (const char *target, int folder, const char *path), (target, folder, path), ours(path), GROWS)
WRAP(int, unlink, (const char *path), (path), ours(path), ANY)
WRAP(int, unlinkat, (int folder, const char *path, int how), (folder, path, how), ours(path), ANY)
WRAP(int, remove, (const char *path), (path), ours(path), ANY)
WRAP(int, mkdir, (const char *path, mode_t mode), (path, mode), ours(path), absent(AT_FDCWD, path))
WRAP(int, mkdirat, (int folder, const char *path, mode_t mode), (folder, path, mode), ours(path), absent(folder, path))
WRAP(int, rmdir, (const char *path), (path), ours(path), ANY)

WRAP(int, chmod, (const char *path, mode_t mode), (path, mode), ours(path), ANY)
WRAP(int, fchmod, (int fd, mode_t mode), (fd, mode), file(fd), ANY)
WRAP(int, fchmodat, (int folder, const char *path, mode_t mode, int how), (folder, path, mode, how), ours(path), ANY)
WRAP(int, utime, (const char *path, const struct utimbuf *times), (path, times), ours(path), ANY)
WRAP(int, utimes, (const char *path, const struct timeval times[2]), (path, times), ours(path), ANY)
WRAP(int, futimens, (int fd, const struct timespec times[2]), (fd, times), file(fd), ANY)
WRAP(int, utimensat, (int folder, const char *path, const struct timespec times[2], int how),
     (folder, path, times, how), ours(path), ANY)

#define WRAP_FOPEN(name)                                                                        \
    FILE *name(const char *path, const char *mode)                                              \
    {                                                                                           \
        static FILE *(*real)(const char *, const char *);                                       \
        if (!real)                                                                              \
            find(&real, #name);                                                                 \
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
    static int (*real)(FILE *);
    if (!real)
        find(&real, "fflush");
    if (pending(stream) && strike(GROWS))
        return EOF;
    return real(stream);
}

int fclose(FILE *stream)
{
    static int (*real)(FILE *);
    if (!real)
        find(&real, "fclose");
    if (!pending(stream) || !strike(GROWS))
        return real(stream);
    int why = errno;
    __fpurge(stream);
    real(stream);
    errno = why;
    return EOF;
}
