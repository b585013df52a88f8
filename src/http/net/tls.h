#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/threads/mutex.h"

struct ssl_ctx_st;
struct ssl_st;

namespace proa::http {

// What a peer proved to own during the handshake.
struct PeerCertificates {
  std::vector<std::string> chain_der;  // the peer's own first; empty when it showed none
};

struct TlsOptions {
  std::string certificate_pem;  // own certificate and intermediates; empty: none (clients)
  std::string private_key_pem;
  std::string roots_pem;                    // client: whom to trust. Empty: the system's roots.
  bool request_client_certificate = false;  // server: ask, but leave judging to the authenticators
  bool insecure_skip_verify = false;        // client: trust anybody
  bool http2 = true;                        // offer h2 by ALPN
};

// Certificates and settings of one side, immutable: new certificates are a new context, which new
// connections use while old ones go on with what they have.
class TlsContext {
 public:
  static Result<std::shared_ptr<const TlsContext>> server(const TlsOptions& options);
  static Result<std::shared_ptr<const TlsContext>> client(const TlsOptions& options);
  ~TlsContext();

  ssl_ctx_st* raw() const { return context_; }
  bool verifies() const { return verifies_; }

 private:
  TlsContext(ssl_ctx_st* context, bool verifies) : context_(context), verifies_(verifies) {}
  ssl_ctx_st* context_;
  bool verifies_;
};

// The context of the day, which new connections take; replaced while the server runs.
class TlsSource {
 public:
  explicit TlsSource(std::shared_ptr<const TlsContext> context) : context_(std::move(context)) {}
  std::shared_ptr<const TlsContext> get() const EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    return context_;
  }
  void set(std::shared_ptr<const TlsContext> context) EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    context_.swap(context);  // the old one is freed by the caller, outside of the lock
  }

 private:
  mutable Mutex mutex_;
  std::shared_ptr<const TlsContext> context_ GUARDED_BY(mutex_);
};

// One connection's TLS: bytes in, bytes out, no I/O of its own.
class TlsSession {
 public:
  // `server_name`: client only, what the certificate must be for (a DNS name or an IP address).
  // `offer_http2`: client only; false for what HTTP/2 can't carry, whatever the context says.
  TlsSession(std::shared_ptr<const TlsContext> context, bool is_server,
             std::string_view server_name = {}, bool offer_http2 = true);
  ~TlsSession();
  TlsSession(const TlsSession&) = delete;
  TlsSession& operator=(const TlsSession&) = delete;

  // Goes on with the handshake; call at the start (clients speak first) and after receive().
  Result<void> handshake();
  bool established() const { return established_; }
  bool is_server() const { return is_server_; }
  std::string_view alpn() const;
  PeerCertificates peer_certificates() const;

  // Lends bytes off the wire, until a read() returns nothing: by then OpenSSL has taken them all.
  void receive(std::string_view ciphertext);
  // Decrypts into `into`; how many bytes, 0 when more must come first. `ended()` after a
  // close_notify.
  Result<size_t> read(char* into, size_t size);
  bool ended() const { return ended_; }
  // REQUIRES: established(). Takes all of it.
  Result<void> write(std::string_view plaintext);
  void close_notify();

  // What must go to the wire; the caller moves it away.
  std::string& outgoing() { return outgoing_; }

 private:
  friend struct TlsBio;
  Status failure(std::string_view what) const;

  std::shared_ptr<const TlsContext> context_;
  ssl_st* ssl_ = nullptr;
  std::string_view incoming_;  // what the caller lent
  std::string outgoing_;
  const bool is_server_;
  bool established_ = false;
  bool ended_ = false;
};

}  // namespace proa::http
