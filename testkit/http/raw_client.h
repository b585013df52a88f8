#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "crypto/certificate.h"
#include "http/wire/message.h"

namespace proa::testkit {

// A client that sends the bytes it is told to, right or wrong, and blocks; with OpenSSL itself
// underneath, not with our own TLS. A peer that stays silent for longer than kPatience is a failure
// of the test, and counts as gone.
class RawClient {
 public:
  struct Options {
    bool tls = false;
    std::string protocol;                          // what to ask for by ALPN; empty: nothing
    const crypto::CertifiedKey* client = nullptr;  // the certificate to show
    int max_tls_version = 0;                       // TLS1_1_VERSION and so on
    std::string from = "127.0.0.1";                // own address
    int receive_buffer = 0;  // bytes that the kernel takes for us; 0: its choice
  };

  explicit RawClient(int port) : RawClient(port, Options()) {}
  RawClient(int port, const Options& options);
  ~RawClient();
  RawClient(const RawClient&) = delete;
  RawClient& operator=(const RawClient&) = delete;

  // Whether the connection, and the handshake, came about.
  bool connected() const { return connected_; }
  std::string_view protocol() const;  // as agreed by ALPN
  std::string server_certificate_der() const;

  // False when the peer is gone.
  bool send(std::string_view bytes);
  // As much as the kernel takes now; how many bytes that were. Without TLS only.
  size_t send_some(std::string_view bytes);
  // What has come; empty when the peer ended or is gone.
  std::string receive();
  // Up to and with `end`; shorter when the peer is gone.
  std::string receive_until(std::string_view end);
  std::string receive_exactly(size_t size);
  // Until the peer ends.
  std::string receive_all();
  // One answer off an HTTP/1 connection, its body without chunks.
  http::Response receive_response(bool to_head_request = false);

  // Sends nothing more, but still reads: with TLS by a close_notify.
  void end();
  // Closes the TCP connection without a word of TLS.
  void cut_off();
  // Closes with a reset instead of an end.
  void reset();
  int descriptor() const { return descriptor_; }

 private:
  struct Tls;
  void handshake(const Options& options);
  bool wait_for(short events);
  std::string receive_tls();

  int descriptor_ = -1;
  bool connected_ = false;
  std::unique_ptr<Tls> tls_;
  std::string received_;  // not yet handed out
};

}  // namespace proa::testkit
