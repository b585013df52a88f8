#include "testkit/http/http2_client.h"

#include "base/check.h"

namespace proa::testkit {

Http2Client::Http2Client(int port, bool tls, const http::Http2Limits& limits)
    : client_(port, {.tls = tls, .protocol = tls ? "h2" : ""}),
      session_(http::Http2Session::Role::kClient, limits, *this) {
  flush();
}

Http2Client::Http2Client(int port, const crypto::CertifiedKey& client,
                         const http::Http2Limits& limits)
    : client_(port, {.tls = true, .protocol = "h2", .client = &client}),
      session_(http::Http2Session::Role::kClient, limits, *this) {
  flush();
}

http::Http2Limits Http2Client::generous() {
  http::Http2Limits limits;
  limits.stream_window = 4 << 20;
  limits.connection_window = 64 << 20;
  return limits;
}

http::StreamId Http2Client::ask(const std::string& method, const std::string& target, bool end,
                                http::Headers headers) {
  http::RequestHead head;
  head.method = method;
  head.target = target;
  head.scheme = "https";
  head.authority = "localhost";
  head.headers = std::move(headers);
  auto stream = session_.request(head, end);
  CHECK(stream.ok());
  flush();
  return *stream;
}

void Http2Client::send(http::StreamId stream, std::string body) {
  send(stream, Bytes(std::move(body)));
}

void Http2Client::send(http::StreamId stream, Bytes body) {
  session_.send(stream, std::move(body));
  flush();
}

void Http2Client::end(http::StreamId stream, http::Headers trailers) {
  session_.end(stream, std::move(trailers));
  flush();
}

void Http2Client::reset(http::StreamId stream) {
  session_.reset(stream, 8);
  flush();
}

void Http2Client::ping() {
  session_.ping();
  flush();
}

void Http2Client::flush() {
  std::string out;
  while (session_.wants_output()) {
    const size_t before = out.size();
    session_.take_output(out, 1 << 20);
    if (out.size() == before) break;
  }
  if (!out.empty()) client_.send(out);
}

bool Http2Client::read() {
  const std::string bytes = client_.receive();
  if (bytes.empty()) return false;
  const bool received = session_.receive(bytes).ok();
  flush();
  return received;
}

const Http2Client::Answer& Http2Client::wait(http::StreamId stream) {
  while (!answers_[stream].closed && read()) {
  }
  return answers_[stream];
}

void Http2Client::wait_for_end() {
  while (read()) {
  }
}

void Http2Client::on_response(http::StreamId id, http::ResponseHead head, bool) {
  answers_[id].status = head.status;
  answers_[id].headers = std::move(head.headers);
}

void Http2Client::on_body(http::StreamId id, std::string_view bytes) {
  answers_[id].body += bytes;
  if (!held_.contains(id)) session_.consume(id, bytes.size());
}

void Http2Client::on_body_end(http::StreamId id, http::Headers trailers) {
  answers_[id].trailers = std::move(trailers);
  answers_[id].ended = true;
}

void Http2Client::on_stream_closed(http::StreamId id, uint32_t error_code) {
  answers_[id].closed = error_code;
}

namespace frames {

std::string number(uint32_t value) {
  std::string out;
  for (int shift = 24; shift >= 0; shift -= 8) out += static_cast<char>(value >> shift & 0xff);
  return out;
}

std::string frame(uint8_t type, uint8_t flags, uint32_t stream, std::string_view payload) {
  std::string out = number(static_cast<uint32_t>(payload.size())).substr(1);
  out += static_cast<char>(type);
  out += static_cast<char>(flags);
  return out + number(stream) + std::string(payload);
}

std::string field(std::string_view name, std::string_view value) {
  CHECK(name.size() < 127 && value.size() < 127);
  std::string out(1, '\0');
  out += static_cast<char>(name.size());
  out += name;
  out += static_cast<char>(value.size());
  return out += value;
}

std::string get_fields() {
  return field(":method", "GET") + field(":scheme", "https") + field(":path", "/") +
         field(":authority", "a");
}

}  // namespace frames
}  // namespace proa::testkit
