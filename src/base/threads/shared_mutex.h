#pragma once

#include <pthread.h>

#include "base/check.h"
#include "base/threads/mutex.h"

namespace proa {

// A reader-writer lock that prefers writers: a waiting writer blocks new readers. std::shared_mutex
// prefers readers here, and a steady stream of readers would starve writers.
class CAPABILITY("mutex") SharedMutex {
 public:
  SharedMutex() {
    pthread_rwlockattr_t attributes;
    CHECK(pthread_rwlockattr_init(&attributes) == 0);
    CHECK(pthread_rwlockattr_setkind_np(&attributes,
                                        PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP) == 0);
    CHECK(pthread_rwlock_init(&lock_, &attributes) == 0);
    pthread_rwlockattr_destroy(&attributes);
  }
  ~SharedMutex() { pthread_rwlock_destroy(&lock_); }
  SharedMutex(const SharedMutex&) = delete;
  SharedMutex& operator=(const SharedMutex&) = delete;

  void lock() ACQUIRE() { CHECK(pthread_rwlock_wrlock(&lock_) == 0); }
  void lock_shared() PROA_THREAD_ATTRIBUTE(acquire_shared_capability()) {
    CHECK(pthread_rwlock_rdlock(&lock_) == 0);
  }
  void unlock() PROA_THREAD_ATTRIBUTE(release_generic_capability()) {
    CHECK(pthread_rwlock_unlock(&lock_) == 0);
  }

 private:
  pthread_rwlock_t lock_;
};

class SCOPED_CAPABILITY WriterLock {
 public:
  explicit WriterLock(SharedMutex& mutex) ACQUIRE(mutex) : mutex_(mutex) { mutex_.lock(); }
  ~WriterLock() RELEASE() { mutex_.unlock(); }
  WriterLock(const WriterLock&) = delete;
  WriterLock& operator=(const WriterLock&) = delete;

 private:
  SharedMutex& mutex_;
};

class SCOPED_CAPABILITY ReaderLock {
 public:
  explicit ReaderLock(SharedMutex& mutex) PROA_THREAD_ATTRIBUTE(acquire_shared_capability(mutex))
      : mutex_(mutex) {
    mutex_.lock_shared();
  }
  ~ReaderLock() PROA_THREAD_ATTRIBUTE(release_generic_capability()) { mutex_.unlock(); }
  ReaderLock(const ReaderLock&) = delete;
  ReaderLock& operator=(const ReaderLock&) = delete;

 private:
  SharedMutex& mutex_;
};

}  // namespace proa
