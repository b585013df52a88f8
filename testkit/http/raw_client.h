#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "crypto/certificate.h"
#include "http/wire/message.h"

namespace proa::testkit {

// A blocking client that sends arbitrary bytes, over OpenSSL rather than our own TLS. A peer that
// is silent for longer than kTestTimeout fails the test and counts as disconnected.
class RawClient {
 public:
  struct Options {
    bool tls = false;
    std::string protocol;                          // to offer by ALPN; empty: none
    const crypto::CertifiedKey* client = nullptr;  // the client certificate
    int max_tls_version = 0;                       // TLS1_1_VERSION etc.
    std::string from = "127.0.0.1";                // own address
    int receive_buffer = 0;  // size of the kernel's receive buffer; 0: default
  };

  explicit RawClient(int port) : RawClient(port, Options()) {}
  RawClient(int port, const Options& options);
  ~RawClient();
  RawClient(const RawClient&) = delete;
  RawClient& operator=(const RawClient&) = delete;

  // Whether connection and handshake succeeded.
  bool connected() const { return connected_; }
  std::string_view protocol() const;  // selected by ALPN
  std::string server_certificate_der() const;
  // The authorities that the server's request for a certificate named: "/CN=test".
  std::vector<std::string> named_authorities() const;

  // False if the peer has disconnected.
  bool send(std::string_view bytes);
  // Sends as much as the kernel accepts now; returns the number of bytes. Without TLS only.
  size_t send_some(std::string_view bytes);
  // The received bytes; empty if the peer has ended or disconnected.
  std::string receive();
  // Up to and including `end`; shorter if the peer disconnects.
  std::string receive_until(std::string_view end);
  std::string receive_exactly(size_t size);
  // Until the peer ends.
  std::string receive_all();
  // One HTTP/1 response, with its body dechunked.
  http::Response receive_response(bool to_head_request = false);

  // Ends our direction: with TLS by a close_notify.
  void end();
  // Closes the TCP connection without a close_notify.
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
  std::string received_;  // not yet returned
};

}  // namespace proa::testkit
