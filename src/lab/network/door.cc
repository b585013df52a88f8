#include "lab/network/door.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <net/if.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <memory>
#include <vector>

namespace proa::lab {
namespace door {

constexpr size_t kBuffer = 64 * 1024;
constexpr size_t kMostConnections = 500;
constexpr int kBacklog = 64;

// One direction of a connection.
struct Pipe {
  std::vector<char> held = {};
  size_t sent = 0;        // of `held`
  bool ended = false;     // nothing more comes
  bool finished = false;  // and the other side has been told

  bool is_full() const { return held.size() - sent >= kBuffer; }
  bool is_empty() const { return held.size() == sent; }
};

struct Connection {
  FileDescriptor near = {};
  FileDescriptor far = {};
  Pipe in = {};   // near to far
  Pipe out = {};  // far to near
  bool connected = false;
  bool broken = false;

  bool is_over() const { return broken || (in.finished && out.finished); }
};

// Reads what there is.
void fill(Pipe& pipe, int from, bool& broken) {
  if (pipe.ended || pipe.is_full()) return;
  if (pipe.is_empty()) {
    pipe.held.clear();
    pipe.sent = 0;
  }
  const size_t size = pipe.held.size();
  pipe.held.resize(size + kBuffer);
  const ssize_t count = recv(from, pipe.held.data() + size, kBuffer, MSG_DONTWAIT);
  pipe.held.resize(size + static_cast<size_t>(std::max<ssize_t>(count, 0)));
  if (count == 0) pipe.ended = true;
  if (count < 0 && errno != EAGAIN && errno != EINTR) broken = true;
}

void drain(Pipe& pipe, int to, bool& broken) {
  while (!pipe.is_empty()) {
    const ssize_t count = send(to, pipe.held.data() + pipe.sent, pipe.held.size() - pipe.sent,
                               MSG_DONTWAIT | MSG_NOSIGNAL);
    if (count < 0) {
      if (errno != EAGAIN && errno != EINTR) broken = true;
      return;
    }
    pipe.sent += static_cast<size_t>(count);
  }
  pipe.held = {};
  pipe.sent = 0;
  if (pipe.ended && !pipe.finished) {
    shutdown(to, SHUT_WR);
    pipe.finished = true;
  }
}

sockaddr_in6 target_of(const IpAddress& address, int port) {
  sockaddr_in6 target{};
  target.sin6_family = AF_INET6;
  target.sin6_port = htons(static_cast<uint16_t>(port));
  std::memcpy(&target.sin6_addr, address.bytes.data(), address.bytes.size());
  return target;
}

FileDescriptor connect_to(const IpAddress& address, int port) {
  const sockaddr_in6 target = target_of(address, port);
  sockaddr_in target4{};
  constexpr size_t kV4Offset = 12;
  target4.sin_family = AF_INET;
  target4.sin_port = target.sin6_port;
  std::memcpy(&target4.sin_addr, address.bytes.data() + kV4Offset, sizeof target4.sin_addr);
  const bool v4 = address.is_v4();
  FileDescriptor socket(
      ::socket(v4 ? AF_INET : AF_INET6, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  const auto* where =
      v4 ? reinterpret_cast<const sockaddr*>(&target4) : reinterpret_cast<const sockaddr*>(&target);
  const socklen_t size = v4 ? sizeof target4 : sizeof target;
  if (connect(socket.get(), where, size) != 0 && errno != EINPROGRESS) return {};
  return socket;
}

void set_no_delay(int socket) {
  const int on = 1;
  setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

class Doorman {
 public:
  Doorman(const Door& door, const DoorTarget& target) : door_(door), target_(target) {}

  void run() {
    while (true) {
      std::vector<pollfd> waits = interests();
      if (poll(waits.data(), waits.size(), -1) < 0 && errno != EINTR) return;
      const bool waiting = (waits[0].revents & POLLIN) != 0;
      for (size_t i = 0; i < connections_.size(); ++i) {
        serve(*connections_[i], waits[1 + 2 * i].revents, waits[2 + 2 * i].revents);
      }
      std::erase_if(connections_, [](const auto& each) { return each->is_over(); });
      if (waiting) take_one();
    }
  }

 private:
  std::vector<pollfd> interests() const {
    std::vector<pollfd> waits;
    const bool full = connections_.size() >= kMostConnections;
    waits.push_back({full ? -1 : door_.listener.get(), POLLIN, 0});
    for (const auto& each : connections_) {
      waits.push_back(interest(each->near.get(), each->in, each->out, each->connected));
      waits.push_back(interest(each->far.get(), each->out, each->in, each->connected));
      if (!each->connected) waits.back().events = POLLOUT;
    }
    return waits;
  }

  // `from`: the direction that begins at this socket; `to`: the one that ends there.
  static pollfd interest(int socket, const Pipe& from, const Pipe& to, bool connected) {
    int events = 0;
    if (connected && !from.ended && !from.is_full()) events |= POLLIN;
    if (connected && !to.is_empty()) events |= POLLOUT;
    // A socket that nothing is expected of would wake us by its end, again and again.
    return {events == 0 && connected ? -1 : socket, static_cast<short>(events), 0};
  }

  static void serve(Connection& each, short near, short far) {
    if (!each.connected) {
      if (far == 0) {
        if ((near & (POLLERR | POLLHUP)) != 0) each.broken = true;
        return;
      }
      int error = 0;
      socklen_t size = sizeof error;
      getsockopt(each.far.get(), SOL_SOCKET, SO_ERROR, &error, &size);
      each.connected = error == 0;
      each.broken = error != 0;
      return;
    }
    if ((near & (POLLIN | POLLHUP | POLLERR)) != 0) fill(each.in, each.near.get(), each.broken);
    if ((far & (POLLIN | POLLHUP | POLLERR)) != 0) fill(each.out, each.far.get(), each.broken);
    drain(each.in, each.far.get(), each.broken);
    drain(each.out, each.near.get(), each.broken);
  }

  void take_one() {
    FileDescriptor near(accept4(door_.listener.get(), nullptr, nullptr, SOCK_CLOEXEC));
    if (!near.valid()) return;
    // The link of a machine that is off is gone. An attempt would end after seconds.
    if (!target_.link.empty() && if_nametoindex(target_.link.c_str()) == 0) return;
    FileDescriptor far = connect_to(target_.address, target_.port);
    if (!far.valid()) return;
    set_no_delay(near.get());
    set_no_delay(far.get());
    auto added = std::make_unique<Connection>();
    added->near = std::move(near);
    added->far = std::move(far);
    connections_.push_back(std::move(added));
  }

  const Door& door_;
  const DoorTarget& target_;
  std::vector<std::unique_ptr<Connection>> connections_;
};

}  // namespace door

Result<Door> open_door(int port) {
  Door opened;
  opened.listener =
      FileDescriptor(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  const int on = 1;
  setsockopt(opened.listener.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  sockaddr_in where{};
  where.sin_family = AF_INET;
  where.sin_port = htons(static_cast<uint16_t>(port));
  where.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof where;
  auto* address = reinterpret_cast<sockaddr*>(&where);
  if (bind(opened.listener.get(), address, size) != 0 ||
      listen(opened.listener.get(), door::kBacklog) != 0 ||
      getsockname(opened.listener.get(), address, &size) != 0) {
    return errno_status("listening on 127.0.0.1:" + std::to_string(port), errno);
  }
  opened.port = ntohs(where.sin_port);
  return opened;
}

void serve_door(const Door& door, const DoorTarget& target) { door::Doorman(door, target).run(); }

}  // namespace proa::lab
