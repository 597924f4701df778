/* What a server meets on a bad day, put before its calls by LD_PRELOAD: a clock that jumps, a file system that
   turns read-only, and a disk that keeps only what was synced. FAULT_ROOT is the folder of the campaign,
   FAULT_DISK the folder that stands for the disk: what is synced is copied there, and nothing else.
   FAULT_CONTROL is a file of two longs: seconds to add to the clock, and whether nothing can be written. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#define FILES 4096
static volatile long *control;
static const char *root, *disk;
static off_t first[FILES], last[FILES];

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

__attribute__((constructor)) static void begin(void) {
    const char *path = getenv("FAULT_CONTROL");
    int fd = path ? REAL(open)(path, O_RDWR) : -1;
    root = getenv("FAULT_ROOT");
    disk = getenv("FAULT_DISK");
    if (fd >= 0) control = mmap(0, 2 * sizeof(long), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    for (int k = 0; k < FILES; k++) first[k] = -1;
}

static int path_of(int fd, char *path) {
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t size = readlink(link, path, PATH_MAX - 1);
    if (size < 0) return 0;
    path[size] = 0;
    return root && !strncmp(path, root, strlen(root));
}

static int refused(int fd) {
    char path[PATH_MAX];
    return control && control[1] && path_of(fd, path);
}

int clock_gettime(clockid_t which, struct timespec *now) {
    int done = REAL(clock_gettime)(which, now);
    if (which == CLOCK_REALTIME && control) now->tv_sec += control[0];
    return done;
}

time_t time(time_t *out) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (out) *out = now.tv_sec;
    return now.tv_sec;
}

static void written(int fd, off_t at, ssize_t size) {
    if (fd < 0 || fd >= FILES || size <= 0) return;
    if (first[fd] < 0 || at < first[fd]) first[fd] = at;
    if (first[fd] == at || at + size > last[fd]) last[fd] = at + size > last[fd] ? at + size : last[fd];
}

ssize_t pwrite64(int fd, const void *data, size_t size, off_t at) {
    if (refused(fd)) { errno = EROFS; return -1; }
    ssize_t done = REAL(pwrite64)(fd, data, size, at);
    written(fd, at, done);
    return done;
}

ssize_t pwrite(int fd, const void *data, size_t size, off_t at) { return pwrite64(fd, data, size, at); }

static int synced(int fd, int done) {
    char path[PATH_MAX], copy[2 * PATH_MAX], piece[65536];
    struct stat now;
    if (done || !disk || fd >= FILES || !path_of(fd, path) || fstat(fd, &now) || !S_ISREG(now.st_mode)) return done;
    snprintf(copy, sizeof copy, "%s/%s", disk, strrchr(path, '/') + 1);
    int out = REAL(open)(copy, O_RDWR | O_CREAT, 0600), in = REAL(open)(path, O_RDONLY);
    if (out >= 0 && in >= 0 && first[fd] >= 0) {
        ssize_t got;
        for (off_t at = first[fd]; at < last[fd] && (got = pread(in, piece, sizeof piece, at)) > 0; at += got)
            if (REAL(pwrite64)(out, piece, got, at) != got) abort();
    }
    if (out >= 0 && ftruncate(out, now.st_size)) abort();
    if (out >= 0) close(out);
    if (in >= 0) close(in);
    first[fd] = -1;
    last[fd] = 0;
    return 0;
}

int fsync(int fd) {
    if (refused(fd)) { errno = EROFS; return -1; }
    return synced(fd, REAL(fsync)(fd));
}

int fdatasync(int fd) {
    if (refused(fd)) { errno = EROFS; return -1; }
    return synced(fd, REAL(fdatasync)(fd));
}
