/* The calls that see what others have changed. When an inode changed is not the order's time, and not to be seen. */

#define WRAP_STAT(name, parameters, arguments, path)           \
    int name parameters                                              \
    {                                                                \
        REAL(int, name, parameters);                                 \
        int is = state_looks(2) && on_path(#name, path);             \
        int result = real arguments;                                 \
        if (is)                                                      \
            told(result < 0);                                        \
        if (!result)                                                 \
            status->st_ctim = status->st_mtim;                       \
        return result;                                               \
    }

WRAP_STAT(stat, (const char *path, struct stat *status), (path, status), path)
WRAP_STAT(lstat, (const char *path, struct stat *status), (path, status), path)
WRAP_STAT(fstat, (int fd, struct stat *status), (fd, status), NULL)
WRAP_STAT(fstatat, (int folder, const char *path, struct stat *status, int how),
          (folder, path, status, how), path)
WRAP_STAT(stat64, (const char *path, struct stat64 *status), (path, status), path)
WRAP_STAT(lstat64, (const char *path, struct stat64 *status), (path, status), path)
WRAP_STAT(fstat64, (int fd, struct stat64 *status), (fd, status), NULL)
WRAP_STAT(fstatat64, (int folder, const char *path, struct stat64 *status, int how),
          (folder, path, status, how), path)

int access(const char *path, int how)
{
    REAL(int, access, (const char *, int));
    int is = state_looks(2) && on_path("access", path);
    int result = real(path, how);
    if (is)
        told(result < 0);
    return result;
}

DIR *opendir(const char *path)
{
    REAL(DIR *, opendir, (const char *));
    int is = state_looks(1) && on_path("opendir", path);
    DIR *result = real(path);
    if (is)
        told(!result);
    return result;
}
