#pragma once

#include <chrono>
#include <cstdint>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "base/threads/mutex.h"
#include "netlink/netns.h"
#include "netlink/socket.h"

namespace proa::network_bench {

using Moment = std::chrono::steady_clock::time_point;

// Sees when addresses of endpoints appear in the rules of a namespace, by the reports that the
// kernel sends with each transaction. It does not ask the kernel for anything, and does not care
// what the rules look like: in all of them the four bytes of an address are aligned.
class KernelWatch {
 public:
  explicit KernelWatch(const netlink::NetworkNamespace& place);
  ~KernelWatch();
  KernelWatch(const KernelWatch&) = delete;
  KernelWatch& operator=(const KernelWatch&) = delete;

  // When so many different ones had appeared; ends the program if that takes minutes.
  Moment await_count(size_t count);
  // When this one appeared. REQUIRES: not seen before; expect() was called before it was asked for.
  void expect(uint32_t endpoint);
  Moment await_expected();

 private:
  void follow();
  void scan(std::string_view payload, Moment now) REQUIRES(mutex_);

  SystemClock clock_;
  netlink::Socket socket_;
  Mutex mutex_;
  CondVar changed_;
  std::vector<bool> seen_ GUARDED_BY(mutex_);  // by address, from kFirstEndpoint on
  size_t count_ GUARDED_BY(mutex_) = 0;
  Moment last_new_ GUARDED_BY(mutex_);
  uint32_t expected_ GUARDED_BY(mutex_) = 0;
  Moment expected_at_ GUARDED_BY(mutex_);
  bool ends_ GUARDED_BY(mutex_) = false;
  std::jthread follower_;
};

// The range of endpoints: 10.128.0.0/10.
inline constexpr uint32_t kFirstEndpoint = 0x0a800000;
inline constexpr uint32_t kEndpointCount = 1U << 22;

}  // namespace proa::network_bench
