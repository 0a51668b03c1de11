/* The calls that change files: each waits for its turn, and leaves the order's time on what it wrote. */

#define ON_PATH(type, name, parameters, arguments, path, grows) \
    type name parameters                                        \
    {                                                           \
        REAL(type, name, parameters);                           \
        int is = on_path(#name, path);                          \
        type result = real arguments;                           \
        if (is)                                                 \
            told(result < 0);                                   \
        return result;                                          \
    }
#define ON_FILE(type, name, parameters, arguments, fd, grows) \
    type name parameters                                      \
    {                                                         \
        REAL(type, name, parameters);                         \
        int is = on_file(#name, fd);                          \
        type result = real arguments;                         \
        if (is) {                                             \
            told(result < 0);                                 \
            touch(fd);                                        \
        }                                                     \
        return result;                                        \
    }
#include "../preload/changes.h"

/* The names that the system's own call makes up are not the order's. */
char *mkdtemp(char *path)
{
    REAL(char *, mkdtemp, (char *));
    if (!on_path("mkdtemp", path))
        return real(path);
    char *end = path + strlen(path) - 6;
    do
        for (int at = 0; at < 6; at++)
            end[at] = (char)('a' + chance(&me->random) % 26);
    while (syscall(SYS_mkdir, path, 0700) && errno == EEXIST);
    int failed = syscall(SYS_faccessat, AT_FDCWD, path, F_OK) != 0;
    told(failed);
    return failed ? NULL : path;
}

/* A file of chance, as the order has it. */
static int chances(void)
{
    uint64_t bytes[64];
    for (int at = 0; at < 64; at++)
        bytes[at] = chance(&me->random);
    int fd = (int)syscall(SYS_memfd_create, "chance", 1u);
    if (fd >= 0 && (syscall(SYS_write, fd, bytes, sizeof bytes) < 0 || syscall(SYS_lseek, fd, 0L, SEEK_SET)))
        abort();
    return fd;
}

#define CHANGING(flags) ((flags) & (O_CREAT | O_TRUNC) || ((flags) & O_ACCMODE) != O_RDONLY)

#define WRAP_OPEN(name, parameters, arguments, folder)                     \
    int name parameters                                                    \
    {                                                                      \
        MODE_OF_OPEN(mode)                                                 \
        REAL(int, name, parameters);                                       \
        if (mine && !strcmp(path, "/dev/urandom"))                         \
            return chances();                                              \
        int is = (CHANGING(flags) || state_looks(1)) && on_path(#name, path); \
        int result = real arguments;                                       \
        if (is) {                                                          \
            told(result < 0);                                              \
            if (result >= 0 && flags & (O_CREAT | O_TRUNC))                \
                touch_new(result);                                         \
        }                                                                  \
        return result;                                                     \
    }

static int state_looks(unsigned least)
{
    return mine && state->looks >= least;
}

/* A file that was there and has something in it keeps its time. */
static void touch_new(int fd)
{
    struct stat status;
    int before = errno;
    if (!syscall(SYS_fstat, fd, &status) && S_ISREG(status.st_mode) && !status.st_size)
        touch(fd);
    errno = before;
}

EVERY_OPEN(WRAP_OPEN)

#define WRAP_FOPEN(name)                                         \
    FILE *name(const char *path, const char *mode)               \
    {                                                            \
        REAL(FILE *, name, (const char *, const char *));        \
        int writes = strpbrk(mode, "wa+") != NULL;               \
        int is = (writes || state_looks(1)) && on_path(#name, path); \
        FILE *stream = real(path, mode);                         \
        if (is) {                                                \
            told(!stream);                                       \
            if (stream && writes)                                \
                touch_new(fileno(stream));                       \
        }                                                        \
        return stream;                                           \
    }

WRAP_FOPEN(fopen)
WRAP_FOPEN(fopen64)

/* Times that are set to now are set to the order's now. */

static void its_now(const struct timespec given[2], struct timespec into[2])
{
    for (int at = 0; at < 2; at++)
        into[at] = !given || given[at].tv_nsec == UTIME_NOW ? now() : given[at];
}

int utimensat(int folder, const char *path, const struct timespec times[2], int how)
{
    REAL(int, utimensat, (int, const char *, const struct timespec[2], int));
    if (!on_path("utimensat", path))
        return real(folder, path, times, how);
    struct timespec given[2];
    its_now(times, given);
    int result = real(folder, path, given, how);
    told(result < 0);
    return result;
}

int futimens(int fd, const struct timespec times[2])
{
    REAL(int, futimens, (int, const struct timespec[2]));
    if (!on_file("futimens", fd))
        return real(fd, times);
    struct timespec given[2];
    its_now(times, given);
    int result = real(fd, given);
    told(result < 0);
    return result;
}

int utimes(const char *path, const struct timeval times[2])
{
    REAL(int, utimes, (const char *, const struct timeval[2]));
    if (!on_path("utimes", path))
        return real(path, times);
    int result = real(path, times);
    told(result < 0);
    if (!result && !times)
        touch_path(path);
    return result;
}

int utime(const char *path, const struct utimbuf *times)
{
    REAL(int, utime, (const char *, const struct utimbuf *));
    if (!on_path("utime", path))
        return real(path, times);
    int result = real(path, times);
    told(result < 0);
    if (!result && !times)
        touch_path(path);
    return result;
}
