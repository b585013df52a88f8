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

// The certificates that a peer proved to own in the handshake.
struct PeerCertificates {
  std::vector<std::string> chain_der;  // the peer's own first; empty if it sent none
};

struct TlsOptions {
  std::string certificate_pem;  // own certificate and intermediates; empty: none (clients)
  std::string private_key_pem;
  std::string roots_pem;  // client: trusted roots. Empty: the system's
  bool request_client_certificate =
      false;  // server: request, but leave verification to the authenticators
  // server: PEM of the authorities that the request names, so that clients with several
  // certificates choose well. Empty: none
  std::string client_authorities_pem = {};
  bool insecure_skip_verify = false;  // client: trust any server
  // Client: the handshake accepts any server, and the caller judges it before it sends anything:
  // see TlsSession::verification() and PeerCheck.
  bool defer_verification = false;
  bool http2 = true;  // offer h2 by ALPN
};

// Certificates and settings of one side. Immutable: new certificates mean a new context for new
// connections, while existing ones keep theirs.
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

// The current context for new connections; replaced while the server runs.
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

// The TLS state of one connection: bytes in, bytes out, no I/O.
class TlsSession {
 public:
  // `server_name`: client only, the name to verify (a DNS name or an IP address). `offer_http2`:
  // client only; false for what HTTP/2 cannot carry, whatever the context says.
  TlsSession(std::shared_ptr<const TlsContext> context, bool is_server,
             std::string_view server_name = {}, bool offer_http2 = true);
  ~TlsSession();
  TlsSession(const TlsSession&) = delete;
  TlsSession& operator=(const TlsSession&) = delete;

  // Continues the handshake; call at the start (clients send first) and after receive().
  Result<void> handshake();
  bool established() const { return established_; }
  bool is_server() const { return is_server_; }
  std::string_view alpn() const;
  PeerCertificates peer_certificates() const;
  // Whether the server's certificate is valid for the name and signed by a trusted root. REQUIRES:
  // client with deferred verification, established().
  Result<void> verification() const;

  // Lends received bytes until a read() returns nothing: by then OpenSSL has consumed them all.
  void receive(std::string_view ciphertext);
  // Decrypts into `into`; returns the number of bytes, 0 if more data is needed. `ended()` after a
  // close_notify.
  Result<size_t> read(char* into, size_t size);
  bool ended() const { return ended_; }
  // Accepts all bytes. REQUIRES: established().
  Result<void> write(std::string_view plaintext);
  void close_notify();

  // Bytes to send; the caller moves them away.
  std::string& outgoing() { return outgoing_; }

 private:
  friend struct TlsBio;
  Status failure(std::string_view what) const;

  std::shared_ptr<const TlsContext> context_;
  ssl_st* ssl_ = nullptr;
  std::string_view incoming_;  // lent by the caller
  std::string outgoing_;
  const bool is_server_;
  bool established_ = false;
  bool ended_ = false;
};

}  // namespace proa::http
