/* The calls by which a program changes files, but for those of stdio and those that open one.

   Who includes this says before what is made of each: ON_PATH(type, name, parameters, arguments, path, grows)
   and ON_FILE(type, name, parameters, arguments, fd, grows), where `grows` is ANY, GROWS (it needs room on the
   disk) or NEW(folder, path) (it does where nothing is there yet). */

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>
#include <utime.h>

ON_PATH(int, creat, (const char *path, mode_t mode), (path, mode), path, NEW(AT_FDCWD, path))
ON_PATH(int, creat64, (const char *path, mode_t mode), (path, mode), path, NEW(AT_FDCWD, path))
ON_PATH(int, mkstemp, (char *path), (path), path, GROWS)
ON_PATH(int, mkstemp64, (char *path), (path), path, GROWS)
ON_PATH(int, mkostemp, (char *path, int flags), (path, flags), path, GROWS)
ON_PATH(int, mkostemp64, (char *path, int flags), (path, flags), path, GROWS)
ON_PATH(int, mkstemps, (char *path, int suffix), (path, suffix), path, GROWS)
ON_PATH(int, mkstemps64, (char *path, int suffix), (path, suffix), path, GROWS)

ON_FILE(ssize_t, pwrite, (int fd, const void *bytes, size_t size, off_t at), (fd, bytes, size, at), fd, GROWS)
ON_FILE(ssize_t, pwrite64, (int fd, const void *bytes, size_t size, off64_t at), (fd, bytes, size, at), fd, GROWS)
ON_FILE(ssize_t, writev, (int fd, const struct iovec *parts, int count), (fd, parts, count), fd, GROWS)
ON_FILE(int, ftruncate, (int fd, off_t size), (fd, size), fd, ANY)
ON_FILE(int, ftruncate64, (int fd, off64_t size), (fd, size), fd, ANY)
ON_PATH(int, truncate, (const char *path, off_t size), (path, size), path, ANY)
ON_PATH(int, truncate64, (const char *path, off64_t size), (path, size), path, ANY)

ON_PATH(int, rename, (const char *old, const char *path), (old, path), path, ANY)
ON_PATH(int, renameat, (int from, const char *old, int to, const char *path), (from, old, to, path), path, ANY)
ON_PATH(int, renameat2, (int from, const char *old, int to, const char *path, unsigned how),
        (from, old, to, path, how), path, ANY)
ON_PATH(int, link, (const char *old, const char *path), (old, path), path, GROWS)
ON_PATH(int, linkat, (int from, const char *old, int to, const char *path, int how), (from, old, to, path, how),
        path, GROWS)
ON_PATH(int, symlink, (const char *target, const char *path), (target, path), path, GROWS)
ON_PATH(int, symlinkat, (const char *target, int folder, const char *path), (target, folder, path), path, GROWS)
ON_PATH(int, unlink, (const char *path), (path), path, ANY)
ON_PATH(int, unlinkat, (int folder, const char *path, int how), (folder, path, how), path, ANY)
ON_PATH(int, remove, (const char *path), (path), path, ANY)
ON_PATH(int, mkdir, (const char *path, mode_t mode), (path, mode), path, NEW(AT_FDCWD, path))
ON_PATH(int, mkdirat, (int folder, const char *path, mode_t mode), (folder, path, mode), path, NEW(folder, path))
ON_PATH(int, rmdir, (const char *path), (path), path, ANY)

ON_PATH(int, chmod, (const char *path, mode_t mode), (path, mode), path, ANY)
ON_FILE(int, fchmod, (int fd, mode_t mode), (fd, mode), fd, ANY)
ON_PATH(int, fchmodat, (int folder, const char *path, mode_t mode, int how), (folder, path, mode, how), path, ANY)
