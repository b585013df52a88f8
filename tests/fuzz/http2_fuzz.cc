#include <cstdint>
#include <set>
#include <string>
#include <string_view>

#include "base/check.h"
#include "http/wire/http2_session.h"

namespace proa::http {
namespace http2_fuzz {

constexpr size_t kUnread = 512 * 1024;  // allowed by the windows

// Uses a session as a server or client connection does, and checks its events.
struct Peer final : Http2Session::Events {
  explicit Peer(Http2Session::Role role)
      : session(role, limits(), *this), is_server(role == Http2Session::Role::kServer) {}

  static Http2Limits limits() {
    Http2Limits small;
    small.concurrent_streams = 10;
    small.stream_window = 70'000;
    small.connection_window = kUnread;
    small.header_list_bytes = 4096;
    small.header_count = 20;
    return small;
  }

  void on_request(StreamId id, RequestHead head, bool end) override {
    CHECK(is_server && open.insert(id).second);
    CHECK(open.size() <= 11);
    CHECK(head.headers.size() <= 20);
    answer(id, end);
  }
  void on_response(StreamId id, ResponseHead head, bool) override {
    CHECK(!is_server && open.contains(id));
    CHECK(head.status >= 200 && head.status <= 999);
  }
  void on_body(StreamId id, std::string_view bytes) override {
    CHECK(open.contains(id));
    unread += bytes.size();
    CHECK(unread <= kUnread);
    if (id % 4 == 1) {
      session.consume(id, bytes.size());
      unread -= bytes.size();
    }
  }
  void on_body_end(StreamId id, Headers) override { CHECK(open.contains(id)); }
  void on_sent(StreamId id, size_t) override { CHECK(open.contains(id)); }
  void on_stream_closed(StreamId id, uint32_t) override {
    if (is_server && !open.contains(id)) return;  // refused before it became a request
    CHECK(open.erase(id) == 1);
    unread = 0;  // the closed stream's bytes no longer count; they are not tracked per stream here
  }

  // Different streams get different responses.
  void answer(StreamId id, bool end) {
    switch (id / 2 % 5) {
      case 0:
        return session.respond(id, {204, {}}, true);
      case 1:
        session.respond(id, {200, {{"content-type", "text/plain"}, {"connection", "close"}}},
                        false);
        session.send(id, Bytes::copy_of("hello"));
        return session.end(id);
      case 2:
        session.respond(id, {200, {}}, false);
        session.send(id, Bytes(std::string(100'000, 'x')));
        return session.end(id, {{"grpc-status", "0"}});
      case 3:
        return session.reset(id, end ? 8 : 2);
      default:
        return;  // never responds
    }
  }

  void ask() {
    for (int i = 0; i < 3; ++i) {
      RequestHead head;
      head.method = "POST";
      head.scheme = "https";
      head.authority = "a";
      head.target = "/";
      const auto id = session.request(head, i == 0);
      if (!id.ok()) return;
      open.insert(*id);
      if (i == 1) session.send(*id, Bytes(std::string(1000, 'y')));
      if (i == 2) session.end(*id);
    }
  }

  std::set<StreamId> open;
  size_t unread = 0;
  Http2Session session;
  bool is_server;
};

void run(Http2Session::Role role, std::string_view input, size_t step) {
  Peer peer(role);
  std::string out;
  const auto feed = [&](std::string_view bytes) {
    const bool ok = peer.session.receive(bytes).ok();
    out.clear();
    peer.session.take_output(out, 64 * 1024);
    CHECK(out.size() <= 64 * 1024 + 20 * 1024);
    return ok && !peer.session.finished();
  };
  bool going_on = true;
  if (role == Http2Session::Role::kServer) {
    constexpr std::string_view kStart("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\4\0\0\0\0\0", 33);
    going_on = feed(kStart);
  } else {
    peer.ask();
    going_on = feed(std::string_view("\0\0\0\4\0\0\0\0\0", 9));
  }
  for (size_t i = 0; i < input.size() && going_on; i += step) {
    going_on = feed(input.substr(i, step));
    if (i > input.size() / 2) peer.session.goaway();
  }
}

}  // namespace http2_fuzz
}  // namespace proa::http

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using proa::http::Http2Session;
  if (size == 0) return 0;
  const std::string_view input(reinterpret_cast<const char*>(data + 1), size - 1);
  const auto role = (data[0] & 1) == 0 ? Http2Session::Role::kServer : Http2Session::Role::kClient;
  const size_t step = (data[0] & 2) == 0 ? 4096 : 1 + data[0] / 4;
  proa::http::http2_fuzz::run(role, input, step);
  return 0;
}
