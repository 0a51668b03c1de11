/* Who goes next: the state that all participants share, and the three ways to choose.

   A participant is a thread of a process; all that descend from one command are a family. Whoever has the turn alone
   changes the state, but for one that finds the turn with a dead process; so there is a guard as well. What is
   chosen depends on nothing but what stands here. orders.py writes the beginning of it. */

#include <stdatomic.h>
#include <stdint.h>

enum { PLACES = 128, FAMILIES = 8, CHANGES = 8, ROOT = 256, RECORDS = 100000 };
enum { WALK, RANKS, DELAYS };                   /* how */
enum { FREE, READY, WAITING, OUTSIDE, ENDED };  /* standing */
enum { NOTHING = 0, ANYTHING = 1 };             /* what is waited for, if it is not a pipe, a lock or a semaphore */
static const uint64_t NEVER = UINT64_MAX;

struct place {
    _Atomic int pid;
    _Atomic unsigned word; /* changes when its process gets the turn */
    int32_t standing, family;
    uint32_t serial; /* of all participants, in the order in which they came */
    int32_t thread; /* its number; of the first of a process that of the process */
    uint64_t on, until; /* what it waits for, and when it goes on without that */
    uint64_t random;    /* of what its process takes for chance */
};

struct record {
    uint32_t serial;
    int32_t result;
    char what[12], path[60];
};

struct state {
    /* What orders.py writes: */
    uint64_t random, tick;
    uint32_t how, sticky, families, looks;
    int32_t rank[FAMILIES];
    uint32_t change[CHANGES];
    char root[ROOT];
    /* What came of it: */
    uint64_t clock;
    uint32_t steps, switches, robbed, serials, records, changed;
    _Atomic int holder, guard;
    int32_t front, lowest, leaving, tried, joined;
    uint32_t unused;
    struct place place[PLACES];
    struct record record[RECORDS];
};

static struct state *state;

static uint64_t chance(uint64_t *from)
{
    uint64_t mixed = *from += 0x9e3779b97f4a7c15u;
    mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9u;
    mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111ebu;
    return mixed ^ (mixed >> 31);
}

static int can(const struct place *place)
{
    return place->standing == READY || (place->standing == WAITING && place->until <= state->clock);
}

/* Of one family: whoever has the turn, else the youngest. */
static int of_family(int family, int current)
{
    int found = -1;
    for (int at = 0; at < PLACES; at++)
        if (state->place[at].family == family && can(&state->place[at])) {
            if (at == current)
                return at;
            if (found < 0 || state->place[at].serial > state->place[found].serial)
                found = at;
        }
    return found;
}

static int by_rank(int current)
{
    int found = -1, best = INT32_MIN;
    for (int family = 0; family < (int)state->families; family++) {
        int at = of_family(family, current);
        if (at >= 0 && state->rank[family] > best)
            found = at, best = state->rank[family];
    }
    return found;
}

/* Who is in front goes on until he waits; then, or when he is delayed, the next one is in front. */
static int in_front(int current)
{
    for (unsigned turn = 0; turn < state->families; turn++) {
        int at = of_family(state->rank[state->front], current);
        if (at >= 0)
            return at;
        state->front = (state->front + 1) % (int)state->families;
    }
    return -1;
}

static int anybody(int current)
{
    int found[PLACES], count = 0, is_current = 0;
    for (int at = 0; at < PLACES; at++)
        if (can(&state->place[at])) {
            found[count++] = at;
            is_current |= at == current;
        }
    if (!count)
        return -1;
    if (is_current && chance(&state->random) % 100 < state->sticky)
        return current;
    return found[chance(&state->random) % (unsigned)count];
}

static int chosen(int current)
{
    return state->how == RANKS ? by_rank(current) : state->how == DELAYS ? in_front(current) : anybody(current);
}

/* One more step of `current`: at some of them the order changes. */
static void count_step(int current)
{
    state->steps++;
    state->clock += state->tick;
    state->tried = 0;
    while (state->changed < CHANGES && state->change[state->changed] <= state->steps) {
        state->changed++;
        if (state->how == RANKS)
            state->rank[state->place[current].family] = --state->lowest;
        else
            state->front = (state->front + 1) % (int)state->families;
    }
}

/* Let those look again who wait for `what`; who only lets time pass waits for nothing. */
static void stir(uint64_t what)
{
    for (int at = 0; at < PLACES; at++) {
        struct place *place = &state->place[at];
        if (place->standing == WAITING && place->on != NOTHING &&
            (place->on == what || place->on == ANYTHING || what == ANYTHING))
            place->standing = READY;
    }
}

/* Where everybody waits: first all look again, then time passes; 0: then there is nobody to choose. */
static int pass_time(void)
{
    uint64_t first = NEVER;
    for (int at = 0; at < PLACES; at++)
        if (state->place[at].standing == WAITING && state->place[at].until < first)
            first = state->place[at].until;
    if (!state->tried) {
        state->tried = 1;
        stir(ANYTHING);
        return 1;
    }
    if (first != NEVER)
        state->clock = first;
    state->tried = 0;
    return first != NEVER;
}

static int next_one(int current)
{
    int found = chosen(current);
    while (found < 0 && pass_time())
        found = chosen(current);
    if (found >= 0) {
        state->place[found].standing = READY;
        state->switches += found != current;
    }
    return found;
}
