#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>

#include "http/wire/http2_session.h"
#include "testkit/http/raw_client.h"

namespace proa::testkit {

// A blocking HTTP/2 client, over TLS or with prior knowledge. It can misbehave: keep windows
// closed, and send invalid frames.
class Http2Client final : private http::Http2Session::Events {
 public:
  struct Answer {
    int status = 0;
    http::Headers headers;
    std::string body;
    http::Headers trailers;
    bool ended = false;              // the response is complete
    std::optional<uint32_t> closed;  // the stream is closed, with this error code
  };

  explicit Http2Client(int port, bool tls = true, const http::Http2Limits& limits = generous());
  // Over TLS, with a certificate.
  Http2Client(int port, const crypto::CertifiedKey& client,
              const http::Http2Limits& limits = generous());
  static http::Http2Limits generous();

  // Opens a stream; `end`: without a body.
  http::StreamId ask(const std::string& method, const std::string& target, bool end = true,
                     http::Headers headers = {});
  void send(http::StreamId stream, std::string body);
  void send(http::StreamId stream, Bytes body);
  void end(http::StreamId stream, http::Headers trailers = {});
  void reset(http::StreamId stream);
  void ping();
  // Keeps this stream's window closed.
  void hold(http::StreamId stream) { held_.insert(stream); }

  // Reads until the stream or the connection ends.
  const Answer& wait(http::StreamId stream);
  // Reads once; false if the server has disconnected.
  bool read();
  // Reads until the server disconnects.
  void wait_for_end();
  Answer& answer(http::StreamId stream) { return answers_[stream]; }
  bool goaway() const { return goaway_; }
  size_t unsent(http::StreamId stream) const { return session_.unsent(stream); }
  // Sends the session's output.
  void flush();
  RawClient& raw() { return client_; }

 private:
  void on_response(http::StreamId id, http::ResponseHead head, bool end) override;
  void on_body(http::StreamId id, std::string_view bytes) override;
  void on_body_end(http::StreamId id, http::Headers trailers) override;
  void on_stream_closed(http::StreamId id, uint32_t error_code) override;
  void on_goaway(http::StreamId) override { goaway_ = true; }

  RawClient client_;
  http::Http2Session session_;
  std::map<http::StreamId, Answer> answers_;
  std::set<http::StreamId> held_;
  bool goaway_ = false;
};

// Frames per RFC 9113, for what no session would send.
namespace frames {

constexpr uint8_t kData = 0, kHeaders = 1, kPriority = 2, kReset = 3, kSettings = 4, kPing = 6,
                  kGoaway = 7, kWindow = 8, kContinuation = 9;
constexpr uint8_t kEndStream = 1, kAck = 1, kEndHeaders = 4;

constexpr std::string_view kPreface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

std::string frame(uint8_t type, uint8_t flags, uint32_t stream, std::string_view payload = {});
// A literal HPACK header field without indexing. REQUIRES: both shorter than 127.
std::string field(std::string_view name, std::string_view value);
// The fields of a GET of "/".
std::string get_fields();
std::string number(uint32_t value);  // four bytes

}  // namespace frames
}  // namespace proa::testkit
