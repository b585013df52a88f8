#pragma once

#include <memory>
#include <string>
#include <vector>

#include "framing.h"

struct ssl_ctx_st;
struct ssl_st;

namespace proa::load {

// Where the server is, whom to believe, and as whom to speak: from a kubeconfig of ours.
struct Target {
  int port = 0;
  std::shared_ptr<ssl_ctx_st> http1;
  std::shared_ptr<ssl_ctx_st> http2;
};

Target read_target(const std::string& kubeconfig_path);

// Somebody else, as PEM.
struct Identity {
  std::string authority_pem;
  std::string certificate_pem;
  std::string key_pem;
};
Target make_target(int port, const Identity& identity);

// One connection over TLS, its handshake done. For one thread.
class Connection {
 public:
  Connection(const Target& target, Protocol protocol, Framing::Events& events);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  // Gathered; it goes out with the next flush(). While events run, the flush comes by itself.
  void send(const Request& request, size_t tag) { framing_->request(request, tag, out_); }
  void flush();
  // Reads what is there, tells of it, and flushes what the events sent.
  void on_readable();
  int descriptor() const { return descriptor_; }

 private:
  int descriptor_ = -1;
  ssl_st* tls_ = nullptr;
  Framing::Events& events_;
  std::unique_ptr<Framing> framing_;
  std::string out_;
};

// Waits for many connections at once.
class Poller {
 public:
  Poller();
  ~Poller();
  Poller(const Poller&) = delete;
  Poller& operator=(const Poller&) = delete;

  // REQUIRES: outlives the poller's last wait.
  void add(Connection& connection);
  // Serves whatever can be read; returns after `milliseconds` when nothing can.
  void wait(int milliseconds);

 private:
  int descriptor_ = -1;
};

// False when nothing listens there yet; else whether /readyz answered 200, its node apart. No
// certificate is shown.
bool is_ready(int port);

}  // namespace proa::load
