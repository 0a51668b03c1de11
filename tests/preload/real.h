/* What every library that is preloaded needs: the function that it stands in front of. */

#include <dlfcn.h>
#include <stdarg.h>
#include <string.h>

static void find(void *slot, const char *name)
{
    void *function = dlsym(RTLD_NEXT, name);
    memcpy(slot, &function, sizeof function);
}

#define REAL(type, name, parameters) \
    static type(*real) parameters;   \
    if (!real)                       \
        find(&real, #name)

/* The third argument of an open, which is there where a file may be made. */
#define MODE_OF_OPEN(mode)                 \
    mode_t mode = 0;                       \
    if (flags & (O_CREAT | O_TMPFILE)) {   \
        va_list rest;                      \
        va_start(rest, flags);             \
        mode = va_arg(rest, mode_t);       \
        va_end(rest);                      \
    }

/* Each is given its name, parameters, arguments, and from where its path leads. */
#define EVERY_OPEN(WRAP_OPEN)                                                                         \
    WRAP_OPEN(open, (const char *path, int flags, ...), (path, flags, mode), AT_FDCWD)                \
    WRAP_OPEN(open64, (const char *path, int flags, ...), (path, flags, mode), AT_FDCWD)              \
    WRAP_OPEN(openat, (int folder, const char *path, int flags, ...), (folder, path, flags, mode), folder) \
    WRAP_OPEN(openat64, (int folder, const char *path, int flags, ...), (folder, path, flags, mode), folder)
