#include "lab/network/relay.h"

#include <arpa/inet.h>
#include <linux/if_packet.h>
#include <net/ethernet.h>
#include <net/if.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <deque>
#include <optional>

#include "base/clock.h"
#include "base/files.h"

namespace proa::lab {
namespace relay {

constexpr size_t kHeader = 14;
// What the kernel notes about checksums and segments that are still to be made, before each frame:
// struct virtio_net_hdr, whose header is none for C++.
constexpr size_t kNotes = 10;
constexpr size_t kTypeOffset = 12;
// The largest packet that the kernel passes on in one piece, and its headers.
constexpr size_t kMostBytes = 65536 + 256;
// A tenth of a second at 5 Gbit/s. Further frames are lost, as in any queue that is full.
constexpr size_t kMostHeld = 64 << 20;
// Per turn and port, so that frames leave in time while others keep coming.
constexpr int kMostAtOnce = 64;

uint16_t type_of(std::string_view frame) {
  return static_cast<uint16_t>(static_cast<uint8_t>(frame[kTypeOffset]) << 8 |
                               static_cast<uint8_t>(frame[kTypeOffset + 1]));
}

// Where the destination address is in a packet, and its length; zero for others than IP.
struct Part {
  size_t offset = 0;
  size_t size = 0;
};
Part destination_in(std::string_view frame) {
  constexpr Part kV4{.offset = kHeader + 16, .size = 4};
  constexpr Part kV6{.offset = kHeader + 24, .size = 16};
  const uint16_t type = type_of(frame);
  const Part part = type == ETHERTYPE_IP ? kV4 : type == ETHERTYPE_IPV6 ? kV6 : Part{};
  return frame.size() < part.offset + part.size ? Part{} : part;
}

bool is_for(std::string_view frame, const Machine& machine) {
  const Part part = destination_in(frame);
  return part.size > 0 && std::ranges::any_of(machine.cable.addresses, [&](const IpPrefix& each) {
           const auto& bytes = each.address.bytes;
           return each.address.is_v4() == (part.size == 4) &&
                  std::memcmp(bytes.data() + bytes.size() - part.size, frame.data() + part.offset,
                              part.size) == 0;
         });
}

// Adds to a word in network order, with the checksum's arithmetic.
void add_to_checksum(char* word, uint32_t number) {
  uint32_t sum =
      (static_cast<uint32_t>(static_cast<uint8_t>(word[0])) << 8 | static_cast<uint8_t>(word[1])) +
      number;
  sum = (sum & 0xffff) + (sum >> 16);
  word[0] = static_cast<char>(sum >> 8);
  word[1] = static_cast<char>(sum & 0xff);
}

struct Frame {
  Steady due = {};
  std::string bytes = {};  // the kernel's notes on checksums and segments, then the frame
};

// A port of the switch, with the frames that wait to leave by it.
class Port {
 public:
  static Result<Port> open(const Machine& machine) {
    Port port(machine);
    const std::string& name = machine.cable.port;
    port.index_ = if_nametoindex(name.c_str());
    if (port.index_ == 0) {
      return Status(Reason::kNotFound, "the switch has no port " + name + "; does it run?");
    }
    port.socket_ = FileDescriptor(socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    const int on = 1;
    const int buffer = 16 << 20;
    const auto set = [&](int level, int option, const int& value) {
      return setsockopt(port.socket_.get(), level, option, &value, sizeof value) == 0;
    };
    sockaddr_ll where{};
    where.sll_family = AF_PACKET;
    where.sll_protocol = htons(ETH_P_ALL);
    where.sll_ifindex = static_cast<int>(port.index_);
    const bool made =
        port.socket_.valid() && set(SOL_PACKET, PACKET_VNET_HDR, on) &&
        set(SOL_PACKET, PACKET_IGNORE_OUTGOING, on) && set(SOL_SOCKET, SO_RCVBUFFORCE, buffer) &&
        bind(port.socket_.get(), reinterpret_cast<const sockaddr*>(&where), sizeof where) == 0;
    if (!made) return errno_status("listening on the port " + name, errno);
    return port;
  }

  int descriptor() const { return socket_.get(); }
  const Machine& machine() const { return *machine_; }
  std::optional<Steady> next_due() const {
    return frames_.empty() ? std::nullopt : std::optional(frames_.front().due);
  }

  void hold(Frame frame) {
    if (held_ + frame.bytes.size() > kMostHeld) return;
    held_ += frame.bytes.size();
    frames_.push_back(std::move(frame));
  }
  void send_due(Steady now) {
    while (!frames_.empty() && frames_.front().due <= now) {
      const std::string& bytes = frames_.front().bytes;
      // A frame that cannot be sent is lost, as on a cable.
      if (::send(socket_.get(), bytes.data(), bytes.size(), MSG_DONTWAIT) < 0 && errno == ENXIO) {
        gone_ = true;
      }
      held_ -= bytes.size();
      frames_.pop_front();
    }
  }
  // The next frame that came in; empty if there is none.
  std::string_view receive() {
    buffer_.resize(kNotes + kMostBytes);
    const ssize_t count = recv(socket_.get(), buffer_.data(), buffer_.size(), MSG_DONTWAIT);
    if (count < 0 && errno != EAGAIN && errno != EINTR) gone_ = true;
    return std::string_view(buffer_).substr(0, static_cast<size_t>(std::max<ssize_t>(count, 0)));
  }
  bool is_gone() const { return gone_; }

 private:
  explicit Port(const Machine& machine) : machine_(&machine) {}

  const Machine* machine_;
  unsigned index_ = 0;
  FileDescriptor socket_;
  std::string buffer_;
  std::deque<Frame> frames_;
  size_t held_ = 0;
  bool gone_ = false;
};

void take_in(Port& from, Port& to, Steady due) {
  for (int i = 0; i < kMostAtOnce; ++i) {
    const std::string_view received = from.receive();
    if (received.size() <= kNotes) return;
    std::string frame(received.substr(kNotes));
    const Passage passage = passage_of(frame, from.machine(), to.machine());
    if (passage == Passage::kNone) continue;
    if (passage == Passage::kRouted && !route_frame(frame, to.machine().cable)) continue;
    to.hold({.due = due, .bytes = std::string(received.substr(0, kNotes)) + frame});
  }
}

}  // namespace relay

Passage passage_of(std::string_view frame, const Machine& from, const Machine& to) {
  using namespace relay;  // NOLINT: this unit's own
  if (frame.size() < kHeader) return Passage::kNone;
  if (from.cable.bridged && to.cable.bridged) {
    const bool several = (static_cast<uint8_t>(frame[0]) & 1) != 0;
    const MacAddress& mac = to.cable.mac;
    return several || std::memcmp(frame.data(), mac.data(), mac.size()) == 0 ? Passage::kBridged
                                                                             : Passage::kNone;
  }
  return is_for(frame, to) ? Passage::kRouted : Passage::kNone;
}

bool route_frame(std::string& frame, const Cable& to) {
  using namespace relay;  // NOLINT: this unit's own
  constexpr size_t kV4Hops = kHeader + 8;
  constexpr size_t kV4Checksum = kHeader + 10;
  constexpr size_t kV6Hops = kHeader + 7;
  const bool v4 = type_of(frame) == ETHERTYPE_IP;
  char& hops = frame[v4 ? kV4Hops : kV6Hops];
  if (static_cast<uint8_t>(hops) < 2) return false;
  --hops;
  if (v4) add_to_checksum(&frame[kV4Checksum], 0x0100);
  std::memcpy(frame.data(), to.mac.data(), to.mac.size());
  std::memcpy(frame.data() + to.mac.size(), to.port_mac.data(), to.port_mac.size());
  return true;
}

Result<void> run_relay(const Machine& a, const Machine& b, Duration delay) {
  using namespace relay;  // NOLINT: this unit's own
  const SystemClock clock;
  Port one = TRY(Port::open(a));
  Port other = TRY(Port::open(b));
  while (!one.is_gone() && !other.is_gone()) {
    const Steady now = clock.steady();
    one.send_due(now);
    other.send_due(now);
    std::optional<Steady> next = one.next_due();
    if (const auto due = other.next_due(); due && (!next || *due < *next)) next = due;
    timespec wait{};
    if (next) {
      const Duration left = std::max(Duration(0), *next - clock.steady());
      wait.tv_sec = std::chrono::duration_cast<std::chrono::seconds>(left).count();
      wait.tv_nsec = (left % std::chrono::seconds(1)).count();
    }
    pollfd waits[] = {{one.descriptor(), POLLIN, 0}, {other.descriptor(), POLLIN, 0}};
    if (ppoll(waits, 2, next ? &wait : nullptr, nullptr) < 0 && errno != EINTR) {
      return errno_status("waiting for frames", errno);
    }
    const Steady due = clock.steady() + delay;
    if (waits[0].revents != 0) take_in(one, other, due);
    if (waits[1].revents != 0) take_in(other, one, due);
  }
  return Status(Reason::kNotFound, "a port of the switch is gone");
}

}  // namespace proa::lab
