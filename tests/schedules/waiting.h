/* The calls that wait for others: for locks, and for what comes out of pipes. */

/* A file or pipe, by a number that no other one has: inodes are counted on each device. */
static uint64_t known(int fd, int only_pipes)
{
    struct stat status;
    int before = errno, is = mine && !syscall(SYS_fstat, fd, &status);
    errno = before;
    if (!is || (only_pipes && !S_ISFIFO(status.st_mode) && !S_ISSOCK(status.st_mode)))
        return 0;
    return (uint64_t)status.st_ino ^ (uint64_t)(status.st_dev + 1) * 0x9e3779b97f4a7c15u;
}

static uint64_t inode(int fd)
{
    return known(fd, 0);
}

static uint64_t pipe_of(int fd)
{
    return known(fd, 1);
}

/* Locks: who has to wait for one tries again. */

int flock(int fd, int what)
{
    REAL(int, flock, (int, int));
    if (!on_file("flock", fd))
        return real(fd, what);
    int result;
    while ((result = real(fd, what | LOCK_NB)) && errno == EWOULDBLOCK && !(what & LOCK_NB))
        block(inode(fd), NEVER);
    told(result < 0);
    if (what & LOCK_UN)
        happened(inode(fd));
    return result;
}

#define WRAP_FCNTL(name)                                                              \
    int name(int fd, int what, ...)                                                   \
    {                                                                                 \
        REAL(int, name, (int, int, ...));                                             \
        va_list rest;                                                                 \
        va_start(rest, what);                                                         \
        void *more = va_arg(rest, void *);                                            \
        va_end(rest);                                                                 \
        int locks = what == F_SETLK || what == F_SETLKW || (what == F_SETLEASE && (long)more != F_UNLCK); \
        if (!locks || !on_file(#name, fd))                                            \
            return real(fd, what, more);                                              \
        int result;                                                                   \
        while ((result = real(fd, what == F_SETLKW ? F_SETLK : what, more)) && what == F_SETLKW && \
               (errno == EAGAIN || errno == EACCES))                                  \
            block(NOTHING, SECOND / 1000);                                            \
        told(result < 0);                                                             \
        return result;                                                                \
    }

WRAP_FCNTL(fcntl)
WRAP_FCNTL(fcntl64)

/* Pipes: who would have to wait for one looks whether it is ready. */

static void wait_for(int fd, uint64_t pipe, short what)
{
    struct pollfd asked = {fd, what, 0};
    const struct timespec at_once = {0, 0};
    int before = errno;
    while (mine && !syscall(SYS_ppoll, &asked, 1, &at_once, NULL, 0))
        block(pipe, NEVER);
    errno = before;
}

ssize_t read(int fd, void *into, size_t size)
{
    REAL(ssize_t, read, (int, void *, size_t));
    uint64_t pipe = pipe_of(fd);
    if (pipe)
        wait_for(fd, pipe, POLLIN);
    ssize_t result = real(fd, into, size);
    if (pipe)
        happened(pipe);
    return result;
}

ssize_t write(int fd, const void *bytes, size_t size)
{
    REAL(ssize_t, write, (int, const void *, size_t));
    uint64_t pipe = pipe_of(fd);
    size_t done = 0;
    if (!pipe) {
        int is = on_file("write", fd);
        ssize_t result = real(fd, bytes, size);
        if (is) {
            told(result < 0);
            touch(fd);
        }
        return result;
    }
    do { /* no more than there is certainly room for */
        wait_for(fd, pipe, POLLOUT);
        ssize_t written = real(fd, (const char *)bytes + done, size - done > 4096 ? 4096 : size - done);
        if (written < 0)
            return done ? (ssize_t)done : written;
        done += (size_t)written;
        happened(pipe);
    } while (done < size);
    return (ssize_t)done;
}

int close(int fd)
{
    REAL(int, close, (int));
    uint64_t what = inode(fd);
    int result = real(fd);
    if (what)
        happened(what); /* a pipe has an end, or a lock is free */
    return result;
}

static void wait_for_stream(FILE *stream)
{
    uint64_t pipe = mine && stream->_IO_read_ptr >= stream->_IO_read_end ? pipe_of(fileno(stream)) : 0;
    if (pipe)
        wait_for(fileno(stream), pipe, POLLIN);
}

#define WRAP_READING(type, name, parameters, arguments, stream) \
    type name parameters                                        \
    {                                                           \
        REAL(type, name, parameters);                           \
        wait_for_stream(stream);                                \
        return real arguments;                                  \
    }

int __uflow(FILE *stream);
WRAP_READING(int, __uflow, (FILE *stream), (stream), stream)
WRAP_READING(int, getc, (FILE *stream), (stream), stream)
WRAP_READING(int, fgetc, (FILE *stream), (stream), stream)
WRAP_READING(char *, fgets, (char *into, int size, FILE *stream), (into, size, stream), stream)
WRAP_READING(size_t, fread, (void *into, size_t size, size_t count, FILE *stream), (into, size, count, stream), stream)
WRAP_READING(ssize_t, getdelim, (char **into, size_t *size, int end, FILE *stream), (into, size, end, stream), stream)

static int pending(FILE *stream)
{
    return mine && stream && __fwritable(stream) && __fpending(stream) && fileno(stream) >= 0;
}

int fflush(FILE *stream)
{
    REAL(int, fflush, (FILE *));
    int fd = pending(stream) ? fileno(stream) : -1;
    int is = fd >= 0 && on_file("fflush", fd);
    int result = real(stream);
    if (is) {
        told(result < 0);
        touch(fd);
    } else if (fd >= 0 && pipe_of(fd))
        happened(pipe_of(fd));
    return result;
}

int fclose(FILE *stream)
{
    REAL(int, fclose, (FILE *));
    uint64_t what = inode(fileno(stream));
    if (pending(stream))
        fflush(stream);
    int result = real(stream);
    if (what)
        happened(what);
    return result;
}
