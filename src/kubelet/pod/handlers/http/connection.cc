#include "kubelet/pod/handlers/http/connection.h"

#include <netdb.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <optional>
#include <system_error>

namespace proa::kubelet {
namespace connection {

constexpr size_t kReadSize = 16 * 1024;

// As Go has the words of an errno: those of libc, beginning in lower case.
std::string words(int error) {
  std::string text = std::generic_category().message(error);
  if (!text.empty()) text[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(text[0])));
  return text;
}

Status failure(std::string_view what, const std::string& peer, std::string_view call, int error) {
  return Status(Reason::kServiceUnavailable, std::string(what) + " tcp " + peer + ": " +
                                                 std::string(call) + ": " + words(error));
}

struct Addresses {
  addrinfo* first = nullptr;
  ~Addresses() {
    if (first != nullptr) freeaddrinfo(first);
  }
};

Result<void> look_up(const std::string& host, int port, Addresses& found) {
  addrinfo hints{};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_NUMERICSERV;
  const int error = getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &found.first);
  if (error == 0 && found.first != nullptr) return {};
  const char* why = error == EAI_AGAIN ? "server misbehaving" : "no such host";
  return Status(Reason::kServiceUnavailable, "dial tcp: lookup " + host + ": " + why);
}

}  // namespace connection

std::string join_host_port(std::string_view host, int port) {
  const bool is_v6 = host.find(':') != std::string_view::npos;
  return (is_v6 ? "[" + std::string(host) + "]" : std::string(host)) + ":" + std::to_string(port);
}

// Makes a stop visible to poll(2).
class Connection::StopSignal {
 public:
  explicit StopSignal(const std::stop_token& stop) {
    if (!stop.stop_possible()) return;
    descriptor_ = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (descriptor_ >= 0) callback_.emplace(stop, Wake{descriptor_});
  }
  ~StopSignal() {
    callback_.reset();
    if (descriptor_ >= 0) close(descriptor_);
  }
  StopSignal(const StopSignal&) = delete;
  StopSignal& operator=(const StopSignal&) = delete;

  int descriptor() const { return descriptor_; }  // negative: cannot be cancelled

 private:
  struct Wake {
    int descriptor;
    void operator()() const { static_cast<void>(eventfd_write(descriptor, 1)); }
  };
  int descriptor_ = -1;
  std::optional<std::stop_callback<Wake>> callback_;
};

Connection::~Connection() { close(descriptor_); }

Result<std::unique_ptr<Connection>> Connection::dial(const Clock& clock, const std::string& host,
                                                     int port, const Until& until) {
  connection::Addresses addresses;
  TRY(connection::look_up(host, port, addresses));
  std::optional<Status> last;
  for (const addrinfo* next = addresses.first; next != nullptr; next = next->ai_next) {
    const int descriptor =
        socket(next->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, IPPROTO_TCP);
    if (descriptor < 0) {
      last = connection::failure("dial", join_host_port(host, port), "socket", errno);
      continue;
    }
    std::unique_ptr<Connection> made(new Connection(clock, descriptor, join_host_port(host, port)));
    auto connected = made->connect(next->ai_addr, next->ai_addrlen, until);
    if (connected.ok()) return made;
    last = connected.status();
  }
  return *last;
}

Result<void> Connection::connect(const sockaddr* address, unsigned size, const Until& until) {
  // A probe every second would else leave sixty connections in TIME-WAIT; upstream's ProbeDialer
  // does the same.
  const linger short_linger{.l_onoff = 1, .l_linger = 1};
  setsockopt(descriptor_, SOL_SOCKET, SO_LINGER, &short_linger, sizeof(short_linger));
  if (::connect(descriptor_, address, size) == 0) return {};
  if (errno != EINPROGRESS) return connection::failure("dial", peer_, "connect", errno);
  const auto ready = wait(POLLOUT, until);
  if (!ready.ok()) return ready.status().in("dial tcp " + peer_);
  int error = 0;
  socklen_t error_size = sizeof(error);
  getsockopt(descriptor_, SOL_SOCKET, SO_ERROR, &error, &error_size);
  if (error != 0) return connection::failure("dial", peer_, "connect", error);
  return {};
}

Result<void> Connection::wait(short events, const Until& until) const {
  const StopSignal stop(until.stop);
  while (true) {
    if (until.stop.stop_requested()) return Status(Reason::kServiceUnavailable, "context canceled");
    int milliseconds = -1;
    if (until.deadline != Steady::max()) {
      const Duration left = until.deadline - clock_.steady();
      if (left <= Duration::zero()) return Status(Reason::kTimeout, "i/o timeout");
      // Rounded up, and limited: poll takes an int.
      milliseconds = static_cast<int>(std::min<int64_t>(left.count() / 1'000'000 + 1, 60'000));
    }
    pollfd waiting[2] = {{descriptor_, events, 0}, {stop.descriptor(), POLLIN, 0}};
    const int count = poll(waiting, 2, milliseconds);
    if (count < 0 && errno != EINTR) return errno_status("poll", errno);
    if (count > 0 && waiting[0].revents != 0) return {};
    // A fake clock may stand still: the time that poll waited for has passed.
    if (count == 0 && milliseconds < 60'000) return Status(Reason::kTimeout, "i/o timeout");
  }
}

Result<void> Connection::send(std::string_view bytes, const Until& until) {
  while (!bytes.empty()) {
    const ssize_t sent = ::send(descriptor_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent >= 0) {
      bytes.remove_prefix(static_cast<size_t>(sent));
    } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
      TRY(wait(POLLOUT, until));
    } else if (errno != EINTR) {
      return connection::failure("write", peer_, "write", errno);
    }
  }
  return {};
}

Result<std::string_view> Connection::receive(const Until& until) {
  received_.resize(connection::kReadSize);
  while (true) {
    const ssize_t size = recv(descriptor_, received_.data(), received_.size(), 0);
    if (size >= 0) return std::string_view(received_).substr(0, static_cast<size_t>(size));
    if (errno == EAGAIN || errno == EWOULDBLOCK) {
      TRY(wait(POLLIN, until));
    } else if (errno != EINTR) {
      return connection::failure("read", peer_, "read", errno);
    }
  }
}

Result<void> Connection::start_tls(std::shared_ptr<const http::TlsContext> context,
                                   std::string_view server_name, const Until& until) {
  tls_ = std::make_unique<http::TlsSession>(std::move(context), false, server_name, false);
  while (true) {
    const auto progress = tls_->handshake();
    TRY(send(std::exchange(tls_->outgoing(), {}), until));
    if (!progress.ok()) return progress.status();
    if (tls_->established()) return {};
    const auto bytes = TRY(receive(until));
    if (bytes.empty()) return Status(Reason::kServiceUnavailable, "EOF");
    tls_->receive(bytes);
  }
}

Result<void> Connection::write(std::string_view bytes, const Until& until) {
  if (tls_ == nullptr) return send(bytes, until);
  TRY(tls_->write(bytes));
  return send(std::exchange(tls_->outgoing(), {}), until);
}

Result<std::string_view> Connection::read(const Until& until) {
  if (tls_ == nullptr) return receive(until);
  decrypted_.resize(connection::kReadSize);
  while (true) {
    const size_t size = TRY(tls_->read(decrypted_.data(), decrypted_.size()));
    if (size > 0 || tls_->ended()) return std::string_view(decrypted_).substr(0, size);
    const auto bytes = TRY(receive(until));
    if (bytes.empty()) return std::string_view();
    tls_->receive(bytes);
  }
}

}  // namespace proa::kubelet
