/* Writes down every change of the disk that a program makes, in the order in which it is made.

   Preloaded into a command and all its children, which append to the one file that POWER_LOG names, under a
   lock in the file that POWER_LOCK names. A change is made and written down before the next one begins. What
   stdio writes is written down where it is flushed, as what the file holds by then. Only what lies on the file
   system of POWER_LOG is written down. recording.py compiles it, and knows what is in a record. */

#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "../preload/real.h"

static _Atomic int *turn;
static const char *place;
static dev_t device;

__attribute__((constructor)) static void attach(void)
{
    struct stat status;
    const char *lock = getenv("POWER_LOCK");
    place = getenv("POWER_LOG");
    if (!lock || !place || stat(place, &status))
        return;
    device = status.st_dev;
    int fd = (int)syscall(SYS_openat, AT_FDCWD, lock, O_RDWR | O_CLOEXEC);
    void *page = mmap(NULL, sizeof *turn, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    syscall(SYS_close, fd);
    if (page != MAP_FAILED)
        turn = page;
}

static void begin(void)
{
    int nobody = 0;
    while (turn && !atomic_compare_exchange_weak(turn, &nobody, 1)) {
        nobody = 0;
        sched_yield();
    }
}

static void end(void)
{
    if (turn)
        atomic_store(turn, 0);
}

/* One record: what, which file, two numbers, two lengths; then what has these lengths. */
static void note(char what, ino_t file, long a, long b, const void *first, size_t size, const void *second, size_t more)
{
    if (!turn)
        return;
    int before = errno;
    char head[128];
    int length = snprintf(head, sizeof head, "%c %lu %ld %ld %zu %zu\n", what, (unsigned long)file, a, b, size, more);
    struct iovec parts[] = {{head, (size_t)length}, {(void *)first, size}, {(void *)second, more}};
    long fd = syscall(SYS_openat, AT_FDCWD, place, O_WRONLY | O_APPEND | O_CLOEXEC);
    if (syscall(SYS_writev, fd, parts, 3) != length + (long)size + (long)more)
        abort();
    syscall(SYS_close, fd);
    errno = before;
}

/* A path from the root. */
static void full(int folder, const char *path, char *into)
{
    int before = errno;
    ssize_t length = 0;
    char link[64];
    into[0] = 0;
    if (path[0] != '/') {
        if (folder == AT_FDCWD) {
            if (getcwd(into, PATH_MAX))
                length = (ssize_t)strlen(into);
        } else {
            snprintf(link, sizeof link, "/proc/self/fd/%d", folder);
            length = readlink(link, into, PATH_MAX - 1);
        }
        into[length < 0 ? 0 : length++] = '/';
    }
    snprintf(into + length, (size_t)(PATH_MAX - length), "%s", path);
    errno = before;
}

static int is_there(int folder, const char *path)
{
    struct stat status;
    int before = errno;
    int is = !fstatat(folder, path, &status, AT_SYMLINK_NOFOLLOW);
    errno = before;
    return is;
}

/* Write down a change of a name, if it lies on the file system. */
static void named(char what, int folder, const char *path)
{
    struct stat status;
    char one[PATH_MAX + 1];
    int before = errno;
    if (turn && !fstatat(folder, path, &status, AT_SYMLINK_NOFOLLOW) && status.st_dev == device) {
        full(folder, path, one);
        note(what, status.st_ino, (long)status.st_mode, 0, one, strlen(one), "", 0);
    }
    errno = before;
}

static void gone(char what, int folder, const char *path)
{
    char one[PATH_MAX + 1];
    full(folder, path, one);
    note(what, 0, 0, 0, one, strlen(one), "", 0);
}

static void both(char what, int from, const char *old, int to, const char *path, long how)
{
    if (!turn)
        return;
    char one[PATH_MAX + 1], two[PATH_MAX + 1];
    if (what == 'K')
        snprintf(one, sizeof one, "%s", old); /* what a link says, it says as it was given */
    else
        full(from, old, one);
    full(to, path, two);
    struct stat status = {0};
    int before = errno;
    fstatat(to, path, &status, AT_SYMLINK_NOFOLLOW);
    errno = before;
    note(what, status.st_ino, how, 0, one, strlen(one), two, strlen(two));
}

static int known(int fd, struct stat *status)
{
    int before = errno;
    int is = turn && !fstat(fd, status) && status->st_dev == device && (S_ISREG(status->st_mode) || S_ISDIR(status->st_mode));
    errno = before;
    return is;
}

static void simply(char what, int fd, long a)
{
    struct stat status;
    if (known(fd, &status))
        note(what, status.st_ino, a, 0, "", 0, "", 0);
}

/* Write down all that a file holds. */
static void whole(int fd)
{
    struct stat status;
    int before = errno;
    char link[64];
    if (known(fd, &status)) {
        char *content = malloc((size_t)status.st_size + 1);
        snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
        long again = syscall(SYS_openat, AT_FDCWD, link, O_RDONLY | O_CLOEXEC);
        long size = syscall(SYS_pread64, again, content, (size_t)status.st_size, 0L);
        syscall(SYS_close, again);
        note('W', status.st_ino, 0, 0, content, size < 0 ? 0 : (size_t)size, "", 0);
        free(content);
    }
    errno = before;
}

/* The call, and what is written down where it did not fail. */
#define WRAP(type, name, parameters, arguments, failed, noted) \
    type name parameters                                       \
    {                                                          \
        REAL(type, name, parameters);                          \
        begin();                                               \
        type result = real arguments;                          \
        if (result != failed)                                  \
            noted;                                             \
        end();                                                 \
        return result;                                         \
    }

static void opened(int fd, int folder, const char *path, int flags, int there)
{
    struct stat status;
    if (!known(fd, &status) || !S_ISREG(status.st_mode))
        return;
    if ((flags & O_TMPFILE) == O_TMPFILE)
        note('C', status.st_ino, (long)status.st_mode, 0, "", 0, "", 0);
    else if (flags & O_CREAT && !there)
        named('C', folder, path);
    else if (flags & O_TRUNC)
        note('T', status.st_ino, 0, 0, "", 0, "", 0);
}

#define WRAP_OPEN(name, parameters, arguments, folder)         \
    int name parameters                                        \
    {                                                          \
        MODE_OF_OPEN(mode)                                     \
        REAL(int, name, parameters);                           \
        if (!(flags & (O_CREAT | O_TRUNC | O_TMPFILE)))        \
            return real arguments;                             \
        begin();                                               \
        int there = is_there(folder, path);                    \
        int result = real arguments;                           \
        if (result >= 0)                                       \
            opened(result, folder, path, flags, there);        \
        end();                                                 \
        return result;                                         \
    }

EVERY_OPEN(WRAP_OPEN)

WRAP(int, mkstemp, (char *path), (path), -1, named('C', AT_FDCWD, path))
WRAP(int, mkstemp64, (char *path), (path), -1, named('C', AT_FDCWD, path))
WRAP(int, mkostemp, (char *path, int flags), (path, flags), -1, named('C', AT_FDCWD, path))
WRAP(int, mkostemp64, (char *path, int flags), (path, flags), -1, named('C', AT_FDCWD, path))

static void written(int fd, const void *bytes, ssize_t size, off_t at)
{
    struct stat status;
    if (size > 0 && known(fd, &status))
        note('w', status.st_ino, at < 0 ? lseek(fd, 0, SEEK_CUR) - size : at, 0, bytes, (size_t)size, "", 0);
}

WRAP(ssize_t, write, (int fd, const void *bytes, size_t size), (fd, bytes, size), -1, written(fd, bytes, result, -1))
WRAP(ssize_t, pwrite, (int fd, const void *bytes, size_t size, off_t at), (fd, bytes, size, at), -1,
     written(fd, bytes, result, at))
WRAP(ssize_t, pwrite64, (int fd, const void *bytes, size_t size, off64_t at), (fd, bytes, size, at), -1,
     written(fd, bytes, result, at))
WRAP(ssize_t, writev, (int fd, const struct iovec *parts, int count), (fd, parts, count), -1, whole(fd))
WRAP(ssize_t, pwritev, (int fd, const struct iovec *parts, int count, off_t at), (fd, parts, count, at), -1, whole(fd))
WRAP(ssize_t, sendfile, (int to, int from, off_t *at, size_t size), (to, from, at, size), -1, whole(to))
WRAP(ssize_t, sendfile64, (int to, int from, off64_t *at, size_t size), (to, from, at, size), -1, whole(to))
WRAP(ssize_t, copy_file_range, (int from, off64_t *a, int to, off64_t *b, size_t size, unsigned how),
     (from, a, to, b, size, how), -1, whole(to))
WRAP(int, ftruncate, (int fd, off_t size), (fd, size), -1, simply('T', fd, (long)size))
WRAP(int, ftruncate64, (int fd, off64_t size), (fd, size), -1, simply('T', fd, (long)size))
WRAP(int, posix_fallocate, (int fd, off_t at, off_t size), (fd, at, size), -1, whole(fd))
WRAP(int, posix_fallocate64, (int fd, off64_t at, off64_t size), (fd, at, size), -1, whole(fd))

WRAP(int, fsync, (int fd), (fd), -1, simply('S', fd, 0))
WRAP(int, fdatasync, (int fd), (fd), -1, simply('S', fd, 1))
WRAP(int, sync_file_range, (int fd, off64_t at, off64_t size, unsigned how), (fd, at, size, how), -1, simply('F', fd, 0))
WRAP(int, syncfs, (int fd), (fd), -1, note('A', 0, 0, 0, "", 0, "", 0))

WRAP(int, rename, (const char *old, const char *path), (old, path), -1, both('R', AT_FDCWD, old, AT_FDCWD, path, 0))
WRAP(int, renameat, (int from, const char *old, int to, const char *path), (from, old, to, path), -1,
     both('R', from, old, to, path, 0))
WRAP(int, renameat2, (int from, const char *old, int to, const char *path, unsigned how), (from, old, to, path, how), -1,
     both('R', from, old, to, path, (long)how))
WRAP(int, link, (const char *old, const char *path), (old, path), -1, both('L', AT_FDCWD, old, AT_FDCWD, path, 0))
WRAP(int, linkat, (int from, const char *old, int to, const char *path, int how), (from, old, to, path, how), -1,
     both('L', from, old, to, path, 0))
WRAP(int, symlink, (const char *target, const char *path), (target, path), -1,
     both('K', AT_FDCWD, target, AT_FDCWD, path, 0))
WRAP(int, symlinkat, (const char *target, int folder, const char *path), (target, folder, path), -1,
     both('K', folder, target, folder, path, 0))
WRAP(int, unlink, (const char *path), (path), -1, gone('U', AT_FDCWD, path))
WRAP(int, unlinkat, (int folder, const char *path, int how), (folder, path, how), -1, gone('U', folder, path))
WRAP(int, remove, (const char *path), (path), -1, gone('U', AT_FDCWD, path))
WRAP(int, rmdir, (const char *path), (path), -1, gone('U', AT_FDCWD, path))
WRAP(int, mkdir, (const char *path, mode_t mode), (path, mode), -1, named('D', AT_FDCWD, path))
WRAP(int, mkdirat, (int folder, const char *path, mode_t mode), (folder, path, mode), -1, named('D', folder, path))

WRAP(char *, mkdtemp, (char *path), (path), NULL, named('D', AT_FDCWD, path))

WRAP(int, chmod, (const char *path, mode_t mode), (path, mode), -1, named('M', AT_FDCWD, path))
WRAP(int, fchmod, (int fd, mode_t mode), (fd, mode), -1, simply('m', fd, (long)mode))
WRAP(int, fchmodat, (int folder, const char *path, mode_t mode, int how), (folder, path, mode, how), -1,
     named('M', folder, path))

static void rights(int fd)
{
    struct stat status;
    if (known(fd, &status))
        note('m', status.st_ino, (long)status.st_mode, 0, "", 0, "", 0);
}

WRAP(int, fsetxattr, (int fd, const char *name, const void *value, size_t size, int how), (fd, name, value, size, how), -1,
     rights(fd)) /* as access lists do */

/* Nobody is known to write through a mapping; if somebody does, it is to be seen. */
static void mapped(int protection, int flags, int fd)
{
    if (protection & PROT_WRITE && flags & MAP_SHARED)
        simply('P', fd, 0);
}

WRAP(void *, mmap, (void *at, size_t size, int protection, int flags, int fd, off_t from),
     (at, size, protection, flags, fd, from), MAP_FAILED, mapped(protection, flags, fd))
WRAP(void *, mmap64, (void *at, size_t size, int protection, int flags, int fd, off64_t from),
     (at, size, protection, flags, fd, from), MAP_FAILED, mapped(protection, flags, fd))

#define WRAP_FOPEN(name)                                                             \
    FILE *name(const char *path, const char *mode)                                   \
    {                                                                                \
        REAL(FILE *, name, (const char *, const char *));                            \
        if (!strpbrk(mode, "wa"))                                                    \
            return real(path, mode);                                                 \
        begin();                                                                     \
        int there = is_there(AT_FDCWD, path);                                        \
        FILE *stream = real(path, mode);                                             \
        if (stream)                                                                  \
            opened(fileno(stream), AT_FDCWD, path, O_CREAT | (*mode == 'w' ? O_TRUNC : 0), there); \
        end();                                                                       \
        return stream;                                                               \
    }

WRAP_FOPEN(fopen)
WRAP_FOPEN(fopen64)

int fflush(FILE *stream)
{
    REAL(int, fflush, (FILE *));
    if (!stream || !__fwritable(stream))
        return real(stream);
    begin();
    int result = real(stream);
    whole(fileno(stream));
    end();
    return result;
}

int fclose(FILE *stream)
{
    REAL(int, fclose, (FILE *));
    if (__fwritable(stream))
        fflush(stream);
    return real(stream);
}
