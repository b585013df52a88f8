#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>

// Locks with annotations for clang's -Wthread-safety; for g++ they are plain std::mutex.
#if defined(__clang__)
#define PROA_THREAD_ATTRIBUTE(x) __attribute__((x))
#else
#define PROA_THREAD_ATTRIBUTE(x)
#endif
#define CAPABILITY(x) PROA_THREAD_ATTRIBUTE(capability(x))
#define SCOPED_CAPABILITY PROA_THREAD_ATTRIBUTE(scoped_lockable)
#define GUARDED_BY(x) PROA_THREAD_ATTRIBUTE(guarded_by(x))
#define PT_GUARDED_BY(x) PROA_THREAD_ATTRIBUTE(pt_guarded_by(x))
#define REQUIRES(...) PROA_THREAD_ATTRIBUTE(requires_capability(__VA_ARGS__))
#define ACQUIRE(...) PROA_THREAD_ATTRIBUTE(acquire_capability(__VA_ARGS__))
#define RELEASE(...) PROA_THREAD_ATTRIBUTE(release_capability(__VA_ARGS__))
#define EXCLUDES(...) PROA_THREAD_ATTRIBUTE(locks_excluded(__VA_ARGS__))
#define NO_THREAD_SAFETY_ANALYSIS PROA_THREAD_ATTRIBUTE(no_thread_safety_analysis)

namespace proa {

class CAPABILITY("mutex") Mutex {
 public:
  void lock() ACQUIRE() { mutex_.lock(); }
  void unlock() RELEASE() { mutex_.unlock(); }

 private:
  friend class CondVar;
  std::mutex mutex_;
};

class SCOPED_CAPABILITY MutexLock {
 public:
  explicit MutexLock(Mutex& mutex) ACQUIRE(mutex) : mutex_(mutex) { mutex_.lock(); }
  ~MutexLock() RELEASE() { mutex_.unlock(); }
  MutexLock(const MutexLock&) = delete;
  MutexLock& operator=(const MutexLock&) = delete;

 private:
  Mutex& mutex_;
};

class CondVar {
 public:
  void wait(Mutex& mutex) REQUIRES(mutex) {
    std::unique_lock lock(mutex.mutex_, std::adopt_lock);
    changed_.wait(lock);
    lock.release();
  }
  // False if the deadline passed first.
  bool wait_until(Mutex& mutex, std::chrono::steady_clock::time_point deadline) REQUIRES(mutex) {
    std::unique_lock lock(mutex.mutex_, std::adopt_lock);
    const bool woken = changed_.wait_until(lock, deadline) == std::cv_status::no_timeout;
    lock.release();
    return woken;
  }
  void notify_one() { changed_.notify_one(); }
  void notify_all() { changed_.notify_all(); }

 private:
  std::condition_variable changed_;
};

}  // namespace proa
