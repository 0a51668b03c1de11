/* Time and chance, as the order has them. */

int poll(struct pollfd *asked, nfds_t count, int milliseconds)
{
    REAL(int, poll, (struct pollfd *, nfds_t, int));
    if (!mine || !milliseconds)
        return real(asked, count, milliseconds);
    uint64_t end = milliseconds < 0 ? NEVER : state->clock + (uint64_t)milliseconds * (SECOND / 1000);
    for (;;) {
        int result = count ? real(asked, count, 0) : 0;
        if (result || state->clock >= end)
            return result;
        block(count ? ANYTHING : NOTHING, end == NEVER ? NEVER : end - state->clock);
    }
}

int select(int count, fd_set *in, fd_set *out, fd_set *odd, struct timeval *time)
{
    REAL(int, select, (int, fd_set *, fd_set *, fd_set *, struct timeval *));
    if (!mine || count || !time)
        return real(count, in, out, odd, time);
    block(NOTHING, (uint64_t)time->tv_sec * SECOND + (uint64_t)time->tv_usec * 1000);
    return 0;
}

static void of_clock(clockid_t which, struct timespec *into)
{
    *into = now();
    if (which != CLOCK_REALTIME && which != CLOCK_REALTIME_COARSE)
        into->tv_sec += STARTED - EPOCH;
}

static int kept(clockid_t which)
{
    return which == CLOCK_REALTIME || which == CLOCK_REALTIME_COARSE || which == CLOCK_MONOTONIC ||
           which == CLOCK_MONOTONIC_COARSE || which == CLOCK_MONOTONIC_RAW || which == CLOCK_BOOTTIME;
}

int clock_gettime(clockid_t which, struct timespec *into)
{
    REAL(int, clock_gettime, (clockid_t, struct timespec *));
    if (!mine || !kept(which))
        return real(which, into);
    of_clock(which, into);
    return 0;
}

int gettimeofday(struct timeval *restrict into, void *restrict zone)
{
    REAL(int, gettimeofday, (struct timeval *, void *));
    if (!mine)
        return real(into, zone);
    struct timespec time;
    of_clock(CLOCK_REALTIME, &time);
    *into = (struct timeval){time.tv_sec, time.tv_nsec / 1000};
    return 0;
}

time_t time(time_t *into)
{
    REAL(time_t, time, (time_t *));
    time_t result = mine ? now().tv_sec : real(NULL);
    if (into)
        *into = result;
    return result;
}

int nanosleep(const struct timespec *time, struct timespec *left)
{
    REAL(int, nanosleep, (const struct timespec *, struct timespec *));
    if (!mine)
        return real(time, left);
    block(NOTHING, (uint64_t)time->tv_sec * SECOND + (uint64_t)time->tv_nsec);
    return 0;
}

int clock_nanosleep(clockid_t which, int how, const struct timespec *time, struct timespec *left)
{
    REAL(int, clock_nanosleep, (clockid_t, int, const struct timespec *, struct timespec *));
    if (!mine)
        return real(which, how, time, left);
    uint64_t until = (uint64_t)time->tv_sec * SECOND + (uint64_t)time->tv_nsec;
    uint64_t begin = (uint64_t)(which == CLOCK_REALTIME ? EPOCH : STARTED) * SECOND + state->clock;
    block(NOTHING, !(how & TIMER_ABSTIME) ? until : until > begin ? until - begin : 0);
    return 0;
}

int usleep(useconds_t time)
{
    return nanosleep(&(struct timespec){time / 1000000, (long)(time % 1000000) * 1000}, NULL);
}

unsigned sleep(unsigned seconds)
{
    nanosleep(&(struct timespec){seconds, 0}, NULL);
    return 0;
}

ssize_t getrandom(void *into, size_t size, unsigned how)
{
    REAL(ssize_t, getrandom, (void *, size_t, unsigned));
    if (!mine)
        return real(into, size, how);
    for (size_t at = 0; at < size; at++)
        ((unsigned char *)into)[at] = (unsigned char)(chance(&me->random) >> 24);
    return (ssize_t)size;
}

/* Git waits for locks for a time that hangs on this, and this on the number of its process. */
int rand(void)
{
    REAL(int, rand, (void));
    return mine ? (int)(chance(&me->random) >> 33) & RAND_MAX : real();
}
