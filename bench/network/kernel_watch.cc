#include "kernel_watch.h"

#include <arpa/inet.h>
#include <linux/netfilter/nfnetlink.h>
#include <linux/netlink.h>
#include <sys/socket.h>

#include <cstring>
#include <optional>

#include "load/framing.h"

namespace proa::network_bench {
namespace kernel_watch {

// The first transaction of 10,000 Services is reported in tens of megabytes at once.
constexpr int kBuffer = 1 << 29;
constexpr auto kPatience = std::chrono::minutes(3);

netlink::Socket listen_in(const netlink::NetworkNamespace& place, Clock& clock) {
  std::optional<netlink::Socket> socket;
  place
      .run([&]() -> Result<void> {
        socket = TRY(netlink::Socket::listen(NETLINK_NETFILTER, {NFNLGRP_NFTABLES}, clock));
        return {};
      })
      .value();
  ::setsockopt(socket->descriptor(), SOL_SOCKET, SO_RCVBUFFORCE, &kBuffer, sizeof kBuffer);
  return std::move(*socket);
}

}  // namespace kernel_watch

KernelWatch::KernelWatch(const netlink::NetworkNamespace& place)
    : socket_(kernel_watch::listen_in(place, clock_)), seen_(kEndpointCount) {
  follower_ = std::jthread([this] { follow(); });
}

KernelWatch::~KernelWatch() {
  {
    MutexLock lock(mutex_);
    ends_ = true;
  }
  socket_.wake();
}

void KernelWatch::follow() {
  const auto take = [this](const netlink::Message& message) -> Result<void> {
    const Moment now = std::chrono::steady_clock::now();
    MutexLock lock(mutex_);
    scan(message.payload, now);
    return {};
  };
  while (true) {
    const auto received = socket_.receive({.deadline = Steady::max(), .stop = {}}, take);
    if (!received.ok()) load::fail("reports of the kernel: " + received.status().message());
    MutexLock lock(mutex_);
    if (ends_) return;
  }
}

void KernelWatch::scan(std::string_view payload, Moment now) {
  bool news = false;
  for (size_t at = 0; at + sizeof(uint32_t) <= payload.size(); at += sizeof(uint32_t)) {
    uint32_t word = 0;
    std::memcpy(&word, payload.data() + at, sizeof word);
    const uint32_t index = ntohl(word) - kFirstEndpoint;
    if (index >= kEndpointCount || seen_[index]) continue;
    seen_[index] = true;
    ++count_;
    last_new_ = now;
    if (index + kFirstEndpoint == expected_) expected_at_ = now;
    news = true;
  }
  if (news) changed_.notify_all();
}

Moment KernelWatch::await_count(size_t count) {
  const Moment limit = std::chrono::steady_clock::now() + kernel_watch::kPatience;
  MutexLock lock(mutex_);
  while (count_ < count) {
    if (!changed_.wait_until(mutex_, limit)) {
      load::fail("only " + std::to_string(count_) + " of " + std::to_string(count) +
                 " endpoints are in the kernel");
    }
  }
  return last_new_;
}

void KernelWatch::expect(uint32_t endpoint) {
  MutexLock lock(mutex_);
  expected_ = endpoint;
  expected_at_ = {};
}

Moment KernelWatch::await_expected() {
  const Moment limit = std::chrono::steady_clock::now() + kernel_watch::kPatience;
  MutexLock lock(mutex_);
  while (expected_at_ == Moment{}) {
    if (!changed_.wait_until(mutex_, limit)) load::fail("a change did not come to the kernel");
  }
  return expected_at_;
}

}  // namespace proa::network_bench
