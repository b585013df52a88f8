#include "packets.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>

#include <cerrno>
#include <chrono>
#include <cstring>

#include "load/framing.h"
#include "load/meter.h"

namespace proa::network_bench {
namespace packets {

constexpr size_t kBuffer = 128 * 1024;

void set(int file, int level, int option, int value) {
  if (::setsockopt(file, level, option, &value, sizeof value) != 0) load::fail("setsockopt");
}

sockaddr_in address_of(const std::string& text, int port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<uint16_t>(port));
  if (::inet_pton(AF_INET, text.c_str(), &address.sin_addr) != 1) load::fail("address " + text);
  return address;
}

FileDescriptor connect_to(const sockaddr_in& address) {
  FileDescriptor file(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (::connect(file.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    load::fail(std::string("connecting: ") + std::strerror(errno));
  }
  return file;
}

FileDescriptor listen_at(int port) {
  FileDescriptor file(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  // Nobody is woken for a connection that brings no data.
  set(file.get(), IPPROTO_TCP, TCP_DEFER_ACCEPT, 5);
  const sockaddr_in address = address_of("0.0.0.0", port);
  if (::bind(file.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
      ::listen(file.get(), 4096) != 0) {
    load::fail("a server of the benchmark cannot listen");
  }
  return file;
}

void inside(const netlink::NetworkNamespace& place, const std::function<void()>& work) {
  place
      .run([&]() -> Result<void> {
        work();
        return {};
      })
      .value();
}

}  // namespace packets

Sink::Sink(const netlink::NetworkNamespace& place, int port) {
  packets::inside(place, [&] { listening_ = packets::listen_at(port); });
  thread_ = std::jthread([this] { serve(); });
}

Sink::~Sink() { ::shutdown(listening_.get(), SHUT_RDWR); }

void Sink::serve() const {
  std::vector<char> buffer(packets::kBuffer);
  while (true) {
    const FileDescriptor file(::accept4(listening_.get(), nullptr, nullptr, SOCK_CLOEXEC));
    if (!file.valid()) {
      if (errno == EINVAL) return;
      continue;
    }
    while (::recv(file.get(), buffer.data(), buffer.size(), 0) > 0) continue;
  }
}

std::vector<double> connect_micros(const netlink::NetworkNamespace& from,
                                   const std::vector<std::string>& addresses, int port,
                                   size_t count) {
  std::vector<sockaddr_in> targets;
  targets.reserve(addresses.size());
  for (const std::string& address : addresses) {
    targets.push_back(packets::address_of(address, port));
  }
  std::vector<double> times;
  times.reserve(count);
  packets::inside(from, [&] {
    for (size_t i = 0; i < count; ++i) {
      const auto begin = std::chrono::steady_clock::now();
      const FileDescriptor file = packets::connect_to(targets[i % targets.size()]);
      times.push_back(load::seconds_since(begin) * 1e6);
      // Closes by a reset: nothing waits on either side.
      const linger now{.l_onoff = 1, .l_linger = 0};
      ::setsockopt(file.get(), SOL_SOCKET, SO_LINGER, &now, sizeof now);
    }
  });
  return times;
}

double throughput(const netlink::NetworkNamespace& from, const std::string& address, int port,
                  double seconds) {
  double rate = 0;
  packets::inside(from, [&] {
    const FileDescriptor file = packets::connect_to(packets::address_of(address, port));
    const std::vector<char> buffer(packets::kBuffer);
    double bytes = 0;
    const auto begin = std::chrono::steady_clock::now();
    while (load::seconds_since(begin) < seconds) {
      const ssize_t sent = ::send(file.get(), buffer.data(), buffer.size(), MSG_NOSIGNAL);
      if (sent <= 0) load::fail(std::string("sending: ") + std::strerror(errno));
      bytes += static_cast<double>(sent);
    }
    rate = bytes / load::seconds_since(begin);
  });
  return rate;
}

}  // namespace proa::network_bench
