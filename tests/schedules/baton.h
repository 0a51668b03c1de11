/* How the turn goes from process to process, and what a process does that waits, begins or ends.

   Exactly one process of all runs at a time. Whoever would be kept waiting by the system asks instead, and waits
   here until something has happened. Where a process waits in a call that is not known here (or has died), those
   who wait for the turn find out by the clock, and take it: that is counted, since then it was not the order that
   chose. */

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "order.h"

enum { LOOK_AGAIN = 40 * 1000 * 1000, LOOKS = 4 };

static __thread struct place *me;
static __thread int mine; /* this thread takes turns */

static int here(void)
{
    return (int)(me - state->place);
}

static void guarded(void)
{
    int nobody = 0;
    while (!atomic_compare_exchange_weak(&state->guard, &nobody, 1)) {
        nobody = 0;
        sched_yield();
    }
}

static void unguarded(void)
{
    atomic_store(&state->guard, 0);
}

/* What /proc says of a process: R, S, D, Z, …; X: it is gone. */
static char condition(int pid)
{
    char name[64], content[512];
    if (!pid)
        return 'R'; /* it is just being made */
    snprintf(name, sizeof name, "/proc/%d/stat", pid);
    long fd = syscall(SYS_openat, AT_FDCWD, name, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return 'X';
    long size = syscall(SYS_read, fd, content, sizeof content - 1);
    syscall(SYS_close, fd);
    content[size > 0 ? size : 0] = 0;
    const char *end = strrchr(content, ')');
    return end && end[1] && end[2] ? end[2] : 'X';
}

static int is_dead(int pid)
{
    char is = condition(pid);
    return is == 'Z' || is == 'X';
}

/* Give the turn to `next`; under the guard. */
static void hand_to(int next)
{
    atomic_store(&state->holder, next);
    if (next >= 0) {
        atomic_fetch_add(&state->place[next].word, 1);
        syscall(SYS_futex, &state->place[next].word, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
    }
}

static void pass_on(void)
{
    int next;
    while ((next = next_one(here())) < 0 && me->standing == WAITING) {
        struct timespec moment = {0, 200 * 1000}; /* something outside of the order has to happen */
        unguarded();
        syscall(SYS_nanosleep, &moment, NULL);
        guarded();
    }
    if (next != here())
        hand_to(next);
}

/* The turn is with one that has died, or waits in a call that is not known here. */
static void rescue(int holder, char is)
{
    guarded();
    if (atomic_load(&state->holder) == holder) {
        state->robbed++;
        state->place[holder].standing = is == 'S' ? OUTSIDE : ENDED;
        stir(ANYTHING);
        hand_to(next_one(-1));
    }
    unguarded();
}

static void look_after(int *looks, uint32_t *steps, int *whom)
{
    int holder = atomic_load(&state->holder);
    if (holder < 0 || holder != *whom || state->steps != *steps) {
        *looks = 0;
        *whom = holder;
        *steps = state->steps;
        return;
    }
    char is = condition(state->place[holder].thread);
    if (is == 'Z' || is == 'X' || (is == 'S' && ++*looks >= LOOKS))
        rescue(holder, is);
}

/* Wait for the turn; who left last is to be gone, with all that he held, before anything goes on. */
static void await(void)
{
    int looks = 0, whom = -1, before = errno;
    uint32_t steps = 0;
    const struct timespec pause = {0, LOOK_AGAIN};
    while (atomic_load(&state->holder) != here()) {
        unsigned word = atomic_load(&me->word);
        if (atomic_load(&state->holder) == here())
            break;
        if (syscall(SYS_futex, &me->word, FUTEX_WAIT, word, &pause, NULL, 0) && errno == ETIMEDOUT)
            look_after(&looks, &steps, &whom);
    }
    while (state->leaving && !is_dead(state->leaving))
        sched_yield();
    state->leaving = 0;
    errno = before;
}

/* Whether the turn is here; if it was taken meanwhile, it is waited for. */
static int still_here(void)
{
    guarded();
    if (atomic_load(&state->holder) == here())
        return 1;
    me->standing = READY;
    if (atomic_load(&state->holder) < 0)
        hand_to(here());
    unguarded();
    await();
    return 0;
}

/* Before a step that others may see, or that sees what others do. */
static void turn(void)
{
    if (!still_here())
        return;
    count_step(here());
    pass_on();
    unguarded();
    await();
}

/* Wait for `on`, or for so many nanoseconds. */
static void block(uint64_t on, uint64_t nanoseconds)
{
    int before = errno;
    if (still_here()) {
        me->on = on;
        me->until = nanoseconds == NEVER ? NEVER : state->clock + nanoseconds;
        me->standing = WAITING;
        pass_on();
        unguarded();
        await();
    }
    errno = before;
}

static void happened(uint64_t what)
{
    if (!mine)
        return;
    guarded();
    stir(what);
    unguarded();
}

/* A place for one more process; -1: there are too many. */
static int place_for(int family)
{
    int at = 0;
    while (at < PLACES && state->place[at].standing != FREE &&
           !(state->place[at].standing == ENDED && state->place[at].pid != state->leaving))
        at++;
    if (at == PLACES)
        abort();
    struct place *place = &state->place[at];
    uint32_t serial = state->serials++;
    atomic_store(&place->pid, 0);
    place->thread = 0;
    place->family = family;
    place->serial = serial;
    place->standing = READY;
    place->random = state->random ^ (serial + 1) * 0x2545f4914f6cdd1du;
    return at;
}

static void take(int at)
{
    me = &state->place[at];
    mine = 1;
    me->thread = (int32_t)syscall(SYS_gettid);
    atomic_store(&me->pid, getpid());
}

/* A thread ends, or the process with all of its threads. */
static void end_of(int pid)
{
    for (int at = 0; at < PLACES; at++)
        if (state->place[at].standing != FREE && atomic_load(&state->place[at].pid) == pid)
            state->place[at].standing = ENDED;
}

static void leave(int process)
{
    if (!mine)
        return;
    while (!still_here())
        ;
    if (process) {
        state->leaving = getpid();
        end_of(getpid());
    }
    me->standing = ENDED;
    mine = 0;
    stir(ANYTHING);
    hand_to(next_one(-1));
    unguarded();
}

static int mapped(const char *path)
{
    long fd = path ? syscall(SYS_openat, AT_FDCWD, path, O_RDWR | O_CLOEXEC) : -1;
    if (fd < 0)
        return 0;
    void *page = mmap(NULL, sizeof *state, PROT_READ | PROT_WRITE, MAP_SHARED, (int)fd, 0);
    syscall(SYS_close, fd);
    state = page == MAP_FAILED ? NULL : page;
    return state != NULL;
}

/* A process that was started by a participant is known by its number. */
__attribute__((constructor)) static void attach(void)
{
    if (!mapped(getenv("SCHEDULE")))
        return;
    for (int at = 0; at < PLACES && !me; at++) {
        int standing = state->place[at].standing;
        if (standing != FREE && standing != ENDED && state->place[at].thread == getpid())
            me = &state->place[at];
    }
    mine = me != NULL;
    happened(ANYTHING); /* what was to be closed when it started is closed */
}

__attribute__((destructor)) static void detach(void)
{
    leave(1);
}

/* The first process of a family joins; all have to be there before the first step. */
int schedule_join(const char *path, int family);
int schedule_join(const char *path, int family)
{
    if (!mapped(path))
        return -1;
    guarded();
    take(family); /* places and serials of the first ones are their families, in whatever order they come */
    me->family = family;
    me->serial = (uint32_t)family;
    me->standing = READY;
    me->random = state->random ^ (uint64_t)(family + 1) * 0x2545f4914f6cdd1du;
    if (++state->joined == (int)state->families) {
        state->serials = state->families;
        hand_to(next_one(-1));
    }
    unguarded();
    await();
    return 0;
}
