#include "dns/forward/upstream/exchange.h"

#include <net/if.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>

#include "dns/message/reader.h"

namespace proa::dns {
namespace exchange {

// Room for a handful of answers: more come only from those who guess.
constexpr int kReceiveBuffer = 16 * 1024;
constexpr size_t kStep = 4096;
constexpr size_t kLengthSize = 2;

struct Address {
  sockaddr_storage storage{};
  socklen_t size = 0;

  const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&storage); }
};

Address address_of(const Upstream& upstream) {
  Address address;
  if (upstream.address.is_v4()) {
    auto* const v4 = reinterpret_cast<sockaddr_in*>(&address.storage);
    v4->sin_family = AF_INET;
    v4->sin_port = htons(upstream.port);
    std::memcpy(&v4->sin_addr, upstream.address.bytes.data() + 12, 4);
    address.size = sizeof *v4;
  } else {
    auto* const v6 = reinterpret_cast<sockaddr_in6*>(&address.storage);
    v6->sin6_family = AF_INET6;
    v6->sin6_port = htons(upstream.port);
    std::memcpy(&v6->sin6_addr, upstream.address.bytes.data(), 16);
    if (!upstream.link.empty()) v6->sin6_scope_id = ::if_nametoindex(upstream.link.c_str());
    address.size = sizeof *v6;
  }
  return address;
}

bool would_block(int error) { return error == EAGAIN || error == EWOULDBLOCK || error == EINTR; }

}  // namespace exchange

Result<std::unique_ptr<Exchange>> Exchange::open(const Upstream& upstream, bool tcp,
                                                 ByteSpan query) {
  const exchange::Address address = exchange::address_of(upstream);
  const int type = (tcp ? SOCK_STREAM : SOCK_DGRAM) | SOCK_NONBLOCK | SOCK_CLOEXEC;
  FileDescriptor socket(::socket(address.storage.ss_family, type, 0));
  if (!socket.valid()) {
    return Status(Reason::kTooManyRequests, errno_status("socket", errno).message());
  }
  const int number = socket.get();
  if (tcp) {
    const int on = 1;
    ::setsockopt(number, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  } else {
    ::setsockopt(number, SOL_SOCKET, SO_RCVBUF, &exchange::kReceiveBuffer,
                 sizeof exchange::kReceiveBuffer);
  }
  // The kernel picks a random source port here.
  if (::connect(number, address.get(), address.size) != 0 && errno != EINPROGRESS) {
    return errno_status("connecting to " + upstream.str(), errno);
  }
  std::unique_ptr<Exchange> made(new Exchange(std::move(socket), tcp));
  made->out_.reserve(exchange::kLengthSize + query.size());
  if (tcp) {
    made->out_.push_back(static_cast<uint8_t>(query.size() >> 8));
    made->out_.push_back(static_cast<uint8_t>(query.size()));
  }
  made->out_.insert(made->out_.end(), query.begin(), query.end());
  if (!tcp && !made->send_datagram()) {
    return errno_status("sending to " + upstream.str(), errno);
  }
  return made;
}

bool Exchange::send_datagram() {
  return ::send(socket_.get(), out_.data(), out_.size(), MSG_NOSIGNAL) ==
         static_cast<ssize_t>(out_.size());
}

Exchange::Outcome Exchange::advance(std::span<uint8_t> scratch, ByteSpan& message) {
  if (tcp_) {
    if (sending()) {
      const Outcome outcome = send_rest();
      if (outcome != Outcome::kWaiting || sending()) return outcome;
    }
    return receive_tcp(message);
  }
  const ssize_t size = ::recv(socket_.get(), scratch.data(), scratch.size(), 0);
  if (size < 0) return exchange::would_block(errno) ? Outcome::kWaiting : Outcome::kFailed;
  message = scratch.first(static_cast<size_t>(size));
  return Outcome::kMessage;
}

Exchange::Outcome Exchange::send_rest() {
  const ssize_t size =
      ::send(socket_.get(), out_.data() + sent_, out_.size() - sent_, MSG_NOSIGNAL);
  // A connection that is not made yet would block, too.
  if (size < 0) return exchange::would_block(errno) ? Outcome::kWaiting : Outcome::kFailed;
  sent_ += static_cast<size_t>(size);
  return Outcome::kWaiting;
}

Exchange::Outcome Exchange::receive_tcp(ByteSpan& message) {
  while (true) {
    size_t wanted = exchange::kLengthSize;
    if (received_ >= exchange::kLengthSize) {
      wanted += read16(in_.data());
      if (wanted < exchange::kLengthSize + kHeaderSize) return Outcome::kFailed;
    }
    if (received_ == wanted) {
      message = ByteSpan(in_).subspan(exchange::kLengthSize, wanted - exchange::kLengthSize);
      return Outcome::kMessage;
    }
    in_.resize(std::min(wanted, received_ + exchange::kStep));
    const ssize_t size = ::recv(socket_.get(), in_.data() + received_, in_.size() - received_, 0);
    if (size == 0) return Outcome::kFailed;
    if (size < 0) return exchange::would_block(errno) ? Outcome::kWaiting : Outcome::kFailed;
    received_ += static_cast<size_t>(size);
  }
}

}  // namespace proa::dns
