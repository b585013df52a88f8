#include "testkit/proxy/flow_world.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sched.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstring>
#include <set>

#include "base/process/spawn.h"
#include "base/strings.h"

namespace proa::testkit {
namespace flow_world {

constexpr uint16_t kPort = 8080;

struct Address {
  sockaddr_storage storage{};
  socklen_t size = sizeof(sockaddr_storage);

  sockaddr* raw() { return reinterpret_cast<sockaddr*>(&storage); }
};

Address make_address(const IpAddress& ip, uint16_t port) {
  Address made;
  if (ip.is_v4()) {
    auto& v4 = reinterpret_cast<sockaddr_in&>(made.storage);
    v4.sin_family = AF_INET;
    v4.sin_port = htons(port);
    std::memcpy(&v4.sin_addr, ip.bytes.data() + 12, 4);
    made.size = sizeof(sockaddr_in);
  } else {
    auto& v6 = reinterpret_cast<sockaddr_in6&>(made.storage);
    v6.sin6_family = AF_INET6;
    v6.sin6_port = htons(port);
    std::memcpy(&v6.sin6_addr, ip.bytes.data(), 16);
    made.size = sizeof(sockaddr_in6);
  }
  return made;
}

std::string address_text(const Address& address) {
  char text[INET6_ADDRSTRLEN] = {};
  const void* from = address.storage.ss_family == AF_INET
                         ? static_cast<const void*>(
                               &reinterpret_cast<const sockaddr_in&>(address.storage).sin_addr)
                         : &reinterpret_cast<const sockaddr_in6&>(address.storage).sin6_addr;
  ::inet_ntop(address.storage.ss_family, from, text, sizeof(text));
  return text;
}

void set(const char* path, std::string_view value) {
  const FileDescriptor file(::open(path, O_WRONLY | O_CLOEXEC));
  ASSERT_EQ(::write(file.get(), value.data(), value.size()), static_cast<ssize_t>(value.size()))
      << path;
}

bool wait_for(int socket, short events, int milliseconds) {
  pollfd file{.fd = socket, .events = events, .revents = 0};
  return ::poll(&file, 1, milliseconds) > 0;
}

std::string receive(int socket, int milliseconds) {
  if (!wait_for(socket, POLLIN, milliseconds)) return "silent";
  char text[128];
  const ssize_t count = ::recv(socket, text, sizeof(text), 0);
  if (count < 0) return errno == ECONNREFUSED ? "refused" : std::strerror(errno);
  return {text, static_cast<size_t>(count)};
}

std::string ask(const IpAddress& to, uint16_t port, bool udp, uint16_t from_port,
                int milliseconds) {
  Address address = make_address(to, port);
  const FileDescriptor socket(
      ::socket(address.storage.ss_family,
               (udp ? SOCK_DGRAM : SOCK_STREAM) | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (from_port != 0) {
    Address own = make_address(to.is_v4() ? parse_ip("0.0.0.0").value() : IpAddress{}, from_port);
    EXPECT_EQ(::bind(socket.get(), own.raw(), own.size), 0);
  }
  if (::connect(socket.get(), address.raw(), address.size) != 0 && errno != EINPROGRESS) {
    return errno == ECONNREFUSED ? "refused" : std::strerror(errno);
  }
  if (udp) {
    static_cast<void>(::send(socket.get(), "?", 1, 0));
    return receive(socket.get(), milliseconds);
  }
  if (!wait_for(socket.get(), POLLOUT, milliseconds)) return "silent";
  int error = 0;
  socklen_t size = sizeof(error);
  ::getsockopt(socket.get(), SOL_SOCKET, SO_ERROR, &error, &size);
  if (error != 0) return error == ECONNREFUSED ? "refused" : std::strerror(error);
  return receive(socket.get(), milliseconds);
}

}  // namespace flow_world

std::unique_ptr<FlowWorld> FlowWorld::make(std::string& reason) {
  std::unique_ptr<FlowWorld> world(new FlowWorld());
  if (!world->build(reason)) return nullptr;
  world->server_ =
      std::jthread([&served = *world](const std::stop_token& stop) { served.serve(stop); });
  return world;
}

FlowWorld::~FlowWorld() = default;

void FlowWorld::inside(Place place, const std::function<void()>& work) const {
  std::thread thread([&] {
    ASSERT_EQ(::setns(namespaces_[static_cast<size_t>(place)].get(), CLONE_NEWNET), 0);
    work();
  });
  thread.join();
}

void FlowWorld::run(const std::string& words) const {
  std::vector<std::string> parts;
  for (const std::string_view part : split(words, ' ')) parts.emplace_back(part);
  parts[0] = find_program(parts[0]).value_or(parts[0]);
  const Result<Outcome> outcome = run_to_end(parts, "", clock_, std::chrono::seconds(10));
  ASSERT_TRUE(outcome.ok()) << words;
  ASSERT_EQ(outcome->exit_code, 0) << words << ": " << outcome->output;
}

bool FlowWorld::build(std::string& reason) {
  if (!find_program("ip")) {
    reason = "needs the program ip";
    return false;
  }
  for (int i = 0; i < 4; ++i) {
    std::thread thread([this] {
      if (::unshare(CLONE_NEWNET) != 0) return;
      namespaces_.emplace_back(::open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC));
      run("ip link set lo up");
      // Detection of duplicate addresses takes seconds, in which packets are not forwarded.
      flow_world::set("/proc/sys/net/ipv6/conf/all/accept_dad", "0");
      flow_world::set("/proc/sys/net/ipv6/conf/default/accept_dad", "0");
    });
    thread.join();
  }
  if (namespaces_.size() != 4) {
    reason = "needs the right to make network namespaces";
    return false;
  }
  struct Link {
    Place place;
    const char* name;
    const char* node_v4;
    const char* other_v4;
    const char* node_v6;
    const char* other_v6;
  };
  const Link links[] = {
      {Place::kClient, "client", "192.0.2.1", "192.0.2.2", "2001:db8::1", "2001:db8::2"},
      {Place::kPod1, "pod1", "10.1.0.254", "10.1.0.1", "fd01::fe", "fd01::1"},
      {Place::kPod2, "pod2", "10.1.1.254", "10.1.1.2", "fd01:0:0:1::fe", "fd01:0:0:1::2"}};
  for (const Link& link : links) {
    // The namespace is named by a descriptor of this process.
    const std::string other = fmt::format("/proc/{}/fd/{}", ::getpid(),
                                          namespaces_[static_cast<size_t>(link.place)].get());
    inside(Place::kNode, [&] {
      run(fmt::format("ip link add {} type veth peer name eth0 netns {}", link.name, other));
      run(fmt::format("ip addr add {}/24 dev {}", link.node_v4, link.name));
      run(fmt::format("ip -6 addr add {}/64 dev {} nodad", link.node_v6, link.name));
      run(fmt::format("ip link set {} up", link.name));
    });
    inside(link.place, [&] {
      run(fmt::format("ip addr add {}/24 dev eth0", link.other_v4));
      run(fmt::format("ip -6 addr add {}/64 dev eth0 nodad", link.other_v6));
      run("ip link set eth0 up");
      run(fmt::format("ip route add default via {}", link.node_v4));
      run(fmt::format("ip -6 route add default via {}", link.node_v6));
    });
    if (link.place == Place::kClient) continue;
    if (!listen(link.place, link.other_v4) || !listen(link.place, link.other_v6)) {
      reason = "cannot listen";
      return false;
    }
  }
  inside(Place::kNode, [this] {
    run("ip route add default via 192.0.2.2");
    run("ip -6 route add default via 2001:db8::2");
    flow_world::set("/proc/sys/net/ipv4/ip_forward", "1");
    flow_world::set("/proc/sys/net/ipv6/conf/all/forwarding", "1");
  });
  return true;
}

bool FlowWorld::listen(Place pod, std::string_view address) {
  bool listens = true;
  inside(pod, [&] {
    for (const bool udp : {false, true}) {
      flow_world::Address own =
          flow_world::make_address(parse_ip(address).value(), flow_world::kPort);
      FileDescriptor socket(
          ::socket(own.storage.ss_family,
                   (udp ? SOCK_DGRAM : SOCK_STREAM) | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
      listens &= ::bind(socket.get(), own.raw(), own.size) == 0;
      if (!udp) listens &= ::listen(socket.get(), 64) == 0;
      listeners_.push_back(
          {.socket = std::move(socket), .name = pod == Place::kPod1 ? "pod1" : "pod2", .udp = udp});
    }
  });
  return listens;
}

void FlowWorld::serve(const std::stop_token& stop) {
  constexpr int kLookForStop = 20;  // milliseconds
  std::vector<pollfd> files;
  for (const Listener& listener : listeners_) {
    files.push_back({.fd = listener.socket.get(), .events = POLLIN, .revents = 0});
  }
  while (!stop.stop_requested()) {
    ::poll(files.data(), files.size(), kLookForStop);
    for (const Listener& listener : listeners_) {
      flow_world::Address peer;
      if (listener.udp) {
        char ignored[16];
        if (::recvfrom(listener.socket.get(), ignored, sizeof(ignored), 0, peer.raw(), &peer.size) <
            0) {
          continue;
        }
        const std::string answer = listener.name + " " + flow_world::address_text(peer);
        static_cast<void>(::sendto(listener.socket.get(), answer.data(), answer.size(), 0,
                                   peer.raw(), peer.size));
        continue;
      }
      const FileDescriptor accepted(
          ::accept4(listener.socket.get(), peer.raw(), &peer.size, SOCK_CLOEXEC));
      if (!accepted.valid()) continue;
      const std::string answer = listener.name + " " + flow_world::address_text(peer);
      static_cast<void>(::send(accepted.get(), answer.data(), answer.size(), MSG_NOSIGNAL));
    }
  }
}

std::string FlowWorld::ask(Place from, std::string_view address, uint16_t port,
                           proxy::Protocol protocol, uint16_t from_port) const {
  std::string answer;
  inside(from, [&] {
    answer = flow_world::ask(parse_ip(address).value(), port, protocol == proxy::Protocol::kUdp,
                             from_port, static_cast<int>(patience.count()));
  });
  return answer;
}

std::string FlowWorld::ask_often(Place from, std::string_view address, uint16_t port,
                                 int times) const {
  std::set<std::string> answers;
  inside(from, [&] {
    for (int i = 0; i < times; ++i) {
      answers.insert(flow_world::ask(parse_ip(address).value(), port, false, 0,
                                     static_cast<int>(patience.count())));
    }
  });
  return join(std::vector<std::string>(answers.begin(), answers.end()), ", ");
}

proxy::NodeFacts FlowWorld::node() const {
  proxy::NodeFacts node;
  node.name = "here";
  node.addresses = {parse_ip("192.0.2.1").value(), parse_ip("2001:db8::1").value()};
  node.pod_ranges = {parse_prefix("10.1.0.0/16").value(), parse_prefix("fd01::/48").value()};
  return node;
}

}  // namespace proa::testkit
