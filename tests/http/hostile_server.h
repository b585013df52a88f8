#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/strings.h"
#include "base/threads/mutex.h"
#include "crypto/certificate.h"
#include "http/net/loop.h"
#include "http/net/socket.h"
#include "http/net/tls.h"
#include "http/server/listener.h"

namespace proa::testkit {

// What a hostile server does with a request: any bytes, at any speed.
struct HostileReply {
  std::string bytes = "";
  Duration pause{0};        // before every single byte; zero: all at once
  std::string filler = "";  // sent `fillers` times after them, as fast as the peer reads
  uint64_t fillers = 0;
  bool closes = false;  // when all is sent
};

// Speaks TLS and HTTP/1.1, and replies to every request as it is told. Thread-safe.
class HostileServer {
 public:
  // `script`: gets the head and the body of a request, as they were sent. On the loop's thread.
  using Script = std::function<HostileReply(const std::string& request)>;

  HostileServer(const crypto::CertifiedKey& key, Script script)
      : script_(std::move(script)),
        tls_(http::TlsContext::server({.certificate_pem = key.certificate_pem,
                                       .private_key_pem = key.private_key_pem,
                                       .request_client_certificate = true,
                                       .http2 = false})
                 .value()) {}
  ~HostileServer() {
    for (const auto& listener : listeners_) listener->stop();
    loop_.run_and_wait([this] { peers_.clear(); });
  }
  HostileServer(const HostileServer&) = delete;
  HostileServer& operator=(const HostileServer&) = delete;

  // Returns the port.
  int listen_at(const std::string& address) {
    listeners_.push_back(
        std::make_unique<http::Listener>(loop_, [this](int descriptor, const std::string&, bool) {
          peers_.push_back(std::make_unique<Peer>(*this, descriptor));
        }));
    return listeners_.back()->listen({.address = address, .port = 0}).value().port;
  }

  // All requests so far.
  std::vector<std::string> requests() const EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    return requests_;
  }
  size_t count() const EXCLUDES(mutex_) { return requests().size(); }
  // The bytes that the peers' kernels took.
  uint64_t bytes_sent() const { return bytes_sent_; }

 private:
  class Peer final : public http::Socket::Events {
   public:
    Peer(HostileServer& server, int descriptor)
        : server_(server),
          tick_(server.loop_, [this] { drip(); }),
          socket_(http::Socket::adopt(server.loop_, descriptor, false, server.tls_)) {
      socket_->set_events(*this);
    }

    void on_data(std::string_view bytes) override {
      received_ += bytes;
      while (const size_t size = request_size()) {
        const std::string request = received_.substr(0, size);
        received_.erase(0, size);
        reply_ = server_.reply(request);
        next_ = 0;
        begin();
      }
    }
    void on_end() override {}
    void on_drained() override {
      count();
      fill();
    }
    void on_closed(const Status&) override { tick_.stop(); }

   private:
    // Of the first request; zero: it is not complete.
    size_t request_size() const {
      constexpr std::string_view kEnd = "\r\n\r\n";
      const size_t head = received_.find(kEnd);
      if (head == std::string::npos) return 0;
      const std::string fields = to_lower(received_.substr(0, head + 2));
      constexpr std::string_view kLength = "\r\ncontent-length:";
      const size_t stated = fields.find(kLength);
      size_t body = 0;
      if (stated != std::string::npos) {
        const size_t from = stated + kLength.size();
        const auto length = parse_int(trim(fields.substr(from, fields.find('\r', from) - from)));
        CHECK(length.has_value());
        body = static_cast<size_t>(*length);
      }
      const size_t size = head + kEnd.size() + body;
      return received_.size() < size ? 0 : size;
    }

    void begin() {
      if (reply_.pause > Duration{0}) return tick_.start(reply_.pause);
      send(reply_.bytes);
      next_ = reply_.bytes.size();
      fill();
    }
    void drip() {
      if (next_ == reply_.bytes.size()) return fill();
      send(reply_.bytes.substr(next_++, 1));
      tick_.start(reply_.pause);
    }
    void fill() {
      if (next_ < reply_.bytes.size()) return;
      if (reply_.fillers > 0) {
        --reply_.fillers;
        return send(reply_.filler);
      }
      if (std::exchange(reply_.closes, false)) socket_->shutdown();
    }
    void send(const std::string& text) {
      if (text.empty()) return;
      socket_->write(Bytes(text));
      socket_->flush();
    }
    void count() {
      const uint64_t now = socket_->bytes_sent();
      server_.bytes_sent_ += now - counted_;
      counted_ = now;
    }

    HostileServer& server_;
    http::Timer tick_;
    std::unique_ptr<http::Socket> socket_;
    std::string received_;
    HostileReply reply_;
    size_t next_ = 0;       // of the reply's bytes
    uint64_t counted_ = 0;  // of the bytes sent
  };

  HostileReply reply(const std::string& request) EXCLUDES(mutex_) {
    {
      MutexLock lock(mutex_);
      requests_.push_back(request);
    }
    return script_(request);
  }

  const Script script_;
  const std::shared_ptr<const http::TlsContext> tls_;
  mutable Mutex mutex_;
  std::vector<std::string> requests_ GUARDED_BY(mutex_);
  std::atomic<uint64_t> bytes_sent_{0};
  http::Loop loop_;
  std::list<std::unique_ptr<Peer>> peers_;  // loop thread only
  std::vector<std::unique_ptr<http::Listener>> listeners_;
};

}  // namespace proa::testkit
