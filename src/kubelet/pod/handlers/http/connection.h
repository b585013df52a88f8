#pragma once

#include <sys/socket.h>

#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/threads/deadline.h"
#include "http/net/tls.h"

namespace proa::kubelet {

// "10.0.0.1:80", "[::1]:80".
std::string join_host_port(std::string_view host, int port);

// A TCP connection for one exchange, with blocking calls. Probes and hooks test whether a
// connection is accepted now, so unlike those of http::Client these are neither shared nor kept.
// Failures have Go's words, since Events carry them: "dial tcp 10.0.0.1:80: connect: connection
// refused". kTimeout at the deadline. For one thread at a time, not on a loop's.
class Connection {
 public:
  static Result<std::unique_ptr<Connection>> dial(const Clock& clock, const std::string& host,
                                                  int port, const Until& until);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  // REQUIRES: nothing was written or read yet.
  Result<void> start_tls(std::shared_ptr<const http::TlsContext> context,
                         std::string_view server_name, const Until& until);
  Result<void> write(std::string_view bytes, const Until& until);
  // The bytes received, at least one; empty at the end. Valid until the next call.
  Result<std::string_view> read(const Until& until);

 private:
  class StopSignal;
  Connection(const Clock& clock, int descriptor, std::string peer)
      : clock_(clock), descriptor_(descriptor), peer_(std::move(peer)) {}

  Result<void> connect(const ::sockaddr* address, unsigned size, const Until& until);
  // Waits until the socket is readable or writable.
  Result<void> wait(short events, const Until& until) const;
  Result<void> send(std::string_view bytes, const Until& until);
  Result<std::string_view> receive(const Until& until);

  const Clock& clock_;
  const int descriptor_;
  const std::string peer_;
  std::unique_ptr<http::TlsSession> tls_;
  std::string received_;
  std::string decrypted_;
};

}  // namespace proa::kubelet
