#pragma once

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "base/files.h"
#include "base/net/ip_address.h"

// Servers that say who they are and whom they see, and a client that asks them.

namespace proa::proxy {

inline constexpr uint16_t kPodPort = 8080;

inline sockaddr_storage socket_address(const IpAddress& ip, uint16_t port, socklen_t& length) {
  sockaddr_storage storage{};
  if (ip.is_v4()) {
    sockaddr_in v4{};
    v4.sin_family = AF_INET;
    v4.sin_port = htons(port);
    std::memcpy(&v4.sin_addr, ip.bytes.data() + 12, 4);
    std::memcpy(&storage, &v4, length = sizeof v4);
  } else {
    sockaddr_in6 v6{};
    v6.sin6_family = AF_INET6;
    v6.sin6_port = htons(port);
    std::memcpy(&v6.sin6_addr, ip.bytes.data(), 16);
    std::memcpy(&storage, &v6, length = sizeof v6);
  }
  return storage;
}

inline std::string host_of(const sockaddr_storage& storage) {
  char text[INET6_ADDRSTRLEN] = "";
  if (storage.ss_family == AF_INET) {
    ::inet_ntop(AF_INET, &reinterpret_cast<const sockaddr_in*>(&storage)->sin_addr, text,
                sizeof text);
  } else {
    ::inet_ntop(AF_INET6, &reinterpret_cast<const sockaddr_in6*>(&storage)->sin6_addr, text,
                sizeof text);
  }
  return text;
}

// Answers every connection and datagram with the server's name and the source that it sees:
// "a 10.244.0.9".
class Servers {
 public:
  ~Servers() {
    thread_.request_stop();
    ::close(wake_[1]);  // wakes the thread
    if (thread_.joinable()) thread_.join();
    ::close(wake_[0]);
  }

  // Called in the namespace of the server.
  void add(const std::string& name, const IpAddress& ip) {
    for (const int type : {SOCK_STREAM, SOCK_DGRAM}) {
      socklen_t length = 0;
      const sockaddr_storage address = socket_address(ip, kPodPort, length);
      FileDescriptor file(::socket(address.ss_family, type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
      const int on = 1;
      ::setsockopt(file.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
      ASSERT_EQ(::bind(file.get(), reinterpret_cast<const sockaddr*>(&address), length), 0)
          << name << " " << ip.str() << ": " << std::strerror(errno);
      if (type == SOCK_STREAM) {
        ASSERT_EQ(::listen(file.get(), 64), 0);
      }
      listeners_.push_back({name, type, std::move(file)});
    }
  }

  void start() {
    ASSERT_EQ(::pipe(wake_), 0);
    thread_ = std::jthread([this](const std::stop_token& stop) { run(stop); });
  }

 private:
  struct Listener {
    std::string name;
    int type;
    FileDescriptor file;
  };

  void run(const std::stop_token& stop) {
    std::vector<pollfd> waiting;
    for (const Listener& listener : listeners_) waiting.push_back({listener.file.get(), POLLIN, 0});
    waiting.push_back({wake_[0], POLLIN, 0});
    while (!stop.stop_requested()) {
      if (::poll(waiting.data(), waiting.size(), -1) <= 0) continue;
      for (size_t i = 0; i < listeners_.size(); ++i) {
        if (waiting[i].revents != 0) answer(listeners_[i]);
      }
    }
  }

  static void answer(const Listener& listener) {
    sockaddr_storage source{};
    socklen_t length = sizeof source;
    auto* from = reinterpret_cast<sockaddr*>(&source);
    if (listener.type == SOCK_STREAM) {
      const FileDescriptor peer(::accept(listener.file.get(), from, &length));
      const std::string text = listener.name + " " + host_of(source);
      if (peer.valid())
        static_cast<void>(::send(peer.get(), text.data(), text.size(), MSG_NOSIGNAL));
      return;
    }
    char buffer[64];
    if (::recvfrom(listener.file.get(), buffer, sizeof buffer, 0, from, &length) < 0) return;
    const std::string text = listener.name + " " + host_of(source);
    static_cast<void>(::sendto(listener.file.get(), text.data(), text.size(), 0, from, length));
  }

  std::vector<Listener> listeners_;
  int wake_[2] = {-1, -1};
  std::jthread thread_;
};

// What a client gets: the server's text, "refused", "unreachable", or "nothing". `from_port`: its
// own port; zero: any.
inline std::string ask(int type, const IpAddress& ip, uint16_t port, int patience,
                       uint16_t from_port = 0) {
  socklen_t length = 0;
  const sockaddr_storage address = socket_address(ip, port, length);
  const FileDescriptor file(::socket(address.ss_family, type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (from_port != 0) {
    sockaddr_storage own{};
    own.ss_family = address.ss_family;
    // Both families have their port at this place.
    reinterpret_cast<sockaddr_in&>(own).sin_port = htons(from_port);
    if (::bind(file.get(), reinterpret_cast<const sockaddr*>(&own), length) != 0) {
      return std::strerror(errno);
    }
  }
  if (::connect(file.get(), reinterpret_cast<const sockaddr*>(&address), length) != 0 &&
      errno != EINPROGRESS) {
    return std::strerror(errno);
  }
  if (type == SOCK_DGRAM) static_cast<void>(::send(file.get(), "x", 1, MSG_NOSIGNAL));
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(patience);
  while (true) {
    const auto left = end - std::chrono::steady_clock::now();
    pollfd waiting{file.get(), POLLIN, 0};
    const auto wait = std::chrono::ceil<std::chrono::milliseconds>(left).count();
    if (wait <= 0 || ::poll(&waiting, 1, static_cast<int>(wait)) <= 0) return "nothing";
    char buffer[128];
    const ssize_t got = ::recv(file.get(), buffer, sizeof buffer, 0);
    if (got > 0) return {buffer, static_cast<size_t>(got)};
    if (got == 0) return "closed";
    if (errno == ECONNREFUSED) return "refused";
    // A refusal that arrives while connect() still runs only counts when it is repeated.
    if (errno != EAGAIN) return std::strerror(errno);
  }
}

}  // namespace proa::proxy
