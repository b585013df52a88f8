#include "network/announce/responder.h"

#include <arpa/inet.h>
#include <linux/filter.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <utility>
#include <vector>

#include "base/log.h"

namespace proa::network {
namespace responder {

const Log kLog{"network"};

// After the first announcement: the neighbours' switches may still be learning, and frames get
// lost.
constexpr std::array kRepeats = {std::chrono::milliseconds(100), std::chrono::milliseconds(400),
                                 std::chrono::milliseconds(1500), std::chrono::milliseconds(3000)};
constexpr size_t kMostFrame = 2048;  // longer ones are none of ours
// Frames taken from a socket before the other one has its turn.
constexpr int kMostAtOnce = 64;

Status failure(std::string_view what) {
  return {Reason::kInternalError, std::string(what) + ": " + std::strerror(errno)};
}

// Hears nothing before it is bound.
Result<FileDescriptor> open_packets() {
  FileDescriptor socket(::socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!socket.valid()) return failure("opening a packet socket failed");
  return socket;
}

Result<void> attach(int socket, std::vector<sock_filter> program) {
  const sock_fprog filter{static_cast<uint16_t>(program.size()), program.data()};
  if (::setsockopt(socket, SOL_SOCKET, SO_ATTACH_FILTER, &filter, sizeof filter) == 0) return {};
  return failure("filtering a packet socket failed");
}

Result<void> bind_to(int socket, int link, uint16_t protocol) {
  sockaddr_ll place{};
  place.sll_family = AF_PACKET;
  place.sll_ifindex = link;
  place.sll_protocol = htons(protocol);
  if (::bind(socket, reinterpret_cast<const sockaddr*>(&place), sizeof place) == 0) return {};
  return failure("listening on a link failed");
}

std::vector<IpAddress> of_family(const std::set<IpAddress>& addresses, bool v4) {
  std::vector<IpAddress> chosen;
  for (const IpAddress& address : addresses) {
    if (address.is_v4() == v4) chosen.push_back(address);
  }
  return chosen;
}

bool change_group(int socket, int link, const IpAddress& group, bool join) {
  ipv6_mreq request{};
  std::memcpy(&request.ipv6mr_multiaddr, group.bytes.data(), group.bytes.size());
  request.ipv6mr_interface = static_cast<unsigned>(link);
  return ::setsockopt(socket, IPPROTO_IPV6, join ? IPV6_JOIN_GROUP : IPV6_LEAVE_GROUP, &request,
                      sizeof request) == 0;
}

}  // namespace responder

Responder::Responder(const Link& link, Clock& clock, Events events)
    : link_(link), clock_(clock), events_(std::move(events)) {}

Result<std::unique_ptr<Responder>> Responder::open(const Link& link, Clock& clock, Events events) {
  std::unique_ptr<Responder> made(new Responder(link, clock, std::move(events)));
  TRY(made->open_sockets());
  made->start();
  return made;
}

Responder::~Responder() {
  thread_.request_stop();
  wake();
  if (thread_.joinable()) thread_.join();
}

Result<void> Responder::open_sockets() {
  wakes_ = FileDescriptor(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!wakes_.valid()) return responder::failure("creating an eventfd failed");
  arp_ = TRY(responder::open_packets());
  ndp_ = TRY(responder::open_packets());
  // Invalid where the kernel has no IPv6.
  groups_ = FileDescriptor(::socket(AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  {
    MutexLock lock(mutex_);
    TRY(filter());
  }
  TRY(responder::bind_to(arp_.get(), link_.index, ETH_P_ARP));
  return responder::bind_to(ndp_.get(), link_.index, ETH_P_IPV6);
}

void Responder::start() {
  thread_ = std::jthread([this](const std::stop_token& stop) { run(stop); });
}

Result<void> Responder::set(const std::set<IpAddress>& addresses) {
  {
    MutexLock lock(mutex_);
    if (addresses == addresses_) return {};
    const std::set<IpAddress> before = std::exchange(addresses_, addresses);
    std::erase_if(announcing_, [&](const auto& one) { return !addresses.contains(one.first); });
    for (const IpAddress& address : addresses) {
      if (!before.contains(address)) announcing_[address] = {.times = 0, .due = clock_.steady()};
    }
    join_groups();
    TRY(filter());
  }
  wake();
  return {};
}

Result<void> Responder::filter() {
  TRY(responder::attach(arp_.get(), arp_filter(responder::of_family(addresses_, true))));
  return responder::attach(ndp_.get(), ndp_filter(responder::of_family(addresses_, false)));
}

void Responder::join_groups() {
  std::set<IpAddress> wanted;
  for (const IpAddress& address : responder::of_family(addresses_, false)) {
    wanted.insert(solicited_node_group(address));
  }
  for (const IpAddress& group : joined_) {
    if (!wanted.contains(group)) {
      responder::change_group(groups_.get(), link_.index, group, false);
    }
  }
  std::erase_if(joined_, [&](const IpAddress& group) { return !wanted.contains(group); });
  for (const IpAddress& group : wanted) {
    if (joined_.contains(group) || all_groups_) continue;
    if (responder::change_group(groups_.get(), link_.index, group, true)) {
      joined_.insert(group);
      continue;
    }
    // More than the socket has room for: all of them, then.
    packet_mreq request{};
    request.mr_ifindex = link_.index;
    request.mr_type = PACKET_MR_ALLMULTI;
    all_groups_ =
        ::setsockopt(ndp_.get(), SOL_PACKET, PACKET_ADD_MEMBERSHIP, &request, sizeof request) == 0;
    if (!all_groups_) responder::kLog.warn("joining a multicast group failed", {{"error", errno}});
  }
}

void Responder::run(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    const Steady due = announce();
    int wait = -1;
    if (due != Steady::max()) {
      const auto left = std::chrono::ceil<std::chrono::milliseconds>(due - clock_.steady());
      wait = static_cast<int>(std::max<int64_t>(left.count(), 0));
    }
    pollfd files[] = {{arp_.get(), POLLIN, 0}, {ndp_.get(), POLLIN, 0}, {wakes_.get(), POLLIN, 0}};
    if (::poll(files, std::size(files), wait) < 0 && errno != EINTR) break;
    eventfd_t count = 0;
    if (files[2].revents != 0) ::eventfd_read(wakes_.get(), &count);
    const bool works = (files[0].revents == 0 || receive(arp_.get())) &&
                       (files[1].revents == 0 || receive(ndp_.get()));
    if (works) continue;
    responder::kLog.warn("link is gone; its addresses are not announced", {{"link", link_.index}});
    works_ = false;
    if (events_.broken) events_.broken();
    return;
  }
}

bool Responder::receive(int socket) {
  std::array<char, responder::kMostFrame> buffer;
  for (int i = 0; i < responder::kMostAtOnce; ++i) {
    sockaddr_ll from{};
    socklen_t length = sizeof from;
    const ssize_t size = ::recvfrom(socket, buffer.data(), buffer.size(), 0,
                                    reinterpret_cast<sockaddr*>(&from), &length);
    if (size < 0) return errno == EAGAIN || errno == EINTR;
    // What a promiscuous link hears is for others.
    if (from.sll_pkttype == PACKET_OTHERHOST || from.sll_pkttype == PACKET_OUTGOING) continue;
    answer({buffer.data(), static_cast<size_t>(size)});
  }
  return true;
}

void Responder::answer(std::string_view frame) {
  const std::optional<AddressFrame> read = read_address_frame(frame);
  if (!read || read->sender_mac == link_.mac) return;
  {
    MutexLock lock(mutex_);
    if (!addresses_.contains(read->address)) return;
  }
  if (read->kind == AddressFrame::Kind::kQuestion) {
    send(read->address, answer_frame(*read, link_.mac));
  } else if (events_.claimed) {
    events_.claimed(read->address);
  }
}

void Responder::send(const IpAddress& address, std::string_view frame) const {
  const int socket = address.is_v4() ? arp_.get() : ndp_.get();
  if (::send(socket, frame.data(), frame.size(), 0) < 0) {
    responder::kLog.debug("sending a frame failed", {{"error", errno}});
  }
}

Steady Responder::announce() {
  std::vector<IpAddress> due;
  Steady next = Steady::max();
  {
    MutexLock lock(mutex_);
    const Steady now = clock_.steady();
    for (auto one = announcing_.begin(); one != announcing_.end();) {
      auto& [address, state] = *one;
      if (state.due <= now) {
        due.push_back(address);
        if (state.times == responder::kRepeats.size()) {
          one = announcing_.erase(one);
          continue;
        }
        state.due = now + responder::kRepeats[state.times++];
      }
      next = std::min(next, state.due);
      ++one;
    }
  }
  for (const IpAddress& address : due) send(address, announcement_frame(address, link_.mac));
  return next;
}

void Responder::wake() const {
  if (wakes_.valid()) ::eventfd_write(wakes_.get(), 1);
}

}  // namespace proa::network
