/* Processes and threads: each that a participant starts is one, and waiting for one lets it have the turns. */

struct thread {
    void *(*start)(void *);
    void *given;
    int at;
};

static void *begun(void *given)
{
    struct thread thread = *(struct thread *)given;
    free(given);
    take(thread.at);
    await();
    void *result = thread.start(thread.given);
    leave(0);
    return result;
}

int pthread_create(pthread_t *into, const pthread_attr_t *how, void *(*start)(void *), void *given)
{
    REAL(int, pthread_create, (pthread_t *, const pthread_attr_t *, void *(*)(void *), void *));
    struct thread *thread = mine ? malloc(sizeof *thread) : NULL;
    if (!thread)
        return real(into, how, start, given);
    guarded();
    *thread = (struct thread){start, given, place_for(me->family)};
    unguarded();
    int at = thread->at, result = real(into, how, begun, thread);
    if (result) {
        state->place[at].standing = ENDED;
        free(thread);
        return result;
    }
    while (!state->place[at].thread) /* it has to be known before anything goes on */
        sched_yield();
    return result;
}

int pthread_join(pthread_t thread, void **result)
{
    REAL(int, pthread_join, (pthread_t, void **));
    int failed;
    while (mine && (failed = pthread_tryjoin_np(thread, result)) == EBUSY)
        block(ANYTHING, NEVER);
    return mine ? failed : real(thread, result);
}

static uint64_t address(const sem_t *semaphore)
{
    return (uint64_t)(uintptr_t)semaphore ^ (uint64_t)getpid() << 48;
}

int sem_post(sem_t *semaphore)
{
    REAL(int, sem_post, (sem_t *));
    int result = real(semaphore);
    if (mine)
        happened(address(semaphore));
    return result;
}

int sem_wait(sem_t *semaphore)
{
    REAL(int, sem_wait, (sem_t *));
    if (!mine)
        return real(semaphore);
    while (sem_trywait(semaphore))
        block(address(semaphore), NEVER);
    return 0;
}

static int wait_until(sem_t *semaphore, int64_t begin, const struct timespec *until)
{
    int64_t end = (until->tv_sec - begin) * (int64_t)SECOND + until->tv_nsec;
    while (sem_trywait(semaphore)) {
        int64_t left = end - (int64_t)state->clock;
        if (left <= 0) {
            errno = ETIMEDOUT;
            return -1;
        }
        block(address(semaphore), (uint64_t)left);
    }
    return 0;
}

int sem_clockwait(sem_t *semaphore, clockid_t which, const struct timespec *until)
{
    REAL(int, sem_clockwait, (sem_t *, clockid_t, const struct timespec *));
    return mine ? wait_until(semaphore, which == CLOCK_REALTIME ? EPOCH : STARTED, until)
                : real(semaphore, which, until);
}

int sem_timedwait(sem_t *semaphore, const struct timespec *until)
{
    REAL(int, sem_timedwait, (sem_t *, const struct timespec *));
    return mine ? wait_until(semaphore, EPOCH, until) : real(semaphore, until);
}

pid_t fork(void)
{
    REAL(pid_t, fork, (void));
    if (!mine)
        return real();
    guarded();
    int at = place_for(me->family);
    unguarded();
    pid_t pid = real();
    if (!pid) {
        take(at);
        await();
    } else if (pid > 0) {
        state->place[at].thread = pid;
        atomic_store(&state->place[at].pid, pid);
    } else
        state->place[at].standing = ENDED;
    return pid;
}

/* A child that shares its parent's memory could not take turns with it. */
pid_t vfork(void)
{
    return fork();
}

pid_t wait4(pid_t which, int *status, int how, struct rusage *usage)
{
    REAL(pid_t, wait4, (pid_t, int *, int, struct rusage *));
    if (!mine || how & WNOHANG)
        return real(which, status, how, usage);
    pid_t result;
    while (!(result = real(which, status, how | WNOHANG, usage)))
        block(ANYTHING, NEVER);
    return result;
}

pid_t waitpid(pid_t which, int *status, int how)
{
    return wait4(which, status, how, NULL);
}

pid_t wait(int *status)
{
    return wait4(-1, status, 0, NULL);
}

#define WRAP_EXIT(name)                  \
    void name(int status)                \
    {                                    \
        leave(1);                        \
        syscall(SYS_exit_group, status); \
        __builtin_unreachable();         \
    }

WRAP_EXIT(_exit)
WRAP_EXIT(_Exit)
