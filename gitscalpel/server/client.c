/* The command line's client, compiled: it hands a call to the server, or the call to Python.
 *
 * An interpreter that does nothing takes longer to start than most calls take. What stands here is client.py
 * and address.py beside it; tests/server holds both to the same answers. Whatever is unusual
 * is left to Python: the program beside this one, whose name ends with "-unserved".
 */

#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

enum { PATIENCE = 15000, FILES = 4, HEAD = 8, LINE = 64, PROOF = 250 };
#define UNSERVED "-unserved"

extern char **environ;
static const char *const HERE[] = {"serve", "run", "demo", "mcp", "review", NULL};
static const char *const OPEN_FILES[] = {"/dev/fd/", "/proc/self/", NULL};
static const char *const STARTS[] = {"PYTHON", "LC_", "MALLOC_", "LANG", "GLIBC_", NULL};
static const char *const LOADS[] = {"LD_", "DYLD_", "GITSCALPEL_", NULL};
static volatile pid_t child;

/* Text that grows; bytes, zeros among them. */
struct text {
    char *bytes;
    size_t size, room;
};

static void add(struct text *text, const char *bytes, size_t size) {
    if (text->size + size > text->room) {
        text->room = 2 * (text->size + size) + 4096;
        text->bytes = realloc(text->bytes, text->room);
        if (text->bytes == NULL)
            abort();
    }
    memcpy(text->bytes + text->size, bytes, size);
    text->size += size;
}

static void add_part(struct text *text, const char *word) {
    if (text->size > 0)
        add(text, "", 1);
    add(text, word, strlen(word));
}

static int begins_with_one_of(const char *word, const char *const *beginnings) {
    for (; *beginnings != NULL; beginnings++)
        if (strncmp(word, *beginnings, strlen(*beginnings)) == 0)
            return 1;
    return 0;
}

/* Whether this call may be served: see __main__.py and address.wanted. */
static int may_be_served(int count, char **words) {
    const char *off = getenv("SCALPEL_SERVER"), *ci = getenv("CI");
    if (count < 2 || (off != NULL && strcmp(off, "off") == 0) || (ci != NULL && *ci != '\0'))
        return 0;
    for (const char *const *here = HERE; *here != NULL; here++)
        if (strcmp(words[1], *here) == 0)
            return 0;
    for (int each = 1; each < count; each++)
        for (const char *const *name = OPEN_FILES; *name != NULL; name++)
            if (strstr(words[each], *name) != NULL)
                return 0;
    for (char **variable = environ; *variable != NULL; variable++)
        if (begins_with_one_of(*variable, LOADS))
            return 0;
    return 1;
}

static int in_order(const void *one, const void *other) {
    return strcmp(*(char *const *)one, *(char *const *)other);
}

/* See address.kind: this program, and the variables that an interpreter reads at its start. */
static void kind(struct text *kind, const char *program) {
    size_t count = 0, all = 0;
    while (environ[all] != NULL)
        all++;
    char **starts = malloc((all + 1) * sizeof *starts);
    if (starts == NULL)
        abort();
    for (size_t each = 0; each < all; each++)
        if (begins_with_one_of(environ[each], STARTS))
            starts[count++] = environ[each];
    qsort(starts, count, sizeof *starts, in_order);
    add(kind, program, strlen(program));
    for (size_t each = 0; each < count; each++) {
        add(kind, "\n", 1);
        add(kind, starts[each], strlen(starts[each]));
    }
    free(starts);
}

/* The checksum of zlib, see RFC 1952, section 8. */
static uint32_t crc32(const char *bytes, size_t size) {
    uint32_t sum = 0xffffffff;
    while (size-- > 0) {
        sum ^= (unsigned char)*bytes++;
        for (int bit = 0; bit < 8; bit++)
            sum = sum >> 1 ^ (sum & 1 ? 0xedb88320 : 0);
    }
    return ~sum;
}

/* A connection to the server of this kind, whose folder only this user can enter; -1: there is none. */
static int connected(const struct text *kind) {
    const char *own = getenv("XDG_RUNTIME_DIR");
    char folder[80];
    struct sockaddr_un place = {.sun_family = AF_UNIX};
    struct stat found;
    if (own != NULL && *own == '/') {
        if (strlen(own) + sizeof "/git-scalpel/01234567" > sizeof place.sun_path)
            return -1;
        snprintf(folder, sizeof folder, "/git-scalpel");
    } else {
        own = "";
        snprintf(folder, sizeof folder, "/tmp/git-scalpel-%u", (unsigned)getuid());
    }
    snprintf(place.sun_path, sizeof place.sun_path, "%s%s", own, folder);
    if (lstat(place.sun_path, &found) != 0 || (found.st_mode & 0170077) != 0040000 || found.st_uid != getuid())
        return -1;
    snprintf(place.sun_path, sizeof place.sun_path, "%s%s/%08x", own, folder, crc32(kind->bytes, kind->size));
    int line = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (line >= 0 && connect(line, (struct sockaddr *)&place, sizeof place) == 0)
        return line;
    if (line >= 0)
        close(line);
    return -1;
}

static int all_sent(int line, const char *bytes, size_t size) {
    while (size > 0) {
        ssize_t sent = send(line, bytes, size, MSG_NOSIGNAL);
        if (sent < 0)
            return 0;
        bytes += sent;
        size -= (size_t)sent;
    }
    return 1;
}

/* Hand over the streams and the folder, and in words all else that a call is. */
static int asked(int line, const struct text *kind, int count, char **words) {
    char number[16], head[HEAD + 1];
    struct text text = {0};
    struct ucred server;
    socklen_t known = sizeof server;
    char file[64], proof[128];
    ssize_t read = -1;
    if (getsockopt(line, SOL_SOCKET, SO_PEERCRED, &server, &known) == 0) {
        snprintf(file, sizeof file, "/proc/%d/fd/%d", (int)server.pid, PROOF);
        read = readlink(file, proof, sizeof proof - 1);
    }
    proof[read < 0 ? 0 : read] = '\0';
    mode_t mask = umask(077);
    umask(mask);
    add(&text, kind->bytes, kind->size);
    add_part(&text, proof); /* see address.PROOF */
    snprintf(number, sizeof number, "%u", (unsigned)mask);
    add_part(&text, number);
    snprintf(number, sizeof number, "%d", count - 1);
    add_part(&text, number);
    for (int each = 1; each < count; each++)
        add_part(&text, words[each]);
    for (char **variable = environ; *variable != NULL; variable++)
        add_part(&text, *variable);
    if (text.size > 99999999 || fcntl(0, F_GETFD) < 0 || fcntl(1, F_GETFD) < 0 || fcntl(2, F_GETFD) < 0)
        return 0;
    int files[FILES] = {0, 1, 2, open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
    if (files[3] < 0)
        return 0;
    union {
        struct cmsghdr header;
        char room[CMSG_SPACE(sizeof files)];
    } rights = {.header = {CMSG_LEN(sizeof files), SOL_SOCKET, SCM_RIGHTS}};
    memcpy(CMSG_DATA(&rights.header), files, sizeof files);
    snprintf(head, sizeof head, "%8zu", text.size);
    struct iovec piece = {head, HEAD};
    struct msghdr message = {.msg_iov = &piece, .msg_iovlen = 1, .msg_control = &rights, .msg_controllen = sizeof rights};
    int done = sendmsg(line, &message, MSG_NOSIGNAL) == HEAD && all_sent(line, text.bytes, text.size);
    close(files[3]);
    free(text.bytes);
    return done;
}

/* A line with a number; 0: none has come. */
static int heard(int line, int patience, long *number) {
    char said[LINE], *end;
    struct pollfd waiting = {line, POLLIN, 0};
    if (patience >= 0 && poll(&waiting, 1, patience) != 1)
        return 0;
    ssize_t size;
    do
        size = recv(line, said, sizeof said - 1, 0);
    while (size < 0 && errno == EINTR);
    if (size <= 0)
        return 0;
    said[size] = '\0';
    *number = strtol(said, &end, 10);
    return end != said;
}

static void tell_group(int number) { killpg(child, number); }

static void tell(int number) { kill(child, number); }

static void pause_with(int number) {
    (void)number;
    killpg(child, SIGSTOP);
    raise(SIGSTOP);
    killpg(child, SIGCONT);
}

static void heed(int number, void (*handler)(int)) {
    struct sigaction before, after = {.sa_handler = handler, .sa_flags = SA_RESTART};
    if (sigaction(number, NULL, &before) == 0 && before.sa_handler != SIG_IGN) /* nohup ignores it */
        sigaction(number, &after, NULL);
}

/* What this process is told, the child is told, as if the terminal had the child in front. */
static void pass_signals_on(void) {
    static const int whole[] = {SIGINT, SIGQUIT, SIGWINCH}, alone[] = {SIGTERM, SIGHUP, SIGUSR1, SIGUSR2};
    for (size_t each = 0; each < sizeof whole / sizeof *whole; each++)
        heed(whole[each], tell_group);
    for (size_t each = 0; each < sizeof alone / sizeof *alone; each++)
        heed(alone[each], tell);
    heed(SIGTSTP, pause_with);
}

/* End as the command has ended; a negative number is a signal. */
static void end(long status) {
    if (status < 0) {
        signal((int)-status, SIG_DFL);
        kill(getpid(), (int)-status);
    }
    _exit((int)(status & 0xff));
}

/* Have a server do it; returns where nobody has begun with it. */
static void serve(int count, char **words, const char *program) {
    struct text text = {0};
    long number;
    kind(&text, program);
    int line = connected(&text);
    if (line < 0)
        return;
    if (!asked(line, &text, count, words) || !heard(line, PATIENCE, &number)) {
        close(line);
        return;
    }
    child = (pid_t)number;
    pass_signals_on();
    send(line, "!", 1, MSG_NOSIGNAL);
    if (!heard(line, -1, &number)) {
        static const char lost[] =
            "error: the server and the command were killed; git scalpel log shows what has landed\n";
        if (write(2, lost, sizeof lost - 1) < 0)
            _exit(74);
        _exit(74);
    }
    send(line, ".", 1, MSG_NOSIGNAL);
    end(number);
}

int main(int count, char **words) {
    char program[4096 + sizeof UNSERVED];
    ssize_t size = readlink("/proc/self/exe", program, 4096);
    if (size <= 0) {
        perror("git-scalpel: /proc/self/exe");
        return 78;
    }
    program[size] = '\0';
    if (may_be_served(count, words))
        serve(count, words, program);
    strcat(program, UNSERVED);
    execv(program, words);
    fprintf(stderr, "error: config_error: %s: %s\nhint: install gitscalpel again\n", program, strerror(errno));
    return 78;
}
