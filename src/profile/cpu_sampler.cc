#include "profile/cpu_sampler.h"

#include <dirent.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>
#include <unwind.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstring>
#include <string_view>
#include <thread>

namespace proa::profile {

// Stacks on their way from the signal handlers of all threads to one reader. A bounded queue after
// D. Vyukov: handlers only use atomic numbers, and never wait for each other.
class CpuSampler::Ring {
 public:
  struct Slot {
    std::atomic<uint64_t> turn{0};  // who may use it: a writer, or one later the reader
    int64_t periods = 0;
    size_t depth = 0;
    std::array<uint64_t, kMostFrames> frames{};
  };

  explicit Ring(size_t slots) : size_(slots), slots_(new Slot[slots]) {
    for (size_t i = 0; i < slots; ++i) slots_[i].turn.store(i, std::memory_order_relaxed);
  }

  // Null: it is full.
  Slot* claim(uint64_t& turn) {
    turn = next_write_.load(std::memory_order_relaxed);
    for (;;) {
      Slot& slot = slots_[turn % size_];
      const uint64_t now = slot.turn.load(std::memory_order_acquire);
      if (now == turn) {
        if (next_write_.compare_exchange_weak(turn, turn + 1, std::memory_order_relaxed))
          return &slot;
      } else if (now < turn) {
        return nullptr;
      } else {
        turn = next_write_.load(std::memory_order_relaxed);
      }
    }
  }
  static void publish(Slot& slot, uint64_t turn) {
    slot.turn.store(turn + 1, std::memory_order_release);
  }

  // Null: there is none. Give it back by release().
  const Slot* front() const {
    const Slot& slot = slots_[next_read_ % size_];
    return slot.turn.load(std::memory_order_acquire) == next_read_ + 1 ? &slot : nullptr;
  }
  void release() {
    slots_[next_read_ % size_].turn.store(next_read_ + size_, std::memory_order_release);
    ++next_read_;
  }

  std::atomic<uint64_t> lost{0};

 private:
  const size_t size_;
  const std::unique_ptr<Slot[]> slots_;
  std::atomic<uint64_t> next_write_{0};
  uint64_t next_read_ = 0;
};

namespace cpu_sampler {

// Each one costs a timer of the kernel.
constexpr size_t kMostThreads = 4096;

// Whether a sampler runs, also while it starts and stops.
std::atomic<bool> in_use{false};
// Where handlers write; null: a late signal is ignored. Any type: the ring's is private.
std::atomic<void*> current{nullptr};
// Handlers that may use it.
std::atomic<int> handlers{0};

uint64_t interrupted_at(const void* context) {
  const auto& machine = static_cast<const ucontext_t*>(context)->uc_mcontext;
#if defined(__x86_64__)
  return static_cast<uint64_t>(machine.gregs[REG_RIP]);
#elif defined(__aarch64__)
  return machine.pc;
#else
#error "the profiler does not know this architecture"
#endif
}

struct Walk {
  uint64_t begin;  // the interrupted instruction: frames before it are the handler's
  std::array<uint64_t, CpuSampler::kMostFrames>& frames;
  size_t depth = 0;
};

_Unwind_Reason_Code on_frame(_Unwind_Context* context, void* walk_pointer) {
  auto& walk = *static_cast<Walk*>(walk_pointer);
  int exact = 0;
  const uint64_t address = _Unwind_GetIPInfo(context, &exact);
  if (address == 0) return _URC_END_OF_STACK;
  if (walk.depth == 0 && address != walk.begin) return _URC_NO_REASON;
  // A return address belongs to the call before it.
  walk.frames[walk.depth++] = exact != 0 ? address : address - 1;
  return walk.depth == walk.frames.size() ? _URC_END_OF_STACK : _URC_NO_REASON;
}

// Finds frames by the tables for exceptions. With glibc's _dl_find_object (2.35) it takes no lock
// and allocates nothing, but at its first call.
size_t walk_stack(uint64_t begin, std::array<uint64_t, CpuSampler::kMostFrames>& frames) {
  Walk walk{begin, frames};
  _Unwind_Backtrace(on_frame, &walk);
  if (walk.depth == 0) frames[walk.depth++] = begin;
  return walk.depth;
}

// The clock of the CPU time of another thread of this process: what pthread_getcpuclockid() makes
// of a pthread_t, which is not known for threads of libraries.
clockid_t cpu_clock_of(int thread) {
  constexpr int kPerThread = 4;
  constexpr int kScheduler = 2;
  return (~static_cast<clockid_t>(thread) << 3) | kPerThread | kScheduler;
}

timespec to_timespec(Duration duration) {
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(duration);
  return {.tv_sec = seconds.count(), .tv_nsec = (duration - seconds).count()};
}

std::vector<int> own_threads() {
  std::vector<int> threads;
  DIR* folder = ::opendir("/proc/self/task");
  if (folder == nullptr) return threads;
  while (const dirent* entry = ::readdir(folder)) {
    const std::string_view name = entry->d_name;
    int thread = 0;
    const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), thread);
    if (error == std::errc() && end == name.data() + name.size()) threads.push_back(thread);
  }
  ::closedir(folder);
  return threads;
}

}  // namespace cpu_sampler

void CpuSampler::on_signal(int, void* info, void* context) {
  const int error = errno;
  // Counted before it looks for the ring: whoever takes the ring away waits for those counted.
  cpu_sampler::handlers.fetch_add(1);
  auto* ring = static_cast<Ring*>(cpu_sampler::current.load());
  if (ring != nullptr) {
    const int64_t periods = 1 + static_cast<siginfo_t*>(info)->si_overrun;
    uint64_t turn = 0;
    if (Ring::Slot* slot = ring->claim(turn)) {
      slot->periods = periods;
      slot->depth = cpu_sampler::walk_stack(cpu_sampler::interrupted_at(context), slot->frames);
      Ring::publish(*slot, turn);
    } else {
      ring->lost.fetch_add(static_cast<uint64_t>(periods), std::memory_order_relaxed);
    }
  }
  cpu_sampler::handlers.fetch_sub(1);
  errno = error;
}

Result<std::unique_ptr<CpuSampler>> CpuSampler::start(Duration period, size_t slots) {
  if (cpu_sampler::in_use.exchange(true))
    return Status(Reason::kAlreadyExists, "cpu profiling already in use");
  auto ring = std::make_unique<Ring>(slots);
  // What the unwinder allocates once must not be allocated in a handler.
  std::array<uint64_t, kMostFrames> frames{};
  cpu_sampler::walk_stack(0, frames);
  struct sigaction action = {};
  action.sa_sigaction = [](int signal, siginfo_t* info, void* context) {
    on_signal(signal, info, context);
  };
  // Stays installed: without a handler, a late signal would end the process.
  action.sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK;
  if (::sigaction(SIGPROF, &action, nullptr) != 0) {
    cpu_sampler::in_use.store(false);
    return Status(Reason::kInternalError, std::string("sigaction: ") + std::strerror(errno));
  }
  cpu_sampler::current.store(ring.get());
  std::unique_ptr<CpuSampler> sampler(new CpuSampler(std::move(ring), period));
  sampler->follow_threads();
  return sampler;
}

bool CpuSampler::is_in_use() { return cpu_sampler::in_use.load(); }

CpuSampler::CpuSampler(std::unique_ptr<Ring> ring, Duration period)
    : ring_(std::move(ring)), period_(period) {}

CpuSampler::~CpuSampler() {
  for (const auto& [thread, timer] : timers_) ::timer_delete(timer);
  cpu_sampler::current.store(nullptr);
  // Each of them walks one stack.
  while (cpu_sampler::handlers.load() > 0) std::this_thread::yield();
  cpu_sampler::in_use.store(false);
}

bool CpuSampler::follow(int thread) {
  sigevent event = {};
  event.sigev_signo = SIGPROF;
  event.sigev_notify = SIGEV_THREAD_ID;
  event._sigev_un._tid = thread;
  timer_t timer = {};
  if (::timer_create(cpu_sampler::cpu_clock_of(thread), &event, &timer) != 0) {
    return errno == EINVAL || errno == ESRCH;  // it has just ended
  }
  // The first periods differ, so that threads that work in turns are not always caught at the same
  // place.
  const Duration first = period_ * (1 + thread % 16) / 16;
  const itimerspec times{.it_interval = cpu_sampler::to_timespec(period_),
                         .it_value = cpu_sampler::to_timespec(first)};
  if (::timer_settime(timer, 0, &times, nullptr) != 0) {
    ::timer_delete(timer);
    return true;
  }
  timers_.emplace(thread, timer);
  return true;
}

void CpuSampler::follow_threads() {
  std::unordered_map<int, timer_t> ended = std::move(timers_);
  timers_.clear();
  left_out_ = 0;
  for (const int thread : cpu_sampler::own_threads()) {
    if (auto known = ended.extract(thread)) {
      timers_.insert(std::move(known));
    } else if (timers_.size() >= cpu_sampler::kMostThreads || !follow(thread)) {
      ++left_out_;
    }
  }
  // Their numbers may be given to other threads.
  for (const auto& [thread, timer] : ended) ::timer_delete(timer);
}

bool CpuSampler::take(std::vector<uint64_t>& stack, int64_t& periods) {
  const Ring::Slot* slot = ring_->front();
  if (slot == nullptr) return false;
  stack.assign(slot->frames.begin(), slot->frames.begin() + static_cast<ptrdiff_t>(slot->depth));
  periods = slot->periods;
  ring_->release();
  return true;
}

uint64_t CpuSampler::lost() const { return ring_->lost.load(std::memory_order_relaxed); }

}  // namespace proa::profile
