#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "http/budgets/frame_budget.h"
#include "http/budgets/rate_limit.h"
#include "http/wire/frame_splitter.h"
#include "http/wire/message.h"

struct nghttp2_session;

namespace proa::http {

using StreamId = int32_t;

struct Http2Limits {
  uint32_t concurrent_streams = 100;    // concurrent streams of the peer
  uint32_t stream_window = 256 * 1024;  // unread body bytes per stream
  uint32_t connection_window = 1024 * 1024;
  uint32_t header_list_bytes = 64 * 1024;
  uint32_t header_count = 128;
  // Streams that a client resets, or whose reset it provokes by an error, while we work on them
  // (CVE-2023-44487, CVE-2025-8671): a burst, then this many per second.
  uint32_t reset_burst = 1000;
  uint32_t resets_per_second = 33;
  uint32_t queued_acks = 1000;  // unsent acknowledgements of pings and settings
  uint32_t settings_entries = 32;
  // Frames that carry nothing of a request or response, beyond what the traffic earns.
  uint32_t idle_frame_burst = 1000;
  uint32_t idle_frames_per_second = 50;
};

// The framing of one HTTP/2 connection, client or server: bytes in, bytes out. No I/O.
class Http2Session {
 public:
  class Events {
   public:
    virtual ~Events() = default;
    // Server: a request; `end`: it has no body.
    virtual void on_request(StreamId, RequestHead, bool /*end*/) {}
    // Client: a response head; informational (1xx) ones are skipped.
    virtual void on_response(StreamId, ResponseHead, bool /*end*/) {}
    // Body bytes; the window shrinks by that many until consume().
    virtual void on_body(StreamId, std::string_view bytes) = 0;
    // The end of this stream's body; trailers may be empty.
    virtual void on_body_end(StreamId, Headers trailers) = 0;
    // That many bytes of send() were written into frames.
    virtual void on_sent(StreamId, size_t /*bytes*/) {}
    // The stream is closed; error code 0 on success. No event names it afterwards.
    virtual void on_stream_closed(StreamId, uint32_t error_code) = 0;
    // The peer accepts no streams beyond `last`.
    virtual void on_goaway(StreamId /*last*/) {}
  };
  enum class Role : uint8_t { kServer, kClient };

  Http2Session(Role role, const Http2Limits& limits, Events& events);
  ~Http2Session();
  Http2Session(const Http2Session&) = delete;
  Http2Session& operator=(const Http2Session&) = delete;

  // Processes received bytes. A Status: the peer violated the protocol or a limit; send the output
  // of take_output() (a GOAWAY) and close.
  Result<void> receive(std::string_view bytes);
  // Appends frames to `out`, about `most` bytes; the next call continues.
  void take_output(std::string& out, size_t most);
  bool wants_output() const;
  // Nothing is left to receive or send: close the connection.
  bool finished() const;

  // Client: opens a stream. A Status if the connection accepts no more.
  Result<StreamId> request(const RequestHead& head, bool end);
  // The peer's limit of our streams, and how many are open.
  size_t peer_max_streams() const;
  size_t open_streams() const { return streams_.size(); }
  // Server: the response head.
  void respond(StreamId stream, const ResponseHead& head, bool end);
  // Our body bytes; shared, and copied only into frames.
  void send(StreamId stream, Bytes bytes);
  // Ends our body, with trailers or without.
  void end(StreamId stream, Headers trailers = {});
  // Bytes of send() that are not in frames yet.
  size_t unsent(StreamId stream) const;
  // The application consumed that many body bytes: the peer may send as many more.
  void consume(StreamId stream, size_t bytes);
  // The application keeps that many body bytes for now: they reduce the window of their stream, but
  // no longer that of the connection.
  void set_aside(StreamId stream, size_t bytes);
  // Lets the peer send more than the initial window at once.
  void widen(StreamId stream, uint32_t window);
  void reset(StreamId stream, uint32_t error_code);
  // The same, and drops what is not in frames yet.
  void drop(StreamId stream, uint32_t error_code);
  // Server: accepts no new streams; open ones continue.
  void goaway();
  void ping();

 private:
  struct Stream;
  struct Callbacks;

  Stream* find(StreamId id);
  void take_field(Stream& stream, std::string_view name, std::string_view value);
  void head_done(StreamId id, Stream& stream, bool end);
  void wake(StreamId id, Stream& stream);
  void count_reset();
  // The frame that is being received brings a request or response forward.
  void frame_progresses();

  Events& events_;
  const Http2Limits limits_;
  const Role role_;
  nghttp2_session* session_ = nullptr;
  std::unordered_map<StreamId, std::unique_ptr<Stream>> streams_;
  std::vector<std::pair<StreamId, size_t>> sent_;  // pending on_sent events
  RateLimit resets_;
  FrameSplitter splitter_;
  FrameBudget frames_;
  bool frame_progresses_ = false;
  bool too_many_resets_ = false;  // new requests are ignored, a GOAWAY is on its way
};

}  // namespace proa::http
