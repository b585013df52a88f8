#include "netlink/socket.h"

#include <arpa/inet.h>
#include <linux/netfilter/nfnetlink.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <limits>

namespace proa::netlink {
namespace socket_parts {

// Bursts of notifications, and the answers to a batch, wait here until they are read. The kernel
// takes memory only for what waits.
constexpr int kReceiveBuffer = 8 * 1024 * 1024;
// The kernel builds dumps in pieces of at most 32 KiB if the reader offers as much.
constexpr size_t kDatagram = 32 * 1024;
// More than the length of a batch that the kernel wants as send buffer.
constexpr size_t kSendOverhead = 4096;
constexpr size_t kUsualSendBuffer = 128 * 1024;
// Attempts to list what changes meanwhile.
constexpr int kDumpAttempts = 10;

Result<void> set(int file, int level, int name, int value) {
  if (::setsockopt(file, level, name, &value, sizeof value) == 0) return {};
  return errno_status("netlink socket", errno);
}

// The kernel would choose numbers by chance. Ours have the process in their lower bits, as far as
// process IDs reach, and a number that differs between its sockets in the others.
constexpr uint32_t kProcessBits = 22;
constexpr uint32_t kMostSlots = 1 << 9;

Result<uint32_t> bind_port(int file) {
  static std::atomic<uint32_t> next = 0;
  const uint32_t process = static_cast<uint32_t>(::getpid()) & Socket::kProcessMask;
  for (uint32_t attempt = 0; attempt < kMostSlots; ++attempt) {
    const uint32_t slot = 1 + next.fetch_add(1) % (kMostSlots - 1);
    sockaddr_nl own{};
    own.nl_family = AF_NETLINK;
    own.nl_pid = slot << kProcessBits | process;
    if (::bind(file, reinterpret_cast<sockaddr*>(&own), sizeof own) == 0) return own.nl_pid;
    if (errno != EADDRINUSE) break;
  }
  return errno_status("netlink socket", errno);
}

// -1: forever.
int milliseconds_until(Steady deadline, const Clock& clock) {
  if (deadline == Steady::max()) return -1;
  if (deadline <= clock.steady()) return 0;
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - clock.steady()).count();
  return static_cast<int>(std::clamp<int64_t>(left, 0, std::numeric_limits<int>::max()));
}

bool is_netfilter(const nlmsghdr& header, uint16_t type) { return header.nlmsg_type == type; }

// The message that is answered last.
size_t last_answered(const Batch& batch) {
  const size_t last = batch.count() - 1;
  const bool transaction = last > 1 && is_netfilter(batch.header(0), NFNL_MSG_BATCH_BEGIN) &&
                           is_netfilter(batch.header(last), NFNL_MSG_BATCH_END);
  return transaction ? last - 1 : last;
}

Reason reason_of(int error) {
  switch (error) {
    case ENOENT:
    case ENODEV:
    case ESRCH:
    case ENXIO:
    case EADDRNOTAVAIL:
      return Reason::kNotFound;
    case EEXIST:
      return Reason::kAlreadyExists;
    case EPERM:
    case EACCES:
      return Reason::kForbidden;
    case EBUSY:
      return Reason::kConflict;
    case EOPNOTSUPP:
    case EAFNOSUPPORT:
    case EPROTONOSUPPORT:
      return Reason::kMethodNotAllowed;
    default:
      return Reason::kInternalError;
  }
}

}  // namespace socket_parts

Status refusal_status(std::string_view what, int error, std::string_view text) {
  std::string message(what);
  message += ": ";
  message += std::strerror(error);
  if (!text.empty()) message += " (" + std::string(text) + ")";
  return {socket_parts::reason_of(error), std::move(message)};
}

Result<Socket> Socket::open(int protocol, Clock& clock) {
  using socket_parts::set;
  FileDescriptor file(::socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, protocol));
  if (!file.valid()) return errno_status("netlink socket", errno);
  FileDescriptor wakes(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!wakes.valid()) return errno_status("netlink socket", errno);
  const uint32_t port = TRY(socket_parts::bind_port(file.get()));
  TRY(set(file.get(), SOL_NETLINK, NETLINK_EXT_ACK, 1));
  TRY(set(file.get(), SOL_NETLINK, NETLINK_CAP_ACK, 1));
  // Beyond the usual limit only as root; within it otherwise.
  if (!set(file.get(), SOL_SOCKET, SO_RCVBUFFORCE, socket_parts::kReceiveBuffer).ok()) {
    TRY(set(file.get(), SOL_SOCKET, SO_RCVBUF, socket_parts::kReceiveBuffer));
  }
  return Socket(std::move(file), std::move(wakes), port, clock);
}

Result<Socket> Socket::listen(int protocol, const std::vector<uint32_t>& groups, Clock& clock) {
  Socket socket = TRY(open(protocol, clock));
  for (const uint32_t group : groups) {
    TRY(socket_parts::set(socket.descriptor(), SOL_NETLINK, NETLINK_ADD_MEMBERSHIP,
                          static_cast<int>(group)));
  }
  return socket;
}

Result<void> Socket::ignore_own_process() const {
  constexpr uint32_t kAll = 0xffffffff;
  constexpr auto kSender = offsetof(nlmsghdr, nlmsg_pid);
  // Filters load numbers in network order.
  std::array<sock_filter, 8> program = {{
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, kSender),
      BPF_STMT(BPF_ALU | BPF_AND | BPF_K, htonl(kProcessMask)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, htonl(port_ & kProcessMask), 0, 4),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, kSender),
      BPF_STMT(BPF_ALU | BPF_AND | BPF_K, htonl(~kProcessMask)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0, 1, 0),
      BPF_STMT(BPF_RET | BPF_K, 0),
      BPF_STMT(BPF_RET | BPF_K, kAll),
  }};
  return set_filter(program);
}

Result<void> Socket::set_filter(std::span<sock_filter> program) const {
  const sock_fprog filter{.len = static_cast<uint16_t>(program.size()), .filter = program.data()};
  if (::setsockopt(file_.get(), SOL_SOCKET, SO_ATTACH_FILTER, &filter, sizeof filter) != 0) {
    return errno_status("setting the filter of a netlink socket", errno);
  }
  return {};
}

Result<void> Socket::send(std::string_view bytes) {
  if (bytes.size() + socket_parts::kSendOverhead > socket_parts::kUsualSendBuffer) {
    const auto wanted = static_cast<int>(bytes.size() + socket_parts::kSendOverhead);
    TRY(socket_parts::set(file_.get(), SOL_SOCKET, SO_SNDBUFFORCE, wanted));
  }
  sockaddr_nl kernel{};
  kernel.nl_family = AF_NETLINK;
  while (true) {
    const ssize_t sent = ::sendto(file_.get(), bytes.data(), bytes.size(), 0,
                                  reinterpret_cast<const sockaddr*>(&kernel), sizeof kernel);
    if (sent >= 0) return {};
    if (errno != EINTR) return errno_status("netlink request", errno);
  }
}

Result<bool> Socket::wait(const Until& until, std::span<const int> others) {
  std::vector<pollfd> waiting = {{file_.get(), POLLIN, 0}};
  for (const int other : others) waiting.push_back({other, POLLIN, 0});
  while (true) {
    const int timeout = socket_parts::milliseconds_until(until.deadline, *clock_);
    const int ready = ::poll(waiting.data(), waiting.size(), timeout);
    if (ready < 0 && errno != EINTR) return errno_status("netlink socket", errno);
    if (ready > 0) {
      eventfd_t count = 0;
      if (waiting[0].revents == 0) static_cast<void>(::eventfd_read(wakes_.get(), &count));
      return waiting[0].revents != 0;
    }
    if (until.stop.stop_requested() || clock_->steady() >= until.deadline) return false;
  }
}

Result<std::string_view> Socket::read(const Until& until, std::span<const int> others) {
  while (true) {
    if (buffer_.empty()) buffer_.resize(socket_parts::kDatagram);
    sockaddr_nl from{};
    socklen_t from_length = sizeof from;
    const ssize_t got = ::recvfrom(file_.get(), buffer_.data(), buffer_.size(),
                                   MSG_TRUNC | MSG_PEEK, nullptr, nullptr);
    if (got < 0 && errno == EAGAIN) {
      if (!TRY(wait(until, others))) return std::string_view();
      continue;
    }
    if (got < 0 && errno == EINTR) continue;
    if (got < 0 && errno == ENOBUFS) return Status(Reason::kExpired, "netlink messages were lost");
    if (got < 0) return errno_status("netlink answer", errno);
    // Attributes are at most 64 KiB each, so this stays small.
    if (static_cast<size_t>(got) > buffer_.size()) buffer_.resize(static_cast<size_t>(got));
    const ssize_t taken = ::recvfrom(file_.get(), buffer_.data(), buffer_.size(), 0,
                                     reinterpret_cast<sockaddr*>(&from), &from_length);
    // Other processes may send to this socket; only the kernel (port 0) is listened to.
    if (taken <= 0 || from.nl_pid != 0) continue;
    return std::string_view(buffer_.data(), static_cast<size_t>(taken));
  }
}

Result<void> Socket::read_until(const Until& until,
                                const std::function<Result<bool>(const Message&)>& take) {
  while (true) {
    const std::string_view datagram = TRY(read(until, {}));
    if (datagram.empty()) return Status(Reason::kTimeout, "the kernel has not answered in time");
    MessageReader reader(datagram);
    while (const auto message = reader.next()) {
      if (TRY(take(*message))) return {};
    }
  }
}

Result<void> Socket::request(Batch& batch, const Until& until, const Receive& receive,
                             std::vector<Refusal>* refusals) {
  if (batch.empty()) return {};
  const size_t last = socket_parts::last_answered(batch);
  batch.add_flags(last, NLM_F_ACK);
  const uint32_t first = sequence_ + 1;
  sequence_ += static_cast<uint32_t>(batch.count());
  TRY(send(batch.number_from(first, port_)));
  std::optional<Status> failed;
  const auto take = [&](const Message& message) -> Result<bool> {
    const uint32_t index = message.header.nlmsg_seq - first;
    if (index >= batch.count()) return false;  // to a request whose time was over
    const auto answer = read_answer(message);
    if (!answer) {
      if (receive) TRY(receive(message));
      return false;
    }
    if (index == last && answer->error == 0) return true;
    if (answer->error == 0) return false;
    if (!failed) failed = refusal_status("netlink request", answer->error, answer->text);
    if (refusals != nullptr) refusals->push_back({index, answer->error, answer->text});
    // A refused first message of a transaction stands for all of it.
    return index == last || (index == 0 && last != batch.count() - 1);
  };
  TRY(read_until(until, take));
  if (failed) return *failed;
  return {};
}

Result<void> Socket::dump(Batch& batch, const Until& until, const Receive& receive) {
  CHECK(batch.count() == 1);
  batch.add_flags(0, NLM_F_DUMP);
  const uint32_t sequence = ++sequence_;
  TRY(send(batch.number_from(sequence, port_)));
  bool changed = false;
  // Read to the end even if `receive` fails: the rest would be in the way of the next request.
  std::optional<Status> failed;
  const auto take = [&](const Message& message) -> Result<bool> {
    if (message.header.nlmsg_seq != sequence) return false;
    changed = changed || (message.header.nlmsg_flags & NLM_F_DUMP_INTR) != 0;
    if (message.header.nlmsg_type == NLMSG_DONE) {
      const int error = -message.fixed<int>().value_or(0);
      if (error > 0) return refusal_status("netlink dump", error);
      return true;
    }
    if (const auto answer = read_answer(message)) {
      if (answer->error != 0) return refusal_status("netlink dump", answer->error, answer->text);
      return false;
    }
    if (failed) return false;
    if (const auto taken = receive(message); !taken.ok()) failed = taken.status();
    return false;
  };
  TRY(read_until(until, take));
  if (failed) return *failed;
  if (changed) return Status(Reason::kConflict, "what was listed changed meanwhile");
  return {};
}

Result<void> Socket::receive(const Until& until, const Receive& receive,
                             std::span<const int> also) {
  std::vector<int> others = {wakes_.get()};
  others.insert(others.end(), also.begin(), also.end());
  const std::stop_callback stopped(until.stop, [this] { wake(); });
  Until now = until;
  while (true) {
    const std::string_view datagram = TRY(read(now, others));
    if (datagram.empty()) return {};
    MessageReader reader(datagram);
    while (const auto message = reader.next()) TRY(receive(*message));
    now.deadline = Steady::min();  // whatever has arrived, without another wait
  }
}

void Socket::wake() const {
  // Full means that it is awake already.
  static_cast<void>(::eventfd_write(wakes_.get(), 1));
}

Result<void> dump_again(Socket& socket, Batch& batch, const Until& until,
                        const std::function<void()>& begin, const Socket::Receive& receive) {
  for (int attempt = 1;; ++attempt) {
    begin();
    auto listed = socket.dump(batch, until, receive);
    if (!listed.is(Reason::kConflict) || attempt == socket_parts::kDumpAttempts) return listed;
  }
}

}  // namespace proa::netlink
