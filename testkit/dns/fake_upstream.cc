#include "testkit/dns/fake_upstream.h"

#include <netinet/in.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>

#include "base/check.h"
#include "base/clock.h"

namespace proa::testkit {
namespace fake_upstream {

constexpr size_t kMostBytes = 65535;
constexpr timeval kPatience{.tv_sec = 5, .tv_usec = 0};

sockaddr_in local(uint16_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

bool bind_to(const FileDescriptor& socket, uint16_t port) {
  const sockaddr_in address = local(port);
  return ::bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
}

uint16_t port_of(const FileDescriptor& socket) {
  sockaddr_in address{};
  socklen_t size = sizeof address;
  CHECK(::getsockname(socket.get(), reinterpret_cast<sockaddr*>(&address), &size) == 0);
  return ntohs(address.sin_port);
}

Steady now() { return SystemClock().steady(); }

}  // namespace fake_upstream

FakeUpstream::FakeUpstream(Handler handler)
    : elsewhere_(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0)),
      wake_(::eventfd(0, EFD_CLOEXEC)),
      handler_(std::move(handler)) {
  // A port that is free for both protocols.
  while (port_ == 0) {
    udp_ = FileDescriptor(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
    tcp_ = FileDescriptor(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    CHECK(fake_upstream::bind_to(udp_, 0));
    const uint16_t port = fake_upstream::port_of(udp_);
    if (fake_upstream::bind_to(tcp_, port)) port_ = port;
  }
  CHECK(::listen(tcp_.get(), 64) == 0);
  CHECK(fake_upstream::bind_to(elsewhere_, 0));
  thread_ = std::jthread([this](const std::stop_token& stop) { run(stop); });
}

FakeUpstream::~FakeUpstream() {
  thread_.request_stop();
  const uint64_t one = 1;
  CHECK(::write(wake_.get(), &one, sizeof one) == sizeof one);
}

size_t FakeUpstream::by_udp() const {
  const MutexLock lock(mutex_);
  return by_udp_;
}

size_t FakeUpstream::by_tcp() const {
  const MutexLock lock(mutex_);
  return by_tcp_;
}

size_t FakeUpstream::source_ports() const {
  const MutexLock lock(mutex_);
  return ports_.size();
}

void FakeUpstream::handle_by(Handler handler) {
  const MutexLock lock(mutex_);
  handler_ = std::move(handler);
}

std::vector<FakeUpstream::Sending> FakeUpstream::answers(const std::string& query, bool tcp) {
  Handler handler;
  {
    const MutexLock lock(mutex_);
    ++(tcp ? by_tcp_ : by_udp_);
    handler = handler_;
  }
  return handler(query, tcp);
}

void FakeUpstream::run(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    while (!due_.empty() && due_.begin()->first <= fake_upstream::now()) {
      send(due_.begin()->second);
      due_.erase(due_.begin());
    }
    int timeout = -1;
    if (!due_.empty()) {
      const Duration left = std::max(Duration(0), due_.begin()->first - fake_upstream::now());
      timeout = static_cast<int>(std::chrono::ceil<std::chrono::milliseconds>(left).count());
    }
    pollfd ready[] = {{udp_.get(), POLLIN, 0}, {tcp_.get(), POLLIN, 0}, {wake_.get(), POLLIN, 0}};
    ::poll(ready, 3, timeout);
    if (ready[0].revents != 0) receive();
    if (ready[1].revents != 0) serve_connection();
  }
}

void FakeUpstream::receive() {
  std::string query(fake_upstream::kMostBytes, 0);
  sockaddr_in from{};
  socklen_t size = sizeof from;
  const ssize_t count = ::recvfrom(udp_.get(), query.data(), query.size(), MSG_DONTWAIT,
                                   reinterpret_cast<sockaddr*>(&from), &size);
  if (count < 0) return;
  query.resize(static_cast<size_t>(count));
  {
    const MutexLock lock(mutex_);
    ports_.insert(ntohs(from.sin_port));
  }
  for (Sending& one : answers(query, false)) {
    Due due{.bytes = std::move(one.bytes),
            .to_port = ntohs(from.sin_port),
            .from_elsewhere = one.from_elsewhere};
    if (one.after == Duration(0)) {
      send(due);
    } else {
      due_.emplace(fake_upstream::now() + one.after, std::move(due));
    }
  }
}

void FakeUpstream::send(const Due& due) const {
  const sockaddr_in to = fake_upstream::local(due.to_port);
  ::sendto((due.from_elsewhere ? elsewhere_ : udp_).get(), due.bytes.data(), due.bytes.size(), 0,
           reinterpret_cast<const sockaddr*>(&to), sizeof to);
}

void FakeUpstream::serve_connection() {
  const FileDescriptor connection(::accept4(tcp_.get(), nullptr, nullptr, SOCK_CLOEXEC));
  if (!connection.valid()) return;
  ::setsockopt(connection.get(), SOL_SOCKET, SO_RCVTIMEO, &fake_upstream::kPatience,
               sizeof fake_upstream::kPatience);
  unsigned char length[2];
  if (::recv(connection.get(), length, sizeof length, MSG_WAITALL) != sizeof length) return;
  std::string query(size_t{length[0]} << 8 | length[1], 0);
  if (::recv(connection.get(), query.data(), query.size(), MSG_WAITALL) !=
      static_cast<ssize_t>(query.size())) {
    return;
  }
  for (const Sending& one : answers(query, true)) {
    std::string framed{static_cast<char>(one.bytes.size() >> 8),
                       static_cast<char>(one.bytes.size())};
    framed += one.bytes;
    ::send(connection.get(), framed.data(), framed.size(), MSG_NOSIGNAL);
  }
}

}  // namespace proa::testkit
